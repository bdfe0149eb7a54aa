/* Together: the findings that no process's part of a report shows. */
#include "reports/together.h"

#include <stdbool.h>

/* True if a process with one of these ranks has no part of the report. */
static bool is_left_out(const struct sc_joint *j, const struct sc_rank_set *ranks)
{
	return j->expected > SC_JOINT_PROCESSES_MOST && ranks->ranges.count;
}

const struct sc_summary *sc_together(const struct sc_joint *j)
{
	return j->all && (is_left_out(j, &j->all->ranks) || sc_summary_has_read(j->all)) ? j->all
											 : NULL;
}

const struct sc_summary_row *sc_together_next(const struct sc_joint *j, size_t *at)
{
	const struct sc_summary *s = sc_together(j);

	while (s && *at < s->rows.count) {
		const struct sc_summary_row *row = &s->rows.items[(*at)++];

		if (row->is_read || is_left_out(j, &row->ranks))
			return row;
	}
	return NULL;
}
