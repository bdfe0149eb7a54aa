/* Rule 131: managed memory of devices that cannot share it with the host (M-7). */
#include <stdbool.h>
#include "analyzer/rules/family.h"
#include "analyzer/rules/lifetime.h"
#include "analyzer/rules/race/race.h"

/* The last kernel of each stream: while one runs, the host keeps away. */
struct attachments {
	SC_VECTOR(struct sc_note *) kernels;
};

static void remember_kernel(struct attachments *s, struct sc_analysis *a,
			    const struct sc_step *step)
{
	struct sc_note *n = sc_race_note(a, step, 0);

	for (size_t i = 0; i < s->kernels.count; i++)
		if (s->kernels.items[i]->op.stream == step->op->stream) {
			sc_note_put(&a->memory.notes, s->kernels.items[i]);
			s->kernels.items[i] = n;
			return;
		}
	sc_vector_push(&s->kernels, n);
}

static void file(struct sc_analysis *a, const struct sc_step *step, const struct sc_use *use,
		 const struct sc_note *earlier)
{
	struct sc_finding f = sc_finding_of_use(a, SC_RULE_131, step, use);

	if (earlier) {
		sc_finding_add_earlier(&f, earlier->sequence, SC_SIDE_CALL);
		f.side[0].stream = earlier->op.stream;
		f.side[0].thread = earlier->op.thread;
	}
	if (f.doubt == SC_DOUBT_NONE && earlier) {
		f.doubt = sc_order_unseen(&a->order, earlier->sequence + 1);
		f.confidence = f.doubt == SC_DOUBT_NONE ? SC_PROVEN : SC_POSSIBLE;
		sc_finding_doubt_luck(a, &earlier->when, &step->host, &f);
	}
	sc_finding_file(a, &f, earlier ? &earlier->op : NULL, step->op);
}

/* While a kernel is active that could use it, the host must not, whether or not that kernel does.
 */
static void check_host(const struct attachments *s, struct sc_analysis *a,
		       const struct sc_step *step, const struct sc_use *use)
{
	const struct sc_allocation *m = use->allocation;

	for (size_t i = 0; i < s->kernels.count; i++) {
		const struct sc_note *n = s->kernels.items[i];

		if (m->attached == SC_ATTACHED_HOST ||
		    (m->attached == SC_ATTACHED_STREAM && n->op.stream != m->attached_to) ||
		    sc_interval_before(&n->when, &step->host) ||
		    sc_order_is_handed(&a->order, &n->when, 0))
			continue;
		file(a, step, use, n);
		return;
	}
}

static void check_uses(const struct attachments *s, struct sc_analysis *a,
		       const struct sc_step *step)
{
	for (size_t i = 0; i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];
		const struct sc_allocation *m = use->allocation;

		if (m->kind != SC_MEM_MANAGED)
			continue;
		if (use->is_host && !step->inside && !step->op->stream)
			check_host(s, a, step, use);
		else if (step->is_enqueued && !use->is_host &&
			 (m->attached == SC_ATTACHED_HOST || (m->attached == SC_ATTACHED_STREAM &&
							      m->attached_to != step->op->stream)))
			file(a, step, use, NULL);
	}
}

/* The work of other streams with the memory has to end before the attachment. */
static void attach(struct sc_analysis *a, const struct sc_step *step)
{
	uint64_t unused;
	struct sc_allocation *m = sc_memory_find(&a->memory, step->op->dst, &unused);

	if (!m || m->kind != SC_MEM_MANAGED)
		return;
	if (step->op->value != SC_ATTACHED_ALL)
		sc_lifetime_check_end(a, step, m, SC_END_ATTACHED, -1);
	m->attached = (uint8_t)step->op->value;
	m->attached_to = step->op->value == SC_ATTACHED_STREAM ? step->op->stream : 0;
}

/* All streams may use the stream's memory again. */
static void detach_stream(struct sc_analysis *a, uint32_t stream)
{
	for (struct sc_range *r = sc_ranges_from(&a->memory.live, 0); r;
	     r = sc_ranges_from(&a->memory.live, r->end)) {
		struct sc_allocation *m = ((struct sc_address *)r)->allocation;

		if (m->attached == SC_ATTACHED_STREAM && m->attached_to == stream)
			m->attached = SC_ATTACHED_ALL;
	}
}

/* On other devices the host may use managed memory at any time. */
static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	(void)state;
	return a->machine.is_exclusive;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct attachments *s = state;
	const struct sc_op *op = &r->op;

	if (!a->machine.is_exclusive || op->phase == SC_PHASE_END)
		return;
	if (op->kind == SC_OP_ATTACH && step->is_enqueued)
		attach(a, step);
	else if (op->kind == SC_OP_STREAM_DESTROY && sc_op_took_effect(op))
		detach_stream(a, op->stream);
	else
		check_uses(s, a, step);
	if (op->kind == SC_OP_KERNEL && step->is_enqueued)
		remember_kernel(s, a, step);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct attachments *s = state;

	for (size_t i = 0; i < s->kernels.count; i++)
		sc_note_put(&a->memory.notes, s->kernels.items[i]);
	sc_vector_fini(&s->kernels);
}

const struct sc_rule_family sc_rules_attach = {
	.state_bytes = sizeof(struct attachments),
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
