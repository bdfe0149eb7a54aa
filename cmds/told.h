/* Told: ops of a trace as phrases, "cudaMemcpyAsync device → pinned, …, at main.cu:40".
 *
 *	sc_told_want(&told, sequence);	for each
 *	sc_told_fetch(&told);		one walk over the trace, one batch of symbols
 *	sc_told_text(&told, sequence);
 */
#ifndef SC_CMDS_TOLD_H
#define SC_CMDS_TOLD_H

#include "base/map.h"
#include "base/vector.h"
#include "reports/words.h"

/* A place in the source, "main.cu:40", with what is said of the op there. */
struct sc_told_op {
	uint64_t sequence;
	char *text, *place; /* owned */
};

struct sc_told {
	const struct sc_report *report; /* borrowed */
	struct sc_words words;
	struct sc_u64_map index; /* sequence numbers to number of an op; 0: not fetched yet */
	SC_VECTOR(struct sc_told_op) ops;
};

void sc_told_init(struct sc_told *t, const struct sc_report *r, const char *directory);
void sc_told_want(struct sc_told *t, uint64_t sequence);
void sc_told_fetch(struct sc_told *t);
/* What it is; "operation 12" if it was not fetched. */
const char *sc_told_text(const struct sc_told *t, uint64_t sequence);
/* Where it was called; "" if that is not known. */
const char *sc_told_place(const struct sc_told *t, uint64_t sequence);
/* Appends both. */
void sc_told_add(struct sc_buf *out, const struct sc_told *t, uint64_t sequence);
void sc_told_fini(struct sc_told *t);

#endif
