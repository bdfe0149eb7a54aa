/* Filter: options that narrow which findings are reported, by kernel, stream and process.
 *
 * The order of operations is computed from the whole trace all the same. Expressions are POSIX
 * extended ones. They are compiled once. Back-references are refused and repetitions bounded, and
 * names are compared up to 4 KiB, so that a match takes a bounded time.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/option.h"
#include "reports/report.h"

struct sc_filter_name {
	regex_t expression;
	bool is_set;
};

enum sc_filter_processes { SC_PROCESSES_ALL, SC_PROCESSES_ROOT, SC_PROCESSES_CHILDREN };

struct sc_filters {
	struct sc_filter_name kernel, no_kernel, stream;
	enum sc_filter_processes processes;
	const char *program; /* pattern for children; borrowed from the options */
};

/* Compiles what the options name. Returns 0, or -EINVAL with a sentence that names the option; then
 * nothing is held. */
int sc_filter_init(struct sc_filters *filter, const struct sc_options *o, char *message,
		   size_t bytes);
void sc_filter_fini(struct sc_filters *filter);
/* Name of the option that hides the finding; NULL: it is reported. */
const char *sc_filter_hides(const struct sc_filters *filter, const struct sc_report *r,
			    const struct sc_finding *f);
