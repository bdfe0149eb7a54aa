/* The naive model: nodes, edges, transitive closure. */
#include "tests/oracle/naive.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/vector.h"
#include "tests/oracle/words.h"

#define STREAMS	 256
#define CONTEXTS 8
#define EVENTS	 64
#define THREADS	 8
#define SYNCS	 8
#define NONE	 SIZE_MAX

#define KEPT 32

struct interval {
	size_t start, end;
};

struct stream {
	bool exists, is_legacy, is_blocking;
	uint32_t context;
	size_t last;	       /* node after all its ops, or NONE */
	bool has_front;	       /* its last op, records and waits not counted, is a kernel */
	size_t begun;	       /* where that kernel really started */
	struct interval front; /* that kernel */
	size_t waits[KEPT];    /* nodes that it waited for since */
	size_t wait_count;
};

struct edge {
	size_t from, to;
};

/* What a host wait covers, between its BEGIN and END. */
struct pending {
	size_t begin; /* index of the BEGIN */
	SC_VECTOR(size_t) covers;
};

struct naive {
	size_t nodes;
	SC_VECTOR(struct edge) edges;
	SC_VECTOR(struct naive_thing) things;
	SC_VECTOR(struct interval) intervals; /* of the things */
	struct interval *ops;		      /* device interval of each op */
	size_t *returns;		      /* the host's point after each op's call, or NONE */
	struct stream streams[STREAMS];
	size_t events[EVENTS];	/* end node of the current record, or NONE */
	size_t execs[EVENTS];	/* end node of the last launch, or NONE */
	size_t gates[CONTEXTS]; /* after what all later work of a context waits for, or NONE */
	bool is_strict;
	bool by_luck;
	size_t hosts[THREADS]; /* the last point of each thread, or of all in the first */
	size_t syncs[SYNCS];   /* what was released into each object, or NONE */
	SC_VECTOR(struct pending) pending;
	struct words memory;
	size_t words;
	uint64_t *closure; /* nodes x words */
};

static size_t node(struct naive *n)
{
	return n->nodes++;
}

static void edge(struct naive *n, size_t from, size_t to)
{
	if (from != NONE)
		sc_vector_push(&n->edges, ((struct edge){from, to}));
}

static size_t *host_of(struct naive *n, uint32_t thread)
{
	return &n->hosts[n->is_strict ? thread : 0];
}

static void thing(struct naive *n, size_t op, bool is_source_read, size_t start, size_t end)
{
	sc_vector_push(&n->things, ((struct naive_thing){op, is_source_read}));
	sc_vector_push(&n->intervals, ((struct interval){start, end}));
}

/* S-3, both directions: edges into the start of an op of stream s. */
static void implicit_edges(struct naive *n, const struct stream *s, size_t start)
{
	for (size_t i = 0; i < STREAMS; i++) {
		const struct stream *b = &n->streams[i];

		if (!b->exists || b == s || b->context != s->context)
			continue;
		if ((s->is_legacy && b->is_blocking) || (s->is_blocking && b->is_legacy))
			edge(n, b->last, start);
	}
}

/* An op of stream s: start and end nodes after everything that the rules put before it. */
static struct interval stream_op(struct naive *n, struct stream *s)
{
	struct interval x;

	x.start = node(n);
	x.end = node(n);
	edge(n, x.start, x.end);
	edge(n, s->last, x.start);		/* S-1 */
	edge(n, n->gates[s->context], x.start); /* E-9 */
	implicit_edges(n, s, x.start);
	s->last = x.end;
	return x;
}

/* The stream's next op is no record and no wait, so nothing starts early after it but a kernel. */
static void end_front(struct stream *s)
{
	s->has_front = 0;
	s->wait_count = 0;
}

/* The kernels of the scripts: bit 0 waits for the grid that it depends on, bit 1 triggers. */
static bool is_waiting(const struct sc_op *op)
{
	return op->object & 1;
}

static bool is_triggering(const struct sc_op *op)
{
	return op->object & 2;
}

/* L-2: starts where the previous kernel started; its accesses come after the end of that
 * kernel if its code waits. The stream's later ops come after all. Sets the node at which the next
 * one may start: where this one triggers, which without a trigger is after its wait. */
