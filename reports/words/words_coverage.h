/* Words for coverage: what a run was seen to do, and what may be missing from the report.
 *
 * The rows are those of analyzer/model/coverage.def and trace/gap.def; no format has words of its
 * own.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/analysis.h"
#include "base/buf.h"

/* A counter of what was seen. */
struct sc_words_seen {
	const char *id, *one, *many, *about;
	uint64_t count;
	bool is_head; /* stands in the first line of a report */
};

/* Takes the counters in their order. */
typedef void sc_words_seen_fn(void *to, const struct sc_words_seen *row);
void sc_words_each_seen(const struct sc_coverage *c, sc_words_seen_fn *take, void *to);

/* Appends "7 operations (2 streams, 1 copy, 0 kernels, 1 host access)". */
void sc_words_seen(struct sc_buf *out, const struct sc_coverage *c);
/* Appends how surely the bytes of the kernels are known, those in graphs too: "known exactly in 3
 * of 5 launches, by an upper bound in 2"; false if there was no launch. */
bool sc_words_launches(struct sc_buf *out, const struct sc_coverage *c);
/* The same of one kernel, "exactly", or "3 exactly, 2 by an upper bound". */
void sc_words_launches_of(struct sc_buf *out, const struct sc_kernel_tally *k);
/* Appends what became of launches on the simulated device: "12 launches ran, 3 of scale did not (it
 * has no PTX)"; false if there was none. */
bool sc_words_simulated(struct sc_buf *out, const struct sc_analysis *a);
/* Appends how much of the run was recorded in full: "2 windows with 12 of 90 operations, …"; false
 * if all of it was. */
bool sc_words_windows(struct sc_buf *out, const struct sc_coverage *c);
/* Which part a process judged that ended early; false if there is none. */
bool sc_words_cut(struct sc_buf *out, const struct sc_coverage *c);
/* Appends what stands between the report and the whole truth, "3 events lost, …"; false if nothing
 * does. `failed` stands after the number of failed calls (reports/words/words_failed.h), or is
 * NULL. */
bool sc_words_gaps(struct sc_buf *out, const struct sc_coverage *c, const char *failed);
/* Appends a gap of weight DETAIL, with its reason; false if there is none. */
bool sc_words_gap_detail(struct sc_buf *out, const struct sc_coverage *c, unsigned gap);
/* Takes each thing that may be missing: "3 events lost: any of them …". */
typedef void sc_words_gap_fn(void *to, const char *text);
void sc_words_each_gap(const struct sc_coverage *c, sc_words_gap_fn *take, void *to);
