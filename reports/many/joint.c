/* Joint: what the joint forms of all formats share. */
#include "reports/many/joint.h"

#include <inttypes.h>
#include "analyzer/finding/finding.h"

#define OTHER_MACHINE 23 /* above every process id, and above the streams of reports/perfetto.c */

void sc_joint_fini(struct sc_joint *j)
{
	sc_buf_fini(&j->parts);
	sc_once_fini(&j->found);
	sc_once_fini(&j->said);
	sc_u64_map_fini(&j->ids);
	sc_u64_map_fini(&j->rules);
}

uint64_t sc_joint_id(struct sc_joint *j, uint32_t process)
{
	uint64_t id = process;

	while (sc_u64_map_find(&j->ids, id))
		id += UINT64_C(1) << OTHER_MACHINE;
	*sc_u64_map_get(&j->ids, id) = 1;
	return id;
}

void sc_joint_use_rules(struct sc_joint *j, const struct sc_finding *f)
{
	*sc_u64_map_get(&j->rules, f->rule) = 1;
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i])
			*sc_u64_map_get(&j->rules, f->causes[i]) = 1;
}

void sc_joint_add_name(struct sc_buf *out, const struct sc_names *names)
{
	if (names->rank >= 0)
		sc_buf_printf(out, "rank %d", names->rank);
	else
		sc_buf_printf(out, "process %" PRIu32, names->process);
}

void sc_joint_copy(struct sc_buf *out, const struct sc_joint *j)
{
	sc_buf_add_bytes(out, sc_buf_text(&j->parts), j->parts.bytes);
}
