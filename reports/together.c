/* Together: the findings that no process's part of a report shows. */
#include "reports/together.h"

const struct sc_summary *sc_together(const struct sc_joint *j)
{
	return j->all && (sc_joint_is_crowd(j) || sc_summary_has_read(j->all)) ? j->all : NULL;
}

const struct sc_summary_row *sc_together_next(const struct sc_joint *j, size_t *at)
{
	const struct sc_summary *s = sc_together(j);

	while (s && *at < s->rows.count) {
		const struct sc_summary_row *row = &s->rows.items[(*at)++];

		if (row->is_read || sc_joint_is_crowd(j))
			return row;
	}
	return NULL;
}
