/* Rule 403: memory pools that die with memory in use. */
#include "analyzer/rules/family.h"

static void file(struct sc_analysis *a, const struct sc_record *r,
		 const struct sc_allocation *memory)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_403, NULL, 0, &r->op, r->sequence);

	sc_finding_add_earlier(&f, memory->sequence - 1, SC_SIDE_CALL);
	f.allocation = memory->sequence;
	sc_finding_file(a, &f, NULL, &r->op);
}

/* `pool` 0: of any pool, or left by a graph (G-13). */
static void check_left(struct sc_analysis *a, const struct sc_record *r, uint32_t pool)
{
	for (struct sc_range *s = sc_ranges_from(&a->memory.live, 0); s;
	     s = sc_ranges_from(&a->memory.live, s->end)) {
		const struct sc_allocation *m = ((struct sc_address *)s)->allocation;

		if (pool ? m->pool == pool : m->is_pool && !m->is_imported)
			file(a, r, m);
	}
}

static const uint16_t kinds[] = {SC_OP_POOL_DESTROY, SC_OP_EXIT, SC_OP_NONE};

/* Memory that is left at the end is a matter of taste: only the strict profile reports it. */
static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	(void)state;
	(void)step;
	if (r->op.kind == SC_OP_POOL_DESTROY && sc_op_took_effect(&r->op) && r->op.object)
		check_left(a, r, r->op.object);
	else if (r->op.kind == SC_OP_EXIT && !r->op.value && a->order.profile == SC_STRICT)
		check_left(a, r, 0);
}

const struct sc_rule_family sc_rules_pool = {
	.kinds = kinds,
	.step = check_record,
};
