/* The findings of the text report, on one page.
 *
 * What fits is shown in full: each finding that follows from no other, with those that follow from
 * it in a line each. Where that takes more lines than a page has, of each rule the first finding is
 * shown in full, the other places get a line each, and the rest is counted. With
 * struct sc_report_style.is_whole each finding is shown in full.
 */
#pragma once

#include "reports/text/text_finding.h"

#define SC_TEXT_PAGE 100 /* lines of a report */

/* Appends the findings, in at most about so many lines. */
void sc_text_findings(struct sc_text *t, size_t most);
