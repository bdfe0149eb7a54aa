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
