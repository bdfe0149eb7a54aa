/* Trail: whence each stream, and the host, learned that the followed op is complete. */
#include "analyzer/order/trail.h"

#include <stdbool.h>
#include "analyzer/graph/exec.h"
#include "base/assert.h"
#include "trace/agent.h"

#define WRITES_KEPT 256

const struct sc_trail_row sc_trail_rows[] = {
#define SC_TRAIL(id, rule, sentence) {rule, sentence},
#include "analyzer/order/trail.def"
#undef SC_TRAIL
};

/* Where something was learned: number of a link, and why that is before. */
struct source {
	uint32_t link; /* 0: not found */
	uint8_t rule;
};

static uint32_t get(const struct sc_u64_map *m, uint64_t key)
{
	const uint64_t *found = sc_u64_map_find(m, key);

	return found ? (uint32_t)*found : 0;
}

static const struct sc_trail_link *link_of(const struct sc_trail *t, uint32_t number)
{
	sc_assert(number > 0 && number <= t->links.count);
	return &t->links.items[number - 1];
}

/* From which op on it is known. */
static uint64_t since(const struct sc_trail *t, uint32_t number)
{
	return number == 1 ? t->start : link_of(t, number)->sequence;
}

/* All zero if it cannot be read any more. */
static struct sc_op op_at(const struct sc_trail *t, uint64_t sequence)
{
	struct sc_op op = {0};

	t->op_of(t->data, sequence, &op);
	return op;
}

static uint32_t add_link(struct sc_trail *t, uint64_t sequence, const struct sc_interval *when,
			 struct source from)
{
	struct sc_trail_link link = {.sequence = sequence, .from = from.link, .rule = from.rule};

	if (when) {
		link.lane = when->lane;
		link.position = when->position;
	}
	sc_vector_push(&t->links, link);
	return (uint32_t)t->links.count;
}

/* Streams that are not named in the trace are those of a context. */
static uint64_t key_of(const struct sc_stream *s)
{
	return s->id ? s->id : UINT64_C(1) << 32 | s->context->id;
}

static void mark(struct sc_trail *t, const struct sc_stream *s, uint32_t link)
{
	sc_vector_push(&t->marks,
		       ((struct sc_trail_mark){.context = s->context->id,
					       .link = link,
					       .is_legacy = sc_stream_is_legacy(s),
					       .is_blocking = sc_stream_is_blocking(s)}));
	*sc_u64_map_get(&t->streams, key_of(s)) = t->marks.count;
}

/* The link of a stream, or 0. */
static uint32_t stream_link(const struct sc_trail *t, uint64_t key)
{
	uint32_t number = get(&t->streams, key);

	return number ? t->marks.items[number - 1].link : 0;
}

/* Threads are one in the observed mode. */
static uint64_t host_key(const struct sc_order *o, const struct sc_op *op)
{
	return o->host.is_strict ? op->thread : 0;
}

static bool is_in_clock(const struct sc_trail *t, const struct sc_clock *c, uint32_t number)
{
	const struct sc_trail_link *link = link_of(t, number);

	return link->position && sc_clock_at(c, link->lane) >= link->position;
}

/* The same of an op, which may be on the link's lane. */
static bool is_before(const struct sc_trail *t, uint32_t number, const struct sc_interval *when)
{
	const struct sc_trail_link *link = link_of(t, number);
	struct sc_interval x = {.lane = link->lane, .position = link->position};

	return link->position && sc_interval_before(&x, when);
}

/* An op of a host thread is followed, too, if the thread has a lane (strict mode). */
static bool covers(const struct sc_trail *t, const struct sc_point *point, struct sc_clock *more)
{
	const struct sc_target target = {.point = *point, .more = more};
	const struct sc_interval first = {.lane = t->first.lane, .position = t->first.position};

	return sc_target_covers(&target, &first);
}

/* What a host wait, or anything else that no clock tells, may have learned from: a marked stream of
 * the context that knew it before an op; UINT32_MAX: of any context. */
static uint32_t any_mark(const struct sc_trail *t, uint32_t context, uint64_t before)
{
	for (size_t i = 0; i < t->marks.count; i++) {
		const struct sc_trail_mark *m = &t->marks.items[i];

		if ((context == UINT32_MAX || m->context == context) && since(t, m->link) <= before)
			return m->link;
	}
	return 0;
}

