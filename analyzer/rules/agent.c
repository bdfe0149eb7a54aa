/* Rules 165, 406: memory that an agent cannot use, and requests that nobody completed. Races with
 * an agent's operations (160 to 164) are race_base.c's. */
#include <signal.h>
#include <stdbool.h>
#include "analyzer/rules/family.h"
#include "trace/agent.h"

static bool is_for_device_only(const struct sc_use *use)
{
	return use->allocation->kind == SC_MEM_DEVICE || use->shape.memory == SC_MEM_DEVICE;
}

/* Device memory was given to an agent of the host in a call that did not return. */
struct stuck {
	bool is_there;
	struct sc_finding finding;
	struct sc_op op;
};

struct agents {
	bool is_asked; /* for requests that nobody completed */
	struct stuck stuck;
};

/* The program died of it, and not by somebody else's signal. */
static bool is_death(const struct sc_op *exit)
{
	return exit->object == SIGSEGV || exit->object == SIGBUS || exit->object == SIGABRT;
}

/* A library may be built without CUDA above a layer that was built with it; it dies in the call
 * where neither can use the memory. `exit` may be NULL. */
static void file_ability(struct sc_analysis *a, struct sc_finding *f, const struct sc_op *op,
			 const struct sc_op *exit)
{
	bool has_died = exit && is_death(exit) && exit->thread == op->thread;

	if (!has_died && f->confidence == SC_PROVEN) {
		f->confidence = SC_POSSIBLE;
		f->doubt = SC_DOUBT_ANSWER;
	}
	sc_finding_file(a, f, NULL, op);
}

static void file_stuck(struct sc_analysis *a, struct stuck *s, const struct sc_op *exit)
{
	if (s->is_there)
		file_ability(a, &s->finding, &s->op, exit);
	s->is_there = 0;
}

/* B-12. */
static void check_ability(struct sc_analysis *a, struct stuck *s, const struct sc_step *step)
{
	struct sc_finding f;

	for (size_t i = 0; i < a->uses.count; i++) {
		if (!is_for_device_only(&a->uses.items[i]))
			continue;
		f = sc_finding_of_use(a, SC_RULE_165, step, &a->uses.items[i]);
		if (step->op->result == SC_RESULT_PENDING) {
			file_stuck(a, s, NULL);
			*s = (struct stuck){1, f, *step->op};
		} else {
			file_ability(a, &f, step->op, NULL);
		}
		return;
	}
}

/* B-11. One that blocks and has not returned is not the program's to complete. */
static void check_left(void *analysis, const struct sc_op *op, uint64_t sequence)
{
	struct sc_analysis *a = analysis;
	struct sc_finding f = sc_finding_begin(SC_RULE_406, NULL, 0, op, sequence);

	if (op->result == SC_RESULT_PENDING || sc_agent_ability(op) == SC_AGENT_SEEN_BY_KERNELS)
		return;
	sc_finding_file(a, &f, NULL, op);
}

/* A program that leaves with an error has said that it gave up. */
static bool is_leave(const struct sc_agents *agents, const struct sc_op *op)
{
	return op->kind == SC_OP_AGENT_END ? sc_agent_how(op) == SC_AGENT_LEFT
					   : !agents->is_left && !op->value;
}

/* The agent was destroyed while it had the operation. */
static void check_destroyed(struct sc_analysis *a, const struct sc_op *op)
{
	const struct sc_agents *agents = &a->order.agents;

	if (op->kind == SC_OP_AGENT_END && sc_agent_how(op) == SC_AGENT_DESTROYED &&
	    agents->lost_sequence + 1 == op->link)
		check_left(a, &agents->lost, agents->lost_sequence);
}

static const uint16_t kinds[] = {SC_OP_AGENT, SC_OP_AGENT_END, SC_OP_EXIT, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct agents *agents = state;

	if (r->op.kind == SC_OP_AGENT) {
		if (sc_agent_ability(&r->op) == SC_AGENT_HOST_ONLY && step->is_agent)
			check_ability(a, &agents->stuck, step);
		return;
	}
	check_destroyed(a, &r->op);
	if (r->op.kind == SC_OP_EXIT)
		file_stuck(a, &agents->stuck, &r->op);
	if (!agents->is_asked && is_leave(&a->order.agents, &r->op)) {
		agents->is_asked = 1;
		sc_agents_visit(&a->order.agents, check_left, a);
	}
}

static void finish(void *state, struct sc_analysis *a)
{
	struct agents *agents = state;

	file_stuck(a, &agents->stuck, NULL);
}

const struct sc_rule_family sc_rules_agent = {
	.state_bytes = sizeof(struct agents),
	.kinds = kinds,
	.step = check_record,
	.finish = finish,
};
