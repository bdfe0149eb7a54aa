/* Private traces: a trace written again without what is the program's own.
 *
 * Records, their order and their ids stay, and so do addresses; sequence numbers change, because
 * records get shorter. Two walks over the trace: the first learns which kernels, stacks and
 * addresses there are, the second writes. Cost: 16 bytes of memory for each record, and the symbols
 * of every stack.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include "base/vector.h"
#include "reports/report.h"

/* Where records of the original stand in the private trace, in order. */
struct sc_private_place {
	uint64_t from, to;
};
typedef SC_VECTOR(struct sc_private_place) sc_private_places;

/* Writes the trace of a report, whose reader is read to its end, to an empty file. `places` gets
 * what became of the records; the caller frees it. Returns 0 or -errno. */
int sc_private_trace_write(const struct sc_report *r, FILE *file, sc_private_places *places);
/* The place of a record; SC_NOT_WRITTEN if it has none. */
uint64_t sc_private_place(const sc_private_places *places, uint64_t sequence);
