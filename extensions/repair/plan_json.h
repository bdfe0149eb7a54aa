/* Plan as JSON: the contract between `repair`, which plans, and the writer of patches
 * (packaging/python/patch), which reads nothing else of the trace. docs/user/repair.md says what
 * each member means.
 */
#pragma once

#include "extensions/repair/patcher/plan_texts.h"

/* Appends the plan of the words' report. Costs one more analysis of the trace, for the order of its
 * threads (planner/threads.h); the reader stands at its end afterwards. */
void sc_plan_json_write(struct sc_buf *out, const struct sc_plan_texts *plan,
			struct sc_words *words);
