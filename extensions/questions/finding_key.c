/* Keys of findings. */
#include "extensions/questions/finding_key.h"

uint64_t sc_finding_key(struct sc_callsites *sites, const struct sc_reader *r,
			const struct sc_analysis *a, const struct sc_finding *f)
{
	uint64_t key = sc_hash_add(SC_HASH_START, f->rule);

	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		const struct sc_record *record = sc_analysis_record(a, f->side[i].op);

		if (record)
			key = sc_hash_add(
				key, sc_callsite_of(sites, r, record->op.stack, record->sequence));
	}
	return key;
}

void sc_finding_keys_add(struct sc_u64_map *counts, struct sc_callsites *sites,
			 const struct sc_reader *r, const struct sc_analysis *a)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	for (size_t i = 0; i < count; i++)
		*sc_u64_map_get(counts, sc_finding_key(sites, r, a, &f[i])) += f[i].count;
}
