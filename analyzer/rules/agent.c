/* Rules 165, 406: memory that an agent cannot use, and requests that nobody completed. Races with
 * an agent's operations (160 to 164) are race_base.c's. */
#include <stdbool.h>
#include "analyzer/rules/family.h"
#include "trace/agent.h"

static bool is_for_device_only(const struct sc_use *use)
{
	return use->allocation->kind == SC_MEM_DEVICE || use->shape.memory == SC_MEM_DEVICE;
}

/* B-12. A library may be built without CUDA above a layer that was built with it; it dies in the
 * call where neither can use the memory. */
static void judge_ability(const struct sc_op *op, struct sc_finding *f)
{
	if (op->result == SC_RESULT_PENDING || f->confidence != SC_PROVEN)
		return;
	f->confidence = SC_POSSIBLE;
	f->doubt = SC_DOUBT_ANSWER;
}

static void check_ability(struct sc_analysis *a, const struct sc_step *step)
{
	struct sc_finding f;

	for (size_t i = 0; i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];

		if (!is_for_device_only(use))
			continue;
		f = sc_finding_of_use(a, SC_RULE_165, step, use);
		judge_ability(step->op, &f);
		sc_finding_file(a, &f, NULL, step->op);
		return;
	}
}

/* B-11. One that blocks and has not returned is not the program's to complete. */
static void check_left(void *analysis, const struct sc_op *op, uint64_t sequence)
{
	struct sc_analysis *a = analysis;
	struct sc_finding f = sc_finding_begin(SC_RULE_406, NULL, 0, op, sequence);

	if (op->result == SC_RESULT_PENDING)
		return;
	if (a->gap) {
		f.confidence = SC_POSSIBLE;
		f.doubt = SC_DOUBT_LOST;
	}
	sc_finding_file(a, &f, NULL, op);
}

/* A program that leaves with an error has said that it gave up. */
static bool is_leave(const struct sc_agents *agents, const struct sc_op *op)
{
	return op->kind == SC_OP_AGENT_END ? op->value == SC_AGENT_LEFT
					   : !agents->is_left && !op->value;
}

static const uint16_t kinds[] = {SC_OP_AGENT, SC_OP_AGENT_END, SC_OP_EXIT, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	bool *is_asked = state;

	if (r->op.kind == SC_OP_AGENT) {
		if (r->op.value == SC_AGENT_HOST_ONLY && step->is_agent)
			check_ability(a, step);
	} else if (!*is_asked && is_leave(&a->order.agents, &r->op)) {
		*is_asked = 1;
		sc_agents_visit(&a->order.agents, check_left, a);
	}
}

const struct sc_rule_family sc_rules_agent = {
	.state_bytes = sizeof(bool),
	.kinds = kinds,
	.step = check_record,
};
