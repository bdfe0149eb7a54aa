/* Rule 323: programmatic launches that gain nothing. */
#include "analyzer/state.h"

void sc_rules_weak_step(struct sc_analysis *a, const struct sc_record *r,
			const struct sc_step *step)
{
	unsigned grid;
	struct sc_finding f;

	if (!step->is_early || r->op.flags & SC_FLAG_LIBRARY)
		return;
	grid = sc_code_grid(&a->kernels.code, step->primary);
	if (!(grid & SC_GRID_KNOWN) || grid & SC_GRID_TRIGGER)
		return;
	f = sc_finding_begin(SC_RULE_323, NULL, 0, &r->op, r->sequence);
	sc_finding_file(a, &f, NULL, &r->op);
}

void sc_rules_weak_finish(struct sc_analysis *a)
{
	(void)a;
}
