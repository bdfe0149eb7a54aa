/* Copies and fills that the driver refused as invalid, for a reason that the trace shows: rules 143
 * and 318 look at them as if they had run. Nothing else does; a refused call orders nothing. */
#include "analyzer/access/access.h"
#include "analyzer/rules/advice.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/misuse.h"

static const uint16_t kinds[] = {SC_OP_COPY, SC_OP_SET, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct sc_step as_if = *step;

	(void)state;
	if (step->op->result != SC_RESULT_INVALID_VALUE || step->op->flags & SC_FLAG_CAPTURED)
		return;
	as_if.is_enqueued = 1;
	sc_access_collect(&a->memory, &a->kernels, r, &as_if, &a->uses);
	sc_misuse_check_read_only(a, &as_if);
	sc_advice_check_pool_copy(a, &as_if);
	sc_vector_clear(&a->uses);
}

const struct sc_rule_family sc_rules_failed_copy = {
	.kinds = kinds,
	.step = check_record,
};