static struct interval early_kernel(struct naive *n, struct stream *s, const struct sc_op *op)
{
	size_t begun = node(n), all = node(n);
	struct interval x = {.start = node(n), .end = node(n)};

	edge(n, begun, x.start);
	edge(n, x.start, x.end);
	edge(n, s->begun, begun);
	if (is_waiting(op))
		edge(n, s->front.end, x.start);
	for (size_t i = 0; i < s->wait_count; i++)
		edge(n, s->waits[i], begun);
	implicit_edges(n, s, begun);
	edge(n, n->gates[s->context], begun);
	edge(n, *host_of(n, op->thread), begun);
	edge(n, s->last, all);
	edge(n, x.end, all);
	s->last = all;
	s->begun = is_triggering(op) ? begun : x.start;
	return x;
}

static struct interval kernel(struct naive *n, struct stream *s, const struct sc_op *op)
{
	bool is_early = op->flags & SC_FLAG_PROGRAMMATIC && s->has_front;
	struct interval x = is_early ? early_kernel(n, s, op) : stream_op(n, s);

	if (!is_early)
		s->begun = x.start;
	s->has_front = 1;
	s->front = x;
	s->wait_count = 0;
	if (op->peer) /* L-3, L-4 */
		n->events[op->peer] = op->flags & SC_FLAG_LAUNCH_COMPLETION ? NONE : s->begun;
	return x;
}

static struct stream *legacy_of(struct naive *n, uint32_t context)
{
	for (size_t i = 0; i < STREAMS; i++)
		if (n->streams[i].exists && n->streams[i].is_legacy &&
		    n->streams[i].context == context)
			return &n->streams[i];
	return NULL;
}

/* C-S6: as if the copy were an op of the other context's legacy stream as well. */
static void peer_edges(struct naive *n, const struct stream *s, uint32_t context,
		       struct interval copy)
{
	struct stream *legacy = legacy_of(n, context);
	struct interval shadow;

	if (!legacy || legacy == s)
		return;
	shadow = stream_op(n, legacy);
	end_front(legacy);
	edge(n, shadow.start, copy.start);
	edge(n, copy.end, shadow.end);
}

/* The nodes that a wait for a stream covers (H-1, S-4), or for a context if s is NULL. */
static void cover(struct naive *n, struct pending *p, const struct stream *s, uint32_t context)
{
	for (size_t i = 0; i < STREAMS; i++) {
		const struct stream *b = &n->streams[i];

		if (!b->exists || b->last == NONE || (s && b != s && !s->is_legacy) ||
		    b->context != context || (s && b != s && !b->is_blocking))
			continue;
		sc_vector_push(&p->covers, b->last);
	}
}

static struct pending *pend(struct naive *n, size_t begin)
{
	sc_vector_push(&n->pending, ((struct pending){.begin = begin}));
	return sc_vector_last(&n->pending);
}

/* The thread's next point; its accesses and calls happen there. */
static size_t host_point(struct naive *n, uint32_t thread)
{
	size_t *host = host_of(n, thread), point = node(n);

	edge(n, *host, point);
	*host = point;
	return point;
}

static void end_wait(struct naive *n, const struct sc_op *op)
{
	size_t point = host_point(n, op->thread);

	n->returns[op->link - 1] = point;
	for (size_t i = 0; i < n->pending.count; i++) {
		struct pending *p = &n->pending.items[i];

		for (size_t j = 0; p->begin == op->link - 1 && j < p->covers.count; j++)
			edge(n, p->covers.items[j], point);
	}
}

/* A wait that is one record: BEGIN and END at once. */
static void begin_wait(struct naive *n, const struct sc_op *op, size_t index)
{
	struct pending *p = pend(n, index);
	const struct stream *s = &n->streams[op->stream];

	if (op->flags & SC_FLAG_UNREAD || (op->flags & SC_FLAG_POOL && !n->by_luck))
		return; /* E-6: nobody looks at the answer, or who does is no part of the program */
	if (op->kind == SC_OP_EVENT_SYNC || op->kind == SC_OP_EVENT_QUERY) {
		if (n->events[op->object] != NONE)
			sc_vector_push(&p->covers, n->events[op->object]);
	} else if (op->kind == SC_OP_CONTEXT_SYNC) {
		cover(n, p, NULL, op->context);
	} else {
		cover(n, p, s, s->context);
	}
}

