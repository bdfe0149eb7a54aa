/* Op phrases: ops of a trace as phrases, "cudaMemcpyAsync device → pinned, …, at main.cu:40".
 *
 *	sc_op_phrases_want(&ops, sequence);	for each
 *	sc_op_phrases_fetch(&ops);		one walk over the trace, one batch of symbols
 *	sc_op_phrases_text(&ops, sequence);
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "reports/words/words.h"

/* A place in the source, "main.cu:40", with what is said of the op there. */
struct sc_op_phrase {
	uint64_t sequence;
	char *text, *place; /* owned */
};

struct sc_op_phrases {
	const struct sc_report *report; /* borrowed */
	struct sc_words words;
	struct sc_u64_map index; /* sequence numbers to number of an op; 0: not fetched yet */
	SC_VECTOR(struct sc_op_phrase) ops;
};

void sc_op_phrases_init(struct sc_op_phrases *t, const struct sc_report *r, const char *directory);
void sc_op_phrases_want(struct sc_op_phrases *t, uint64_t sequence);
void sc_op_phrases_fetch(struct sc_op_phrases *t);
/* What it is; "operation 12" if it was not fetched. */
const char *sc_op_phrases_text(const struct sc_op_phrases *t, uint64_t sequence);
/* Where it was called; "" if that is not known. */
const char *sc_op_phrases_place(const struct sc_op_phrases *t, uint64_t sequence);
/* Appends both. */
void sc_op_phrases_add(struct sc_buf *out, const struct sc_op_phrases *t, uint64_t sequence);
void sc_op_phrases_fini(struct sc_op_phrases *t);
