/* Failed calls: which calls of the program failed, each call, answer and call stack once.
 *
 * A call in which a signal ended the program is one of them. Not among them: expected answers
 * (expected_answer.def); calls that libraries made, which answer for them by a status of their own;
 * and allocations that found no memory, if the thread then got as much.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

#define SC_REFUSALS 8 /* allocations that may be tried again, at a time */

struct sc_failed_call {
	uint64_t sequence; /* of the first */
	uint64_t count;
	int32_t result; /* SC_RESULT_PENDING: a signal ended the program in it */
	uint32_t signal;
};

/* An allocation that found no memory. */
struct sc_refusal_of_memory {
	uint64_t bytes;
	uint32_t thread;
	uint32_t call; /* index of the failed call + 1; 0: none */
};

/* All zero before the first record. */
struct sc_failed_calls {
	SC_VECTOR(struct sc_failed_call) list; /* by their first */
	struct sc_u64_map by_identity;	       /* index + 1 */
	uint64_t count;
	struct sc_refusal_of_memory refusals[SC_REFUSALS];
	unsigned next; /* of the refusals to replace */
};

/* Takes a record that is not routine; true if it is the first of a failed call, to be kept. */
bool sc_failed_calls_note(struct sc_failed_calls *f, const struct sc_reader *reader,
			  const struct sc_record *r);
/* Takes the record of the program's end, if a signal ended it inside of a call, of which `inside`
 * is the op. */
void sc_failed_calls_note_end(struct sc_failed_calls *f, const struct sc_op *end,
			      const struct sc_op *inside);
/* After the last record: drops those that were tried again. */
void sc_failed_calls_finish(struct sc_failed_calls *f);
void sc_failed_calls_fini(struct sc_failed_calls *f);
