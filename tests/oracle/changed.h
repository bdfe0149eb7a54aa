/* Changed programs: what an analysis finds in a program to which edits (extensions/repair) were
 * applied. The changed program is written as a trace of its own, and nothing of the edits is known
 * to the analysis.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/analysis.h"
#include "extensions/repair/planner/edit.h"

/* The findings of the program with these edits, of which some may be NULL; the caller's. */
struct sc_analysis *changed_run(struct sc_reader *r, struct sc_edit *const *edits, size_t count,
				const struct sc_analysis_settings *settings);
/* True if there is a finding of these places. */
bool changed_has(const struct sc_analysis *a, uint64_t key);