/* The link of a record that covers the followed op. */
static uint32_t record_link(struct sc_trail *t, uint64_t sequence)
{
	struct sc_op op = op_at(t, sequence);
	uint32_t link;
	uint8_t rule = SC_TRAIL_E1;

	if (sequence == t->sequence)
		return 1;
	if (op.flags & SC_FLAG_NODE)
		return get(&t->execs, op.peer);
	link = stream_link(t, op.stream);
	if (op.kind == SC_OP_CONTEXT_RECORD) {
		rule = SC_TRAIL_E9;
		link = any_mark(t, op.context, sequence);
		if (!link && !t->hosts.count) /* of a green context, or one that has some */
			link = any_mark(t, UINT32_MAX, sequence);
	}
	if (!link || since(t, link) > sequence)
		return 0;
	if (since(t, link) == sequence)
		return link;
	return add_link(t, sequence, NULL, (struct source){link, rule});
}

/* True if the link is a record or wait of an event, which has no work of its own. */
static bool is_only_order(const struct sc_trail *t, uint32_t number)
{
	const struct sc_trail_link *link = link_of(t, number);
	struct sc_op op = op_at(t, link->sequence);

	return link->from && (op.kind == SC_OP_EVENT_WAIT || op.kind == SC_OP_EVENT_RECORD);
}

/* The latest link that a clock has, which is work; the followed op itself at least. */
static struct source any_source(const struct sc_trail *t, const struct sc_clock *c)
{
	for (uint32_t i = (uint32_t)t->links.count; i > 1; i--)
		if (is_in_clock(t, c, i) && !is_only_order(t, i))
			return (struct source){i, SC_TRAIL_OTHER};
	return (struct source){1, SC_TRAIL_OTHER};
}

/* E-14: the event says that the kernel has begun, so what comes before it is before the wait. */
static struct source launch_source(const struct sc_trail *t, const struct sc_event_record *r)
{
	struct sc_op op = op_at(t, r->record - 1);
	uint32_t link = stream_link(t, op.stream);
	const struct sc_clock *begun = sc_event_begun(r);

	if (link && is_only_order(t, link))
		link = link_of(t, link)->from; /* a kernel may start early after it */
	if (link && is_in_clock(t, begun, link))
		return (struct source){link, SC_TRAIL_E14};
	link = any_source(t, begun).link;
	return (struct source){link, SC_TRAIL_E14};
}

/* The record that the event has now, if it covers the followed op. */
static struct source bound_source(struct sc_trail *t, struct sc_order *o, uint32_t event,
				  uint8_t rule)
{
	const struct sc_event *e = sc_event_find(&o->events, event);
	const struct sc_event_record *r = e ? sc_event_bound(e) : NULL;

	if (!r || !covers(t, &r->snapshot, sc_event_begun(r)))
		return (struct source){0};
	if (r->launch)
		return launch_source(t, r);
	return (struct source){record_link(t, r->record - 1), rule};
}

/* Work of streams. */

static uint64_t word_of(const struct sc_op *op)
{
	bool is_semaphore = op->kind == SC_OP_SIGNAL || op->kind == SC_OP_SIGNAL_WAIT;

	return is_semaphore ? UINT64_C(1) << 63 | op->object : op->dst | op->src;
}

static struct source wait_source(struct sc_trail *t, const struct sc_step *step)
{
	for (size_t i = 0; i < t->writes.count; i++)
		if (t->writes.items[i].word == word_of(step->op) &&
		    is_before(t, t->writes.items[i].link, &step->when))
			return (struct source){t->writes.items[i].link, SC_TRAIL_W2};
	return (struct source){0};
}

static struct source implicit_source(const struct sc_trail *t, const struct sc_step *step)
{
	const struct sc_stream *s = step->stream;

	for (size_t i = 0; i < t->marks.count; i++) {
		const struct sc_trail_mark *m = &t->marks.items[i];
		bool is_other = sc_stream_is_legacy(s) ? m->is_blocking
						       : m->is_legacy && sc_stream_is_blocking(s);

		if (is_other && m->context == s->context->id && is_before(t, m->link, &step->when))
			return (struct source){m->link, SC_TRAIL_S3};
	}
	return (struct source){0};
}

