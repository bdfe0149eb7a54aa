/* Facts: what a report states about a finding, one line each, with the op that each is about.
 *
 * For formats that point at lines of source (compilers, annotations, SARIF): which of the two ops
 * to point at, how loudly, one sentence about both, and the facts that go with it.
 */
#pragma once

#include <stdbool.h>
#include "reports/words/words.h"

/* How loud a finding is where there are three degrees only: a possible error is no error yet. */
enum sc_loudness { SC_LOUD_NOTE, SC_LOUD_WARNING, SC_LOUD_ERROR };

enum sc_loudness sc_facts_loudness(const struct sc_finding *f);
enum sc_loudness sc_facts_loudness_of(unsigned severity, unsigned confidence);
/* Appends "main.cu:40:7: "; without a line the tool's name, as compilers do. */
void sc_facts_line_place(struct sc_buf *out, const char *file, unsigned line, unsigned column);
/* Appends "error: ", as compilers write it. */
void sc_facts_line_loudness(struct sc_buf *out, enum sc_loudness loudness);
/* The frame to name of an op, or NULL; with a source line if any frame of the user's has one. */
const struct sc_frame *sc_facts_frame(const struct sc_report *r, uint64_t op);
/* Index of the side to point at: the later one, unless only the other is known by its line. */
unsigned sc_facts_side(const struct sc_report *r, const struct sc_finding *f);
/* Appends the place of an op itself; sc_words_place is about where its mending belongs. */
void sc_facts_place(struct sc_buf *out, const struct sc_words *w, uint64_t op);
/* Appends the rule's summary and the op that is pointed at, and the other op with its place. */
void sc_facts_message(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f);

/* Gets a fact: `op_plus` is the op to point at, +1, or 0; `text` has no line ends. */
typedef void sc_fact_fn(void *to, uint64_t op_plus, const char *label, const char *text);

/* The other op, bytes, order, reruns, causes, doubt, count, fix: the known ones, in this order. */
void sc_facts_each(const struct sc_words *w, const struct sc_finding *f, sc_fact_fn *take,
		   void *to);