enum promise { NOTHING, START, END };

/* Section 4, by example: what the host may rely on when a copy returns. */
static enum promise promise_of(const struct sc_op *op)
{
	bool from_host = op->src_mem == SC_MEM_PAGEABLE || op->src_mem == SC_MEM_PINNED;
	bool to_host = op->dst_mem == SC_MEM_PAGEABLE || op->dst_mem == SC_MEM_PINNED;

	if (from_host && to_host)
		return END; /* C-S5, C-A3 */
	if (!(op->flags & SC_FLAG_SYNC))
		return NOTHING; /* C-A1, C-A2, C-A4 */
	if (to_host)
		return END; /* C-S3 */
	if (op->src_mem == SC_MEM_PINNED)
		return END; /* C-S2 */
	if (op->src_mem == SC_MEM_PAGEABLE)
		return START; /* C-S1 */
	return NOTHING;	      /* C-S4, C-S6 */
}

static void copy(struct naive *n, const struct sc_op *op, size_t index, size_t point)
{
	struct stream *s = &n->streams[op->stream];
	struct interval x = stream_op(n, s);
	enum promise promise = promise_of(op);
	struct pending *p = pend(n, index);

	n->ops[index] = x;
	edge(n, point, x.start);
	if (op->flags & SC_FLAG_PEER && s->is_legacy) {
		peer_edges(n, s, op->dst_context, x);
		peer_edges(n, s, op->src_context, x);
	}
	if (promise == START) {
		size_t read = node(n); /* the host reads the source, after what it waited for */

		edge(n, point, read);
		edge(n, x.start, read);
		thing(n, index, 1, read, point);
	}
	if (promise != NOTHING)
		sc_vector_push(&p->covers, promise == START ? x.start : x.end);
	thing(n, index, 0, x.start, x.end);
}

/* Bits of the nodes that lead to one, which gets no further edges; owned by the caller. */
static uint64_t *nodes_before(const struct naive *n, size_t node)
{
	uint64_t *bits = sc_heap_xcalloc(n->nodes / 64 + 1, sizeof(*bits));
	bool is_new = 1;

	while (is_new) {
		is_new = 0;
		for (size_t i = n->edges.count; i-- > 0;) {
			const struct edge *e = &n->edges.items[i];
			bool leads = e->to == node || bits[e->to / 64] >> e->to % 64 & 1;

			if (!leads || bits[e->from / 64] >> e->from % 64 & 1)
				continue;
			bits[e->from / 64] |= UINT64_C(1) << e->from % 64;
			is_new = 1;
		}
	}
	return bits;
}

/* W-1 to W-4 */
static void use_word(struct naive *n, const struct sc_op *op, struct interval x)
{
	uint64_t *before = nodes_before(n, x.start);

	if (!words_is_wait(op->kind)) {
		words_write(&n->memory, op, x.start, x.end, before);
		return;
	}
	edge(n, words_wait(&n->memory, op, before), x.start);
	free(before);
}

static void enqueue(struct naive *n, const struct sc_op *op, size_t index)
{
	struct stream *s = &n->streams[op->stream];
	size_t point = host_point(n, op->thread);
	struct interval x;

	if (op->kind != SC_OP_KERNEL && op->kind != SC_OP_EVENT_RECORD &&
	    op->kind != SC_OP_EVENT_WAIT)
		end_front(s);
	if (op->kind == SC_OP_COPY) {
		copy(n, op, index, point);
		if (op->phase == SC_PHASE_ONCE)
			end_wait(n, &(struct sc_op){.link = index + 1, .thread = op->thread});
		return;
	}
	x = op->kind == SC_OP_KERNEL ? kernel(n, s, op) : stream_op(n, s);
	n->ops[index] = x;
	if (!n->is_strict || (op->kind != SC_OP_EVENT_RECORD && op->kind != SC_OP_EVENT_WAIT))
		edge(n, point, x.start); /* 0.2 */
	if (words_has(op->kind))
		use_word(n, op, x);
	if (op->kind == SC_OP_EVENT_RECORD) {
		n->events[op->object] = x.end;
	} else if (op->kind == SC_OP_EVENT_WAIT) {
		edge(n, n->events[op->object], x.start);
		if (n->events[op->object] != NONE)
			s->waits[s->wait_count++] = n->events[op->object];
	} else {
		thing(n, index, 0, x.start, x.end);
	}
	if (op->kind == SC_OP_GRAPH_LAUNCH) {
		edge(n, n->execs[op->object], x.start); /* G-6 */
		n->execs[op->object] = x.end;
	}
}

