/* Own code: which lines of a program its author may change.
 *
 * Those of option own; else those below the current folder. Of them a header's lines come last: a
 * wrapper there has many callers, and the edit belongs to one of them.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include "base/option.h"
#include "reports/sources/site.h"

struct sc_own {
	const struct sc_report *report; /* borrowed */
	bool has_patterns; /* option own says which are the user's (analyzer/symbol/frame.h) */
	char directory[PATH_MAX]; /* "": not known */
};

void sc_own_init(struct sc_own *o, const struct sc_report *r, const struct sc_options *options);
/* The innermost line of a source file of the author, else of a header, else what reports show. */
const struct sc_frame *sc_own_innermost(const struct sc_own *o, const struct sc_report_site *site);
/* True if it is one that may be changed. */
bool sc_own_has(const struct sc_own *o, const struct sc_frame *frame);
