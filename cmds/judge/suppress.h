/* Suppress: findings compared with suppressions, and suppressions written for findings. */
#pragma once

#include <stdbool.h>
#include "base/option.h"
#include "cmds/judge/suppression.h"
#include "reports/report.h"

/* True for a pattern that fits the rule's id (SC-105, 105) or slug. */
bool sc_suppress_is_rule(const char *pattern, unsigned rule);
/* Reads the comments of all source files with a call of the trace, so that each comment that hides
 * nothing is known; unasked only where that costs little. */
void sc_suppress_read_calls(struct sc_suppressions *all, const struct sc_report *r, bool is_asked);
/* The first entry that has not expired `today` and whose patterns all hold; or NULL.
 * Comments of the source files that the finding names are read first, if that is wanted. */
struct sc_suppression *sc_suppress_find(struct sc_suppressions *all, const struct sc_report *r,
					const struct sc_finding *f, uint32_t today);
/* Appends an entry that hides this finding and no other place: by the innermost functions of the
 * author's in both stacks (cmds/judge/own_code.h). */
void sc_suppress_print(struct sc_buf *out, const struct sc_report *r, const struct sc_finding *f,
		       const struct sc_options *o);
