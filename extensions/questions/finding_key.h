/* A finding's key: the same in analyses of one trace under other assumptions, where the causes and
 * the wording of a finding may change: its rule and where its operations were called. */
#pragma once

#include "analyzer/analysis.h"
#include "analyzer/symbol/callsite.h"
#include "base/map.h"

uint64_t sc_finding_key(struct sc_callsites *sites, const struct sc_reader *r,
			const struct sc_analysis *a, const struct sc_finding *f);
/* Counts all findings of an analysis by their keys. */
void sc_finding_keys_add(struct sc_u64_map *counts, struct sc_callsites *sites,
			 const struct sc_reader *r, const struct sc_analysis *a);
