/* Routine: the ops that most records are, taken in one go from the record to the spans.
 *
 * A kernel, copy or fill is routine here if it works on bytes that have spans of exactly their own
 * in live allocations, and whatever touched these before is ordered before it, or collides with
 * nothing it does. Naive form, and the one truth: sc_order_step_routine, then the family race
 * (uses of allocations, a note, a touch of each use, sc_history_use), then the part of misuse that
 * looks at copies. What is taken here has the same result: nothing is changed before it is certain
 * that no step of the naive form would find more to do. tests/traces and tests/oracle run every
 * trace with `no_routine` and without, and compare the findings.
 *
 * Costs: a look at each span, and at the clock of the stream for touches of other streams.
 */
#ifndef SC_ANALYZER_ROUTINE_ROUTINE_H
#define SC_ANALYZER_ROUTINE_ROUTINE_H

#include "analyzer/model.h"

enum sc_routine {
	SC_ROUTINE_NOT, /* nothing was done */
	SC_ROUTINE_TAKEN,
	SC_ROUTINE_SEEN /* taken; the step and a->uses are filled in for the caller */
};

/* Does for the record what order and races do; it must be routine (kind.h). */
enum sc_routine sc_routine_take(struct sc_analysis *a, const struct sc_record *r,
				struct sc_step *step);
/* The same for a record of an event, or a wait for one that was recorded; uses nothing. */
enum sc_routine sc_routine_take_event(struct sc_analysis *a, const struct sc_record *r,
				      struct sc_step *step);

#endif
