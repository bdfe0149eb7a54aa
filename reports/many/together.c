/* Together: what summaries add to a report. */
#include "reports/many/together.h"

#include "reports/facts.h"

const struct sc_summary *sc_together(const struct sc_joint *j)
{
	if (!j->all)
		return NULL;
	if (j->expected > SC_JOINT_PROCESSES_MOST && j->all->ranks.ranges.count)
		return j->all;
	return sc_summary_has_read(j->all) ? j->all : NULL;
}

/* The walk goes over all rows for each loudness. */
const struct sc_summary_row *sc_together_next(const struct sc_joint *j, size_t *at)
{
	size_t count = sc_summary_has_read(j->all) ? j->all->rows.count : 0;

	for (; *at < count * (SC_LOUD_ERROR + 1); ++*at) {
		const struct sc_summary_row *row = &j->all->rows.items[*at % count];
		size_t loudness = sc_facts_loudness_of(row->severity, row->confidence);

		if (row->is_read && loudness == SC_LOUD_ERROR - *at / count) {
			++*at;
			return row;
		}
	}
	return NULL;
}

bool sc_together_has_rule(const struct sc_joint *j, unsigned rule)
{
	if (sc_u64_map_find(&j->rules, rule))
		return 1;
	for (size_t i = 0; j->all && i < j->all->rows.count; i++)
		if (j->all->rows.items[i].rule == rule)
			return 1;
	return 0;
}
