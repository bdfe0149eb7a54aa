/* Rule 323: programmatic launches that gain nothing. */
#include "analyzer/rules/family.h"

static const uint16_t kinds[] = {SC_OP_KERNEL, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	unsigned grid;
	struct sc_finding f;

	(void)state;
	if (!step->is_early || r->op.flags & SC_FLAG_LIBRARY)
		return;
	grid = sc_code_grid(&a->kernels.code, step->primary);
	if (!(grid & SC_GRID_KNOWN) || grid & SC_GRID_TRIGGER)
		return;
	f = sc_finding_begin(SC_RULE_323, NULL, 0, &r->op, r->sequence);
	sc_finding_file(a, &f, NULL, &r->op);
}

const struct sc_rule_family sc_rules_programmatic_launch = {
	.kinds = kinds,
	.routine = kinds,
	.step = check_record,
};