static struct source graph_source(struct sc_trail *t, struct sc_order *o,
				  const struct sc_step *step)
{
	struct sc_exec *e = sc_exec_find(&o->execs, step->op->object);
	uint32_t link = get(&t->execs, step->op->object);
	struct source from;

	if (link)
		return (struct source){link, SC_TRAIL_G6};
	for (size_t i = 0; e && e->graph && e->graph->is_sealed && i < e->graph->waits.count; i++) {
		const struct sc_graph_event *w = &e->graph->waits.items[i];

		if (!covers(t, &w->covers, NULL))
			continue;
		from = bound_source(t, o, sc_graph_at(e->graph, w->node)->op.object, SC_TRAIL_G9);
		if (from.link)
			return from;
	}
	return (struct source){0};
}

static struct source peer_source(const struct sc_trail *t, const struct sc_step *step)
{
	for (size_t i = 0; step->transfer.is_barrier && i < t->marks.count; i++) {
		const struct sc_trail_mark *m = &t->marks.items[i];

		if ((m->context == step->op->dst_context || m->context == step->op->src_context) &&
		    is_before(t, m->link, &step->when))
			return (struct source){m->link, SC_TRAIL_CS6};
	}
	return (struct source){0};
}

static uint32_t context_link(const struct sc_trail *t, const struct sc_stream *s)
{
	uint32_t link = get(&t->contexts, s->context->id);

	return link || !s->green ? link : get(&t->contexts, UINT32_MAX);
}

/* What the caller of the op knew. */
static struct source caller_source(const struct sc_trail *t, const struct sc_order *o,
				   const struct sc_step *step)
{
	uint32_t link;

	if (!step->inside)
		return (struct source){get(&t->hosts, host_key(o, step->op)), SC_TRAIL_CALL};
	link = stream_link(t, op_at(t, step->inside->sequence).stream);
	if (link && since(t, link) > step->inside->sequence)
		link = 0;
	if (link && since(t, link) == step->inside->sequence)
		link = link_of(t, link)->from; /* the body is inside its operation, not after it */
	return (struct source){link, SC_TRAIL_C1};
}

/* From which the stream of a step learned; it did not know before. */
static struct source stream_source(struct sc_trail *t, struct sc_order *o,
				   const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	struct source from = {0};

	if (op->kind == SC_OP_EVENT_WAIT)
		from = bound_source(t, o, op->object, SC_TRAIL_E4);
	else if (op->kind == SC_OP_GRAPH_LAUNCH || op->kind == SC_OP_GRAPH_UPLOAD)
		from = graph_source(t, o, step);
	else if (op->kind == SC_OP_VALUE_WAIT || op->kind == SC_OP_SIGNAL_WAIT)
		from = wait_source(t, step);
	if (!from.link && op->kind != SC_OP_EVENT_WAIT && op->kind != SC_OP_EVENT_RECORD)
		from = caller_source(t, o, step);
	if (!from.link)
		from = implicit_source(t, step);
	if (!from.link)
		from = peer_source(t, step);
	if (!from.link)
		from = (struct source){context_link(t, step->stream), SC_TRAIL_E9};
	return from.link ? from : any_source(t, step->when.start);
}

static void see_work(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	struct source from;

	if (stream_link(t, key_of(step->stream)) || !sc_interval_before(&t->first, &step->when))
		return;
	from = stream_source(t, o, step);
	/* A lane that is used again says that the host knows, which is nothing to these two. */
	if (from.rule == SC_TRAIL_OTHER && t->hosts.count &&
	    (step->op->kind == SC_OP_EVENT_RECORD || step->op->kind == SC_OP_EVENT_WAIT))
		return;
	mark(t, step->stream, add_link(t, step->sequence, &step->when, from));
}

/* L-2: whence a kernel that starts early has it, which its stream had by a link. It comes after
 * what records and waits of its stream came after, and perhaps not after earlier kernels. */
static struct source early_source(struct sc_trail *t, struct sc_order *o,
				  const struct sc_step *step, uint32_t link)
{
	const struct sc_trail_link *known = link_of(t, link);

	if (is_only_order(t, link))
		return (struct source){known->from, known->rule};
	if (is_before(t, link, &step->when))
		return (struct source){link, SC_TRAIL_L2};
	return stream_source(t, o, step);
}

/* The link of the step's op itself, which is work that comes after the followed op. A kernel that
 * starts early need not come after what its stream had. */
