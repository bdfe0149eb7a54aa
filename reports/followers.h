/* Followers: the findings of a report by the one that leads them (analyzer/model/cause.h). */
#pragma once

#include <stddef.h>
#include "analyzer/analysis.h"

struct sc_followers {
	const struct sc_finding **list; /* owned: of the first leader, of the second, … */
	size_t *begin;			/* owned: by finding, where its own begin; one more */
};

/* Looks at all findings of an analysis, by number. */
void sc_followers_init(struct sc_followers *o, const struct sc_analysis *a);
void sc_followers_fini(struct sc_followers *o);
/* How many a finding leads, by its place among the findings, and these. */
size_t sc_followers_of(const struct sc_followers *o, size_t at,
		       const struct sc_finding *const **list);
