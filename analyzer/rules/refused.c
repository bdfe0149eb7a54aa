/* Copies and fills that the driver refused as invalid, for a reason that the trace shows: rules 143
 * and 318 look at them as if they had run. Nothing else does; a refused call orders nothing. */
#include "analyzer/access/access.h"
#include "analyzer/rules/misuse.h"

#define INVALID_VALUE 1 /* CUDA_ERROR_INVALID_VALUE */

void sc_rules_refused_step(struct sc_analysis *a, const struct sc_record *r,
			   const struct sc_step *step)
{
	struct sc_step as_if = *step;

	if ((step->op->kind != SC_OP_COPY && step->op->kind != SC_OP_SET) ||
	    step->op->result != INVALID_VALUE || step->op->flags & SC_FLAG_CAPTURED)
		return;
	as_if.is_enqueued = 1;
	sc_access_collect(&a->memory, &a->kernels, r, &as_if, &a->uses);
	sc_misuse_read_only(a, &as_if);
	sc_misuse_pool_copy(a, &as_if);
	sc_vector_clear(&a->uses);
}

void sc_rules_refused_finish(struct sc_analysis *a)
{
	(void)a;
}