/* B-8: after what the host knows, and nothing else. */
static void begin_agent(struct naive *n, const struct sc_op *ops, size_t index)
{
	size_t point = host_point(n, ops[index].thread);
	struct interval x = {node(n), node(n)};

	edge(n, point, x.start);
	edge(n, x.start, x.end);
	n->ops[index] = x;
	thing(n, index, 0, x.start, x.end);
}

/* B-9, B-11: of one, or of all. */
static void end_agent(struct naive *n, const struct sc_op *ops, size_t index)
{
	size_t point = host_point(n, ops[index].thread);

	for (size_t i = 0; i < index; i++)
		if (ops[i].kind == SC_OP_AGENT && (!ops[index].link || ops[index].link == i + 1))
			edge(n, n->ops[i].end, point);
	n->ops[index] = (struct interval){point, point};
}

/* Host code touches memory: on the host's time line, or inside a callback. */
static void host_access(struct naive *n, const struct sc_op *ops, size_t index)
{
	const struct sc_op *op = &ops[index];
	size_t point;

	if (!op->callback) {
		point = host_point(n, op->thread);
		n->ops[index] = (struct interval){point, point};
		thing(n, index, 0, point, point);
		return;
	}
	point = node(n);
	edge(n, n->ops[op->link - 1].start, point); /* C-1 */
	edge(n, point, n->ops[op->link - 1].end);
	n->ops[index] = (struct interval){point, point};
	thing(n, index, 0, point, point);
}

/* E-9: all work of a context so far. What it waits for is no work. */
static void record_context(struct naive *n, const struct sc_op *op, size_t index)
{
	size_t all = node(n);

	for (size_t i = 0; i < STREAMS; i++)
		if (n->streams[i].exists && n->streams[i].context == op->context)
			edge(n, n->streams[i].last, all);
	n->events[op->object] = all;
	n->ops[index] = (struct interval){all, all};
}

/* E-9: every later op of a context, of streams that are created later too. */
static void wait_context(struct naive *n, const struct sc_op *op, size_t index)
{
	size_t gate = node(n);

	edge(n, n->gates[op->context], gate);
	edge(n, n->events[op->object], gate);
	n->gates[op->context] = gate;
	n->ops[index] = (struct interval){gate, gate};
}

/* T-3: objects, and what a thread hands over when it begins another one, or ends before a join. */
static void synchronize(struct naive *n, const struct sc_op *op, size_t index)
{
	size_t point = host_point(n, op->thread), all;

	n->ops[index] = (struct interval){point, point};
	if (op->kind == SC_OP_SYNC_RELEASE) {
		all = node(n);
		edge(n, point, all);
		edge(n, n->syncs[op->object], all);
		n->syncs[op->object] = all;
	} else if (op->kind == SC_OP_SYNC_ACQUIRE) {
		edge(n, n->syncs[op->object], point);
	} else {
		edge(n, n->is_strict ? n->hosts[op->peer] : NONE, point);
	}
}

static void create_stream(struct naive *n, const struct sc_op *op)
{
	n->streams[op->stream] = (struct stream){
		.exists = 1,
		.is_legacy = op->flags & SC_FLAG_LEGACY,
		.is_blocking = !(op->flags & (SC_FLAG_LEGACY | SC_FLAG_NON_BLOCKING)),
		.context = op->context,
		.last = NONE};
}