static uint32_t own_link(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	uint32_t link = stream_link(t, key_of(step->stream));
	struct source from = {link, SC_TRAIL_S1};

	if (!link || since(t, link) == step->sequence)
		return link;
	if (step->is_early)
		from = early_source(t, o, step, link);
	return add_link(t, step->sequence, &step->when, from);
}

/* C-S6: the other contexts' default streams have it from the copy. */
static void see_barrier(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	const uint32_t sides[] = {step->op->dst_context, step->op->src_context};

	for (unsigned i = 0; stream_link(t, key_of(step->stream)) && i < 2; i++) {
		struct sc_context *c = sides[i] ? sc_context_of(&o->streams, sides[i]) : NULL;

		if (c && c->legacy && !stream_link(t, key_of(c->legacy)))
			mark(t, c->legacy, own_link(t, o, step));
	}
}

static void see_write(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	if (step->sequence != t->sequence && !sc_interval_before(&t->first, &step->when))
		return;
	if (t->writes.count == WRITES_KEPT)
		sc_vector_clear(&t->writes);
	sc_vector_push(&t->writes,
		       ((struct sc_trail_write){word_of(step->op), own_link(t, o, step)}));
}

/* What later ops may learn from. */
static void see_carrier(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	switch (step->op->kind) {
	case SC_OP_GRAPH_LAUNCH:
	case SC_OP_GRAPH_UPLOAD:
		if (!get(&t->execs, step->op->object) && stream_link(t, key_of(step->stream)))
			*sc_u64_map_get(&t->execs, step->op->object) = own_link(t, o, step);
		break;
	case SC_OP_VALUE_WRITE:
	case SC_OP_SIGNAL: see_write(t, o, step); break;
	case SC_OP_COPY:
		if (step->transfer.is_barrier && sc_stream_is_legacy(step->stream))
			see_barrier(t, o, step);
		break;
	default: break;
	}
}

/* The host. */

static const struct sc_clock *caller_clock(struct sc_order *o, const struct sc_op *op)
{
	return o->host.is_strict ? sc_host_thread_of(&o->host, op->thread)->clock : o->host.clock;
}

static uint8_t transfer_rule(const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	bool from_host = sc_memory_is_host(op->src_mem) && op->src_mem != SC_MEM_MANAGED;
	bool to_host = sc_memory_is_host(op->dst_mem) && op->dst_mem != SC_MEM_MANAGED;

	if (op->kind == SC_OP_SET)
		return SC_TRAIL_SET;
	if (step->transfer.edge == SC_EDGE_TAIL)
		return SC_TRAIL_CS1;
	if (from_host && to_host)
		return op->flags & SC_FLAG_SYNC ? SC_TRAIL_CS5 : SC_TRAIL_CA3;
	if (!(op->flags & SC_FLAG_SYNC))
		return SC_TRAIL_PROFILE;
	if (to_host)
		return SC_TRAIL_CS3;
	return from_host ? SC_TRAIL_CS2 : SC_TRAIL_PROFILE;
}

/* A wait for a stream, which may be the default stream. */
static struct source sync_source(const struct sc_trail *t, const struct sc_order *o,
				 const struct sc_step *step)
{
	uint32_t link = stream_link(t, step->op->stream);
	const uint64_t *place = sc_u64_map_find(&o->streams.by_id, step->op->stream);
	const struct sc_stream *s = place ? (const struct sc_stream *)(uintptr_t)*place : NULL;

	if (link && since(t, link) < step->sequence)
		return (struct source){link, SC_TRAIL_H1};
	for (size_t i = 0; s && i < t->marks.count; i++) {
		const struct sc_trail_mark *m = &t->marks.items[i];
		bool is_other = sc_stream_is_legacy(s) ? m->is_blocking
						       : m->is_legacy && sc_stream_is_blocking(s);

		/* Of a stream with records and waits only, S-3 has left no link. */
		if (is_other && m->context == s->context->id && since(t, m->link) < step->sequence)
			return (struct source){m->link,
					       sc_stream_is_legacy(s) ? SC_TRAIL_S4 : SC_TRAIL_S3};
	}
	return (struct source){0};
}

/* C-S1 says nothing of the end of the copy itself, only of what came before its start. */
static struct source transfer_source(const struct sc_trail *t, const struct sc_step *step)
{
	uint32_t link = stream_link(t, step->op->stream);
	uint8_t rule = transfer_rule(step);

