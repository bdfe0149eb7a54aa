/* Analyses of traces of which a part is not read yet, or is gone. */
#include "analyzer/parts.h"

#include "analyzer/model/executed_past.h"
#include "analyzer/model/model.h"
#include "analyzer/model/second_pass.h"
#include "base/assert.h"

void sc_analysis_foresee(struct sc_analysis *a, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;
	const struct sc_executed_needs needs = {.launch = a->order.at,
						.execs = a->order.execs.by_id,
						.remembered =
							sc_settings_remembered(&a->settings, 1),
						.is_kept = sc_second_pass_has,
						.data = a->second_pass};

	sc_assert(a->settings.gives_back);
	/* of a graph's launch the last of its records says that it ended */
	if (op->kind == SC_OP_LAUNCH_BYTES && !op->object && op->link - 1 <= a->order.at)
		a->coverage.late_bytes++;
	if (!a->settings.no_footprints)
		sc_executed_take(&a->kernels.executed, r);
	sc_executed_forget(&a->kernels.executed, &needs);
}

void sc_analysis_fetch(struct sc_analysis *a, const struct sc_finding *f)
{
	sc_second_pass_fetch(a->second_pass, a->reader, f);
}

void sc_analysis_adopt(struct sc_analysis *a, const struct sc_finding *f,
		       const struct sc_record *records, size_t count)
{
	uint64_t known = sc_findings_count(&a->findings, f->identity);
	struct sc_finding own = *f;

	own.count = f->count > known ? f->count - known : 0; /* what both have met counts once */
	sc_findings_add(&a->findings, &own);
	for (size_t i = 0; i < count; i++)
		sc_second_pass_add(a->second_pass, &records[i]);
}

void sc_analysis_note_cut(struct sc_analysis *a, const struct sc_judged_part *cut)
{
	a->coverage.cut = *cut;
}
