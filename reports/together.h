/* Together: what a report of many processes, or of summaries, shows in place of a part for each
 * process.
 */
#ifndef SC_REPORTS_TOGETHER_H
#define SC_REPORTS_TOGETHER_H

#include <stddef.h>
#include "reports/joint.h"
#include "reports/summary.h"

/* What the processes have together, if not all of them have a part of the report: they are too
 * many, or some were read from summaries. Else NULL. */
const struct sc_summary *sc_together(const struct sc_joint *j);
/* The first finding from `*at` on that no process's part of the report shows, or NULL; `*at` is
 * then the one after it. */
const struct sc_summary_row *sc_together_next(const struct sc_joint *j, size_t *at);

#endif