	if (!link || since(t, link) > step->sequence)
		return (struct source){0};
	if (rule == SC_TRAIL_CS1 && since(t, link) == step->sequence)
		link = link_of(t, link)->from;
	return (struct source){link, rule};
}

/* What comes after an operation of MPI comes after its end: the first op's own, or one that comes
 * after it. */
static struct source agent_source(const struct sc_trail *t, const struct sc_op *op)
{
	bool is_own = op->link == t->sequence + 1 || op->value == SC_AGENT_LEFT;

	return (struct source){is_own ? 1 : get(&t->agents, op->link - 1), SC_TRAIL_B9};
}

/* From which the caller of a step learned; it did not know before. */
static struct source host_source(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	uint32_t context = op->context;

	switch (op->kind) {
	case SC_OP_STREAM_SYNC:
	case SC_OP_STREAM_QUERY: return sync_source(t, o, step);
	case SC_OP_EVENT_SYNC:
	case SC_OP_EVENT_QUERY:
		return (struct source){get(&t->records, step->sequence), SC_TRAIL_E5};
	case SC_OP_COPY:
	case SC_OP_SET: return transfer_source(t, step);
	case SC_OP_CONTEXT_SYNC:
	case SC_OP_CONTEXT_DESTROY:
		return (struct source){any_mark(t, context, step->sequence), SC_TRAIL_H1};
	case SC_OP_SYNC_ACQUIRE:
	case SC_OP_THREAD_BEGIN:
		if (op->object)
			return (struct source){get(&t->syncs, op->object), SC_TRAIL_T3};
		return (struct source){get(&t->hosts, op->peer), SC_TRAIL_T3};
	case SC_OP_THREAD_JOIN: return (struct source){get(&t->hosts, op->peer), SC_TRAIL_T3};
	case SC_OP_AGENT_END: return agent_source(t, op);
	default: return (struct source){any_mark(t, context, step->sequence), SC_TRAIL_H3};
	}
}

static void see_host(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	uint64_t key = host_key(o, step->op);
	const struct sc_clock *c = caller_clock(o, step->op);
	struct source from;

	if (sc_clock_at(c, t->first.lane) < t->first.position || get(&t->hosts, key))
		return;
	from = host_source(t, o, step);
	if (!from.link)
		from = any_source(t, c);
	*sc_u64_map_get(&t->hosts, key) = add_link(t, step->sequence, NULL, from);
}

/* A host wait binds to a record at its BEGIN; its END may come after another record. */
static void note_wait(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	uint32_t link;

	if ((op->kind != SC_OP_EVENT_SYNC && op->kind != SC_OP_EVENT_QUERY) ||
	    op->phase == SC_PHASE_END || (op->phase == SC_PHASE_BEGIN && step->is_finished) ||
	    get(&t->hosts, host_key(o, op)) || get(&t->records, step->sequence))
		return;
	link = bound_source(t, o, op->object, SC_TRAIL_E5).link;
	if (link)
		*sc_u64_map_get(&t->records, step->sequence) = link;
}

static void see_release(struct sc_trail *t, const struct sc_order *o, const struct sc_step *step)
{
	struct source from = caller_source(t, o, step);

	if (step->op->kind != SC_OP_SYNC_RELEASE || !from.link || get(&t->syncs, step->op->object))
		return;
	from.rule = step->inside ? SC_TRAIL_C2 : SC_TRAIL_T3;
	*sc_u64_map_get(&t->syncs, step->op->object) = add_link(t, step->sequence, NULL, from);
}

static void see_agent(struct sc_trail *t, const struct sc_order *o, const struct sc_step *step)
{
	struct source from = caller_source(t, o, step);

	if (step->op->kind != SC_OP_AGENT || !from.link)
		return;
	from.rule = SC_TRAIL_B8;
	*sc_u64_map_get(&t->agents, step->sequence) = add_link(t, step->sequence, NULL, from);
}

/* Later work of the stream comes after the end (B-22). */
static void see_agent_end(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	const struct sc_op *op = step->op;
	struct sc_stream *s;
	struct source from;

	if (op->kind != SC_OP_AGENT_END || !op->stream)
		return;
	s = sc_stream_of(&o->streams, op->stream, op->context);
	from = agent_source(t, op);
	if (from.link && !stream_link(t, key_of(s)) &&
	    sc_clock_at(s->tail.base, t->first.lane) >= t->first.position)
		mark(t, s, add_link(t, step->sequence, NULL, from));
}

