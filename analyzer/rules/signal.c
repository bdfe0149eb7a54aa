/* Rules 121, 148, 217, 320: order through memory words and external semaphores (section 10). */
#include <stdbool.h>
#include "analyzer/rules/family.h"
#include "analyzer/rules/in_flight.h"

static struct sc_finding pair_of(unsigned rule, uint64_t earlier, const struct sc_step *step)
{
	struct sc_finding f = sc_finding_begin(rule, NULL, 0, step->op, step->sequence);

	sc_finding_add_earlier(&f, earlier, SC_SIDE_CALL);
	return f;
}

static void file_pair(struct sc_analysis *a, unsigned rule, uint64_t earlier,
		      const struct sc_step *step, bool is_in_doubt)
{
	struct sc_finding f = pair_of(rule, earlier, step);

	if (is_in_doubt) {
		f.confidence = SC_POSSIBLE;
		f.doubt = SC_DOUBT_SIGNAL;
	}
	sc_finding_file(a, &f, NULL, step->op);
}

/* SC-148: such operations work on aligned words of device or page-locked memory, whatever the
 * driver answers. */
static void check_word(struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	bool is_write = op->kind == SC_OP_VALUE_WRITE;
	uint64_t address = is_write ? op->dst : op->src;
	uint8_t memory = is_write ? op->dst_mem : op->src_mem;
	struct sc_finding f;

	if ((!op->bytes || address % op->bytes == 0) && memory != SC_MEM_MANAGED)
		return;
	f = sc_finding_begin(SC_RULE_148, NULL, 0, op, step->sequence);
	f.side[0].address = address;
	f.side[0].bytes = op->bytes;
	f.side[0].mode = is_write ? SC_SIDE_WRITE : SC_SIDE_READ;
	f.fix = memory == SC_MEM_MANAGED ? SC_FIX_DEVICE_WORD : SC_FIX_WHOLE_WORD;
	sc_finding_file(a, &f, NULL, op);
}

/* SC-121: all uses of the semaphore must be over when it is destroyed. */
static void check_destroy(struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_interval *used = sc_signal_pending(&a->order.signals, step);
	struct sc_finding f;

	if (!used)
		return;
	f = pair_of(SC_RULE_121, used->position - 1, step);
	sc_in_flight_judge(a, used->lane, used->position, step, &f);
	sc_finding_file(a, &f, NULL, step->op);
}

/* The host may have written the word before, unseen. */
static bool is_of_host(const struct sc_op *write)
{
	return write->dst_mem == SC_MEM_PINNED || write->dst_mem == SC_MEM_REGISTERED;
}

/* A write that a stream waits for, and work that only such a wait orders. */
static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	(void)state;
	return a->order.signals.by_key != NULL;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	(void)state;
	switch (r->op.kind) {
	case SC_OP_VALUE_WRITE:
	case SC_OP_VALUE_WAIT: check_word(a, step); break;
	case SC_OP_SEMAPHORE_DESTROY:
		if (!sc_op_took_effect(&r->op))
			break;
		check_destroy(a, step);
		sc_signal_destroy(&a->order.signals, step);
		break;
	}
	if (step->waiter)
		file_pair(a, SC_RULE_217, step->waiter - 1, step, is_of_host(&r->op));
	if (step->by_memory)
		file_pair(a, SC_RULE_320, step->by_memory - 1, step, 0);
}

/* SC-148: a wait before the only write that could end it. Whether something that was not seen ended
 * the wait is only known if the host saw its end. */
static void check_wait(struct sc_analysis *a, const struct sc_signal_wait *w)
{
	struct sc_op op = {.kind = SC_OP_VALUE_WAIT, .stream = w->stream, .stack = w->stack};
	struct sc_finding f;

	if (!w->position || !w->own_writer ||
	    sc_clock_at(a->order.host.clock, w->lane) >= w->position)
		return;
	f = sc_finding_begin(SC_RULE_148, NULL, 0, &op, w->sequence);
	f.sides = 2;
	f.side[1] = (struct sc_side){.op = w->own_writer - 1,
				     .mode = SC_SIDE_CALL,
				     .stream = w->stream,
				     .thread = w->thread};
	f.side[0].thread = w->thread;
	f.confidence = SC_POSSIBLE;
	f.doubt = SC_DOUBT_SIGNAL;
	f.fix = SC_FIX_OTHER_STREAM;
	sc_finding_file(a, &f, NULL, &op);
}

static void finish(void *state, struct sc_analysis *a)
{
	(void)state;
	for (struct sc_signal *g = a->order.signals.by_key; g; g = g->hh.next)
		for (unsigned i = 0; i < SC_SIGNAL_WAITS; i++)
			check_wait(a, &g->waits[i]);
}

const struct sc_rule_family sc_rules_signal = {
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
