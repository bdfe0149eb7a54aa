/* Repair: the fewest edits of a program that end the findings of a trace.
 *
 * The core includes this header only, and is whole without the extension (-DSC_REPAIR=OFF): reports
 * then say nothing of plans.
 */
#pragma once

#include <stdbool.h>
#include "base/option.h"
#include "reports/report.h"

#if SC_REPAIR
/* What a report says of a plan; false if it says nothing: nothing was found that a plan is about,
 * or the edits are not fewer than the findings that they end. No plan is made where that takes
 * longer than a moment. */
bool sc_plan_note(struct sc_repair_note *out, const struct sc_report *r,
		  const struct sc_options *options);
#else
static inline bool sc_plan_note(struct sc_repair_note *out, const struct sc_report *r,
				const struct sc_options *options)
{
	(void)out, (void)r, (void)options;
	return false;
}
#endif
