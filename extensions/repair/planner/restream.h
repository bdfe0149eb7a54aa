/* Restreaming: edits that enqueue an operation in another stream, in place of edits that wait.
 *
 * An operation that moves loses the order that its own stream gave it. So each such edit is first
 * tried alone: the changed trace may have no finding that the trace does not have. It takes the
 * place of edits of the plan if it ends what several of them end, what an edit ends that makes the
 * host wait, or what one ends that takes more time of the run; otherwise it is what else would do
 * for the one edit that ends the same. Either way the plan with it was analyzed.
 */
#pragma once

#include <stdbool.h>
#include "extensions/repair/planner/plan.h"

struct sc_restream {
	SC_VECTOR(struct sc_edit) list; /* owned: that were tried and bring nothing new */
};

/* Tries such edits for the findings of an analysis, those first that most findings speak for. */
void sc_restream_find(struct sc_restream *s, struct sc_plan *p, const struct sc_analysis *found);
/* Puts those into the plan that do more than what is there; `left` is what the plan leaves. True if
 * the plan is changed. */
bool sc_restream_use(const struct sc_restream *s, struct sc_plan *p,
		     const struct sc_analysis *found, struct sc_outcome *left);
/* One that would do in place of edit `i` of the plan, tried; or NULL. */
const struct sc_edit *sc_restream_instead(const struct sc_restream *s, struct sc_plan *p, size_t i,
					  const struct sc_outcome *left);
void sc_restream_fini(struct sc_restream *s);