static void add_op(struct naive *n, const struct sc_op *ops, size_t i)
{
	const struct sc_op *op = &ops[i];

	switch (sc_op_kind_class(op->kind)) {
	case SC_CLASS_DEFINE:
		if (op->kind == SC_OP_STREAM_CREATE)
			create_stream(n, op);
		break;
	case SC_CLASS_ENQUEUE:
		if (op->phase == SC_PHASE_END)
			end_wait(n, op);
		else if (!op->result)
			enqueue(n, op, i);
		break;
	case SC_CLASS_WAIT:
		if (op->phase == SC_PHASE_END)
			end_wait(n, op);
		else if (!op->result)
			begin_wait(n, op, i);
		break;
	case SC_CLASS_HOST:
		if (op->kind == SC_OP_HOST_READ)
			host_access(n, ops, i);
		else if (op->kind == SC_OP_AGENT)
			begin_agent(n, ops, i);
		else if (op->kind == SC_OP_AGENT_END)
			end_agent(n, ops, i);
		else if (op->kind == SC_OP_CONTEXT_RECORD && !op->result)
			record_context(n, op, i);
		else if (op->kind == SC_OP_CONTEXT_WAIT && !op->result)
			wait_context(n, op, i);
		else if (op->kind == SC_OP_SYNC_RELEASE || op->kind == SC_OP_SYNC_ACQUIRE ||
			 op->kind == SC_OP_THREAD_BEGIN || op->kind == SC_OP_THREAD_JOIN)
			synchronize(n, op, i);
		break;
	}
}

static void set(struct naive *n, size_t from, size_t to)
{
	n->closure[from * n->words + to / 64] |= UINT64_C(1) << to % 64;
}

static bool get(const struct naive *n, size_t from, size_t to)
{
	return n->closure[from * n->words + to / 64] >> to % 64 & 1;
}

static void close_paths(struct naive *n)
{
	n->words = (n->nodes + 63) / 64;
	n->closure = sc_heap_xcalloc(n->nodes * n->words, sizeof(*n->closure));
	for (size_t i = 0; i < n->edges.count; i++)
		set(n, n->edges.items[i].from, n->edges.items[i].to);
	for (size_t via = 0; via < n->nodes; via++)
		for (size_t from = 0; from < n->nodes; from++)
			for (size_t w = 0; get(n, from, via) && w < n->words; w++)
				n->closure[from * n->words + w] |= n->closure[via * n->words + w];
}

struct naive *naive_new(const struct sc_op *ops, size_t count, bool is_strict, bool by_luck)
{
	struct naive *n = sc_heap_xcalloc(1, sizeof(*n));

	n->ops = sc_heap_xcalloc(count, sizeof(*n->ops));
	n->returns = sc_heap_xcalloc(count, sizeof(*n->returns));
	memset(n->ops, 0xFF, count * sizeof(*n->ops));
	memset(n->returns, 0xFF, count * sizeof(*n->returns));
	memset(n->events, 0xFF, sizeof(n->events));
	memset(n->execs, 0xFF, sizeof(n->execs));
	memset(n->gates, 0xFF, sizeof(n->gates));
	memset(n->hosts, 0xFF, sizeof(n->hosts));
	memset(n->syncs, 0xFF, sizeof(n->syncs));
	n->is_strict = is_strict;
	n->by_luck = by_luck;
	for (size_t i = 0; i < count; i++)
		add_op(n, ops, i);
	close_paths(n);
	return n;
}

void naive_free(struct naive *n)
{
	for (size_t i = 0; i < n->pending.count; i++)
		sc_vector_fini(&n->pending.items[i].covers);
	sc_vector_fini(&n->pending);
	words_fini(&n->memory);
	sc_vector_fini(&n->edges);
	sc_vector_fini(&n->things);
	sc_vector_fini(&n->intervals);
	free(n->ops);
	free(n->returns);
	free(n->closure);
	free(n);
}

const struct naive_thing *naive_things(const struct naive *n, size_t *count)
{
	*count = n->things.count;
	return n->things.items;
}

/* A path of at least one edge, or one point of the host's time line for both. */
bool naive_before(const struct naive *n, size_t a, size_t b)
{
	return get(n, n->intervals.items[a].end, n->intervals.items[b].start);
}

static bool leads(const struct naive *n, size_t from, size_t to)
{
	return from != NONE && to != NONE && (from == to || get(n, from, to));
}

bool naive_leads(const struct naive *n, struct naive_end a, struct naive_end b)
{
	size_t from = a.is_return ? n->returns[a.op] : n->ops[a.op].end;
	size_t to = b.is_return ? n->returns[b.op] : n->ops[b.op].start;

	return leads(n, from, to);
}