/* E-9 */
static void see_context_wait(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	struct source from;
	uint32_t link;

	if (step->op->kind != SC_OP_CONTEXT_WAIT || !sc_op_took_effect(step->op))
		return;
	from = bound_source(t, o, step->op->object, SC_TRAIL_E9);
	if (!from.link)
		return;
	link = add_link(t, step->sequence, NULL, from);
	if (!get(&t->contexts, step->op->context))
		*sc_u64_map_get(&t->contexts, step->op->context) = link;
	if (!get(&t->contexts, UINT32_MAX))
		*sc_u64_map_get(&t->contexts, UINT32_MAX) = link;
}

bool sc_trail_is_moment(const struct sc_step *step)
{
	enum sc_op_class class = sc_op_kind_class(step->op->kind);

	if (class == SC_CLASS_ENQUEUE)
		return step->is_enqueued;
	if (class == SC_CLASS_WAIT)
		return step->is_finished;
	return class == SC_CLASS_HOST;
}

/* When the op of the step happens. */
static const struct sc_interval *moment(const struct sc_step *step)
{
	return step->is_enqueued || step->is_agent ? &step->when : &step->host;
}

static void begin(struct sc_trail *t, const struct sc_step *step)
{
	t->is_begun = 1;
	t->first = *moment(step);
	t->first.start = NULL;
	add_link(t, t->sequence, &t->first, (struct source){0});
	if (step->is_enqueued)
		mark(t, step->stream, 1);
	else if (t->first.is_thread)
		*sc_u64_map_get(&t->hosts, step->op->thread) = 1;
}

/* What a host function does after it signalled is a moment of its own. */
static void begin_inside(struct sc_trail *t, const struct sc_step *step)
{
	t->first = *moment(step);
	t->first.start = NULL;
}

void sc_trail_see(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	if (!t->is_begun && step->sequence == t->start && sc_trail_is_moment(step))
		begin(t, step);
	else if (t->is_begun && t->start != t->sequence && step->sequence == t->sequence)
		begin_inside(t, step);
	if (!t->is_begun || t->first.lane == SC_LANE_HOST)
		return;
	if (step->is_enqueued) {
		see_work(t, o, step);
		see_carrier(t, o, step);
	}
	note_wait(t, o, step);
	see_context_wait(t, o, step);
	see_host(t, o, step);
	see_release(t, o, step);
	see_agent(t, o, step);
	see_agent_end(t, o, step);
}

bool sc_trail_is_after(const struct sc_trail *t, const struct sc_step *step)
{
	return t->is_begun && step->sequence != t->sequence &&
	       sc_interval_before(&t->first, moment(step));
}

/* The link of something that the host does. */
static uint32_t reach_host(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	struct source from = caller_source(t, o, step);

	if (t->first.lane == SC_LANE_HOST)
		from = (struct source){1, SC_TRAIL_HOST};
	else if (!from.link)
		from = any_source(t, step->host.start);
	else if (!step->inside && since(t, from.link) == step->sequence)
		return from.link;
	else if (!step->inside)
		from.rule = SC_TRAIL_HOST;
	return add_link(t, step->sequence, NULL, from);
}

uint32_t sc_trail_reach(struct sc_trail *t, struct sc_order *o, const struct sc_step *step)
{
	sc_assert(sc_trail_is_after(t, step));
	if (!step->is_enqueued)
		return reach_host(t, o, step);
	if (t->first.lane == SC_LANE_HOST)
		return add_link(t, step->sequence, &step->when, (struct source){1, SC_TRAIL_CALL});
	return own_link(t, o, step);
}

void sc_trail_fini(struct sc_trail *t)
{
	sc_vector_fini(&t->links);
	sc_vector_fini(&t->marks);
	sc_vector_fini(&t->writes);
	sc_u64_map_fini(&t->streams);
	sc_u64_map_fini(&t->hosts);
	sc_u64_map_fini(&t->syncs);
	sc_u64_map_fini(&t->agents);
	sc_u64_map_fini(&t->contexts);
	sc_u64_map_fini(&t->execs);
	sc_u64_map_fini(&t->records);
}
