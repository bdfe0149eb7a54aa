/* Together: what a page of many processes shows in place of a part for each process, and what a
 * report shows of summaries.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "reports/many/joint.h"
#include "reports/many/summary.h"

/* What the processes have together, if not all of them have a part of the page: they are too many,
 * or some were read from summaries. Else NULL. */
const struct sc_summary *sc_together(const struct sc_joint *j);
/* The next finding of which there is only a summary, or NULL: the loudest come first. `*at` is 0
 * before the first. */
const struct sc_summary_row *sc_together_next(const struct sc_joint *j, size_t *at);
/* True if a finding of the report has the rule, or it is the cause of one: the report then has its
 * page. */
bool sc_together_has_rule(const struct sc_joint *j, unsigned rule);
