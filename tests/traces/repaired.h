/* Repaired: the plan for a text trace, compared with its lines
 *
 *	expect repair event after=3 before=5 ends=2
 *	expect repair event after=3 before=5 ends=2 threads=ordered
 *	expect repair none
 *	expect unmended host_first 3 5
 *
 * Numbers are op lines; `ends` and what follows it may be left out: `or=4`, the line whose
 * operation might go into another stream instead (0: none), and `threads`
 * (extensions/repair/planner/threads.h), if the two lines run in several. If a trace has such a
 * line, each edit and each finding that the plan leaves must be expected by one.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/analysis.h"
#include "trace/text/text.h"

/* True for such a line. */
bool repaired_is_line(const char *text);
/* The number of differences; prints them. None without the extension. */
unsigned repaired_compare(const char *path, const struct sc_text_script *s, struct sc_reader *r,
			  const struct sc_analysis *a, const struct sc_analysis_settings *settings);
/* What holds of the plan of any trace: the changed program has no finding that the trace does not
 * have, and lets no kernel wait for what comes later. The number of differences; prints them. */
unsigned repaired_check(const char *path, struct sc_reader *r, const struct sc_analysis *a,
			const struct sc_analysis_settings *settings);
