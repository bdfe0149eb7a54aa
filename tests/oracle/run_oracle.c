/* Compares the ordering engine with the naive model on random scripts.
 *
 * Usage: run_oracle [SCRIPTS [SEED]]. Every pair of things that touch memory is asked in both
 * directions. A difference prints the seed, the script and the pair.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/kernel/code.h"
#include "analyzer/order/order.h"
#include "analyzer/order/trail.h"
#include "base/vector.h"
#include "tests/oracle/naive.h"
#include "trace/agent.h"

#define OPS	     60
#define EVENTS	     4
#define KERNELS	     5 /* the last one like none: no wait, no trigger */
#define EXECS	     2
#define CONTEXTS     2
#define STREAM_IDS   64
#define WORDS	     3
#define HOST_THREADS 3
#define OBJECTS	     2 /* by which they synchronize */
#define WRITES	     8 /* of one word: the engine looks no further back */

struct script {
	SC_VECTOR(struct sc_op) ops;
	SC_VECTOR(uint32_t) streams; /* alive */
	SC_VECTOR(size_t) waits;     /* BEGINs without END */
	SC_VECTOR(size_t) funcs;     /* HOST_FUNCs whose callback may still run */
	SC_VECTOR(size_t) agents;    /* AGENTs without AGENT_END */
	uint32_t next_stream;
	uint32_t next_callback;
	uint32_t writes[2][WORDS];
	uint64_t random;
};

static uint32_t pick(struct script *s, uint32_t below)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (uint32_t)((s->random >> 11) % below);
}

static size_t put(struct script *s, struct sc_op op)
{
	if (!op.thread)
		op.thread = 1 + pick(s, HOST_THREADS);
	sc_vector_push(&s->ops, op);
	return s->ops.count - 1;
}

static void create_stream(struct script *s, uint32_t context, uint32_t flags)
{
	if (s->next_stream >= STREAM_IDS)
		return;
	put(s, (struct sc_op){.kind = SC_OP_STREAM_CREATE,
			      .stream = s->next_stream,
			      .context = context,
			      .flags = flags});
	sc_vector_push(&s->streams, s->next_stream++);
}

static uint32_t random_kind(struct script *s)
{
	static const uint32_t kinds[] = {0, 0, SC_FLAG_NON_BLOCKING, SC_FLAG_PER_THREAD};

	return kinds[pick(s, 4)];
}

static uint32_t any_stream(struct script *s)
{
	return s->streams.items[pick(s, (uint32_t)s->streams.count)];
}

static void put_begin(struct script *s, struct sc_op op)
{
	size_t begin;

	op.phase = SC_PHASE_BEGIN;
	begin = put(s, op);
	sc_vector_push(&s->waits, begin);
}

/* The END of some call that is still inside. */
static void put_end(struct script *s)
{
	uint32_t i;
	struct sc_op op;

	if (!s->waits.count)
		return;
	i = pick(s, (uint32_t)s->waits.count);
	op = s->ops.items[s->waits.items[i]];
	op.phase = SC_PHASE_END;
	op.link = s->waits.items[i] + 1;
	put(s, op);
	s->waits.items[i] = *sc_vector_last(&s->waits);
	s->waits.count--;
}

/* Runs a callback that was enqueued; it touches memory once. */
static void run_callback(struct script *s)
{
	uint32_t i, number;
	size_t func;

	if (!s->funcs.count)
		return;
	i = pick(s, (uint32_t)s->funcs.count);
	func = s->funcs.items[i];
	number = ++s->next_callback;
	s->funcs.items[i] = *sc_vector_last(&s->funcs);
	s->funcs.count--;
	put(s, (struct sc_op){.kind = SC_OP_CALLBACK_BEGIN, .link = func + 1, .callback = number});
	put(s, (struct sc_op){.kind = SC_OP_HOST_READ, .link = func + 1, .callback = number});
	put(s, (struct sc_op){.kind = SC_OP_CALLBACK_END, .link = func + 1, .callback = number});
}

/* A callback that the host waits for runs before the wait returns. */
static void run_callbacks(struct script *s)
{
	while (s->funcs.count)
		run_callback(s);
}

static void put_wait(struct script *s)
{
	static const uint16_t kinds[] = {SC_OP_STREAM_SYNC, SC_OP_STREAM_SYNC,	SC_OP_EVENT_SYNC,
					 SC_OP_EVENT_SYNC,  SC_OP_CONTEXT_SYNC, SC_OP_STREAM_QUERY,
					 SC_OP_EVENT_QUERY};
	static const uint32_t flags[] = {0, SC_FLAG_UNREAD, SC_FLAG_POOL, SC_FLAG_POOL};
	struct sc_op op = {.kind = kinds[pick(s, 7)]};
	bool is_query = op.kind == SC_OP_STREAM_QUERY || op.kind == SC_OP_EVENT_QUERY;

	if (op.kind == SC_OP_STREAM_SYNC || op.kind == SC_OP_STREAM_QUERY)
		op.stream = any_stream(s);
	else if (op.kind == SC_OP_EVENT_SYNC || op.kind == SC_OP_EVENT_QUERY)
		op.object = 1 + pick(s, EVENTS);
	else
		op.context = 1 + pick(s, CONTEXTS);
	if (is_query)
		op.flags = flags[pick(s, 4)];
	op.result = pick(s, 8) ? 0 : 1;
	put_begin(s, op);
	if (pick(s, 3))
		put_end(s);
}

static void put_copy(struct script *s)
{
	static const uint8_t memory[] = {SC_MEM_PAGEABLE, SC_MEM_PINNED, SC_MEM_DEVICE,
					 SC_MEM_DEVICE};
	struct sc_op op = {.kind = SC_OP_COPY, .bytes = 4};

	op.stream = any_stream(s);
	op.src_mem = memory[pick(s, 4)];
	op.dst_mem = memory[pick(s, 4)];
	if (pick(s, 2)) {
		put(s, op);
		return;
	}
	op.flags = SC_FLAG_SYNC;
	if (op.src_mem == SC_MEM_DEVICE && op.dst_mem == SC_MEM_DEVICE && pick(s, 2)) {
		op.flags |= SC_FLAG_PEER;
		op.dst_context = 1 + pick(s, CONTEXTS);
		op.src_context = 1 + pick(s, CONTEXTS);
	}
	put_begin(s, op);
	if (pick(s, 4))
		put_end(s);
}

static void put_host_func(struct script *s)
{
	size_t func = put(s, (struct sc_op){.kind = SC_OP_HOST_FUNC, .stream = any_stream(s)});

	sc_vector_push(&s->funcs, func);
}

static void destroy_stream(struct script *s)
{
	uint32_t i = CONTEXTS + pick(s, (uint32_t)s->streams.count - CONTEXTS);

	put(s, (struct sc_op){.kind = SC_OP_STREAM_DESTROY, .stream = s->streams.items[i]});
	s->streams.items[i] = *sc_vector_last(&s->streams);
	s->streams.count--;
	create_stream(s, 1 + pick(s, CONTEXTS), random_kind(s));
}

static void put_simple(struct script *s, uint16_t kind, uint32_t objects)
{
	put(s, (struct sc_op){.kind = kind,
			      .stream = any_stream(s),
			      .object = objects ? 1 + pick(s, objects) : 0,
			      .result = pick(s, 20) ? 0 : 1});
}

/* Bit 0 of a kernel: it waits for the grid that it depends on; bit 1: it triggers. */
static void put_kernel(struct script *s)
{
	struct sc_op op = {.kind = SC_OP_KERNEL, .object = 1 + pick(s, KERNELS - 1)};

	op.stream = any_stream(s);
	if (pick(s, 2))
		op.flags |= SC_FLAG_PROGRAMMATIC;
	if (!pick(s, 6))
		op.peer = 1 + pick(s, EVENTS);
	if (!pick(s, 2))
		op.flags |= SC_FLAG_LAUNCH_COMPLETION;
	op.result = pick(s, 20) ? 0 : 1;
	put(s, op);
}

/* E-9 */
static void put_wide(struct script *s)
{
	uint16_t kind = pick(s, 2) ? SC_OP_CONTEXT_RECORD : SC_OP_CONTEXT_WAIT;

	put(s, (struct sc_op){.kind = kind,
			      .context = 1 + pick(s, CONTEXTS),
			      .object = 1 + pick(s, EVENTS),
			      .result = pick(s, 20) ? 0 : 1});
}

static const uint64_t values[] = {0, 1, 2, 3, UINT64_MAX, UINT64_C(1) << 31};

/* W-1, W-2: words of four and eight bytes. */
static void put_word(struct script *s)
{
	uint32_t word = pick(s, WORDS);
	bool is_write = pick(s, 2) && s->writes[0][word] < WRITES;
	uint64_t address = 0x1000 + 8 * word;
	struct sc_op op = {.kind = is_write ? SC_OP_VALUE_WRITE : SC_OP_VALUE_WAIT,
			   .stream = any_stream(s),
			   .bytes = word ? 8 : 4,
			   .value = values[pick(s, 6)]};

	if (op.bytes == 4)
		op.value &= UINT32_MAX;
	op.object = is_write ? !pick(s, 8) : pick(s, 4);
	*(is_write ? &op.dst : &op.src) = address;
	s->writes[0][word] += is_write;
	put(s, op);
}

/* W-4 */
static void put_semaphore(struct script *s)
{
	uint32_t semaphore = pick(s, WORDS);
	bool is_write = pick(s, 2) && s->writes[1][semaphore] < WRITES;

	s->writes[1][semaphore] += is_write;
	put(s, (struct sc_op){.kind = is_write ? SC_OP_SIGNAL : SC_OP_SIGNAL_WAIT,
			      .stream = any_stream(s),
			      .object = 1 + semaphore,
			      .value = pick(s, 4)});
}

/* T-3 */
static void put_sync(struct script *s)
{
	static const uint16_t kinds[] = {SC_OP_SYNC_RELEASE, SC_OP_SYNC_ACQUIRE, SC_OP_SYNC_RELEASE,
					 SC_OP_SYNC_ACQUIRE, SC_OP_THREAD_BEGIN, SC_OP_THREAD_JOIN};
	uint16_t kind = kinds[pick(s, 6)];
	bool is_thread = kind == SC_OP_THREAD_BEGIN || kind == SC_OP_THREAD_JOIN;

	put(s, (struct sc_op){.kind = kind,
			      .object = is_thread ? 0 : 1 + pick(s, OBJECTS),
			      .peer = is_thread ? 1 + pick(s, HOST_THREADS) : 0});
}

/* B-8, B-9 */
static void put_agent(struct script *s)
{
	uint32_t i;

	if (!s->agents.count || pick(s, 5) < 3) {
		sc_vector_push(&s->agents, put(s, (struct sc_op){.kind = SC_OP_AGENT}));
		return;
	}
	i = pick(s, (uint32_t)s->agents.count);
	put(s, (struct sc_op){.kind = SC_OP_AGENT_END, .link = s->agents.items[i] + 1});
	s->agents.items[i] = *sc_vector_last(&s->agents);
	s->agents.count--;
}

static void put_any(struct script *s)
{
	switch (pick(s, 19)) {
	case 0:
	case 1: put_kernel(s); break;
	case 2:
		run_callbacks(s);
		put_copy(s);
		break;
	case 3:
	case 4: put_simple(s, SC_OP_EVENT_RECORD, EVENTS); break;
	case 5:
	case 6: put_simple(s, SC_OP_EVENT_WAIT, EVENTS); break;
	case 7: put(s, (struct sc_op){.kind = SC_OP_HOST_READ}); break;
	case 8:
		run_callbacks(s);
		put_wait(s);
		break;
	case 9: put_host_func(s); break;
	case 10: run_callback(s); break;
	case 12: put_wide(s); break;
	case 13: put_word(s); break;
	case 14: put_semaphore(s); break;
	case 15:
	case 16: put_sync(s); break;
	case 17:
	case 18: put_agent(s); break;
	case 11:
		if (pick(s, 2))
			put_simple(s, SC_OP_GRAPH_LAUNCH, EXECS);
		else
			destroy_stream(s);
		break;
	}
}

static void generate(struct script *s, uint64_t seed)
{
	*s = (struct script){.random = seed * UINT64_C(0x9E3779B97F4A7C15) + 1, .next_stream = 1};
	for (uint32_t c = 1; c <= CONTEXTS; c++)
		create_stream(s, c, SC_FLAG_LEGACY);
	for (unsigned i = 0; i < 5; i++)
		create_stream(s, 1 + pick(s, CONTEXTS), random_kind(s));
	while (s->ops.count < OPS)
		put_any(s);
	run_callbacks(s);
	if (pick(s, 2)) /* MPI_Finalize */
		put(s, (struct sc_op){.kind = SC_OP_AGENT_END, .value = SC_AGENT_LEFT});
	put(s, (struct sc_op){.kind = SC_OP_HOST_READ});
}

static void script_fini(struct script *s)
{
	sc_vector_fini(&s->ops);
	sc_vector_fini(&s->streams);
	sc_vector_fini(&s->waits);
	sc_vector_fini(&s->funcs);
	sc_vector_fini(&s->agents);
}

/* What is asked of a script: of each thing a trail, and what it says of each later thing. */
struct question {
	const struct script *script;
	const struct naive *naive;
	const struct naive_thing *things;
	struct sc_trail *trails; /* of the things */
	size_t count;
	unsigned differences, vague, edges;
};

static bool op_of(const void *data, uint64_t sequence, struct sc_op *out)
{
	const struct script *s = data;

	*out = s->ops.items[sequence];
	return 1;
}

/* A host's link stands for the return of a call, that of a host access for the access itself. */
static struct naive_end end_of(const struct question *q, const struct sc_trail_link *link)
{
	const struct sc_op *op = &q->script->ops.items[link->sequence];
	bool is_call = sc_op_kind_class(op->kind) == SC_CLASS_WAIT ||
		       (op->kind == SC_OP_COPY && !link->position);

	return (struct naive_end){link->sequence, is_call};
}

/* Each edge of the path must be a path of the model; a path may end nowhere but at the first op. */
static void check_path(struct question *q, const struct sc_trail *t, uint32_t number)
{
	while (number > 1) {
		const struct sc_trail_link *link = &t->links.items[number - 1];
		const struct sc_trail_link *from = &t->links.items[link->from - 1];

		q->edges++;
		q->vague += link->rule == SC_TRAIL_OTHER;
		if (!link->from || link->from >= number ||
		    !naive_leads(q->naive, end_of(q, from), end_of(q, link))) {
			printf("path from op %llu: no edge %s from op %llu to op %llu\n",
			       (unsigned long long)t->sequence, sc_trail_rows[link->rule].rule,
			       (unsigned long long)from->sequence,
			       (unsigned long long)link->sequence);
			q->differences++;
			return;
		}
		number = link->from;
	}
	q->differences += number != 1;
}

/* Asks all trails about the op of a step. */
static void ask(struct question *q, struct sc_order *o, const struct sc_step *step)
{
	size_t to = 0;

	for (size_t a = 0; a < q->count; a++)
		sc_trail_see(&q->trails[a], o, step);
	while (to < q->count &&
	       (q->things[to].is_source_read || q->things[to].op != step->sequence))
		to++;
	if (to == q->count || !sc_trail_is_moment(step))
		return;
	for (size_t a = 0; a < q->count; a++) {
		struct sc_trail *t = &q->trails[a];
		bool is_after = sc_trail_is_after(t, step);

		if (q->things[a].is_source_read || q->things[a].op >= step->sequence)
			continue;
		if (is_after != naive_before(q->naive, a, to)) {
			printf("trail of op %zu: op %zu after it: %d\n", q->things[a].op,
			       q->things[to].op, is_after);
			q->differences++;
		}
		if (is_after)
			check_path(q, t, sc_trail_reach(t, o, step));
	}
}

static void question_init(struct question *q, const struct script *s, const struct naive *n)
{
	*q = (struct question){.script = s, .naive = n};
	q->things = naive_things(n, &q->count);
	q->trails = calloc(q->count + 1, sizeof(*q->trails));
	for (size_t i = 0; i < q->count; i++) {
		q->trails[i].op_of = op_of;
		q->trails[i].data = s;
		q->trails[i].sequence = q->trails[i].start = q->things[i].op;
		if (s->ops.items[q->things[i].op].callback)
			q->trails[i].start = s->ops.items[q->things[i].op].link - 1;
	}
}

static void question_fini(struct question *q)
{
	for (size_t i = 0; i < q->count; i++)
		sc_trail_fini(&q->trails[i]);
	free(q->trails);
}

/* Feeds the engine; the moments of all things, each with its own clock. */
static void run_engine(struct sc_order *o, const struct script *s, struct question *q,
		       struct sc_interval *whens)
{
	const struct naive_thing *things = q->things;
	size_t count = q->count;
	size_t at = 0;

	for (uint32_t kernel = 1; kernel < KERNELS; kernel++) {
		struct sc_op op = {
			.kind = SC_OP_FUNCTION, .object = kernel, .value = SC_GRID_KNOWN};

		op.value |= kernel & 1 ? SC_GRID_WAIT : 0;
		op.value |= kernel & 2 ? SC_GRID_TRIGGER : 0;
		sc_code_note(o->code, &(struct sc_record){.op = op});
	}
	for (size_t i = 0; i < s->ops.count; i++) {
		struct sc_record r = {.op = s->ops.items[i], .sequence = i};
		struct sc_step step;

		sc_order_step(o, &r, &step);
		ask(q, o, &step);
		for (; at < count && things[at].op == i; at++) {
			bool is_host = things[at].is_source_read || r.op.kind == SC_OP_HOST_READ;

			whens[at] = is_host ? step.host : step.when;
			sc_clock_get(whens[at].start);
		}
	}
}

static void print_script(const struct script *s)
{
	for (size_t i = 0; i < s->ops.count; i++) {
		const struct sc_op *op = &s->ops.items[i];

		printf("%3zu %-14s phase=%u thread=%u stream=%u object=%u peer=%u context=%u "
		       "flags=%x "
		       "mem=%u<-%u at=%llx value=%llx "
		       "result=%d link=%llu callback=%u\n",
		       i, sc_op_kind_text(op->kind), op->phase, op->thread, op->stream, op->object,
		       op->peer, op->context, op->flags, op->dst_mem, op->src_mem,
		       (unsigned long long)(op->dst | op->src), (unsigned long long)op->value,
		       op->result, (unsigned long long)op->link, op->callback);
	}
}

/* The number of pairs on which the two disagree; `by_luck`: with all that is known. */
static unsigned compare(const struct naive *n, const struct naive_thing *things, size_t count,
			const struct sc_interval *whens, bool by_luck)
{
	unsigned differences = 0;

	for (size_t a = 0; a < count; a++) {
		for (size_t b = 0; b < count; b++) {
			struct sc_interval to = whens[b];
			bool engine;

			to.start = by_luck ? to.start : sc_clock_sure(to.start);
			engine = sc_interval_before(&whens[a], &to);
			if (things[a].op == things[b].op ||
			    sc_interval_same(&whens[a], &whens[b]) ||
			    engine == naive_before(n, a, b))
				continue;
			if (!differences++)
				printf("op %zu before op %zu%s: engine says %d\n", things[a].op,
				       things[b].op, by_luck ? "" : " for sure", engine);
		}
	}
	return differences;
}

/* How many edges of paths there were in all, and how many without a rule of their own. */
static unsigned long all_edges, all_vague;

static unsigned run_script(uint64_t seed, bool is_strict)
{
	struct sc_code code = {0};
	struct sc_order o;
	struct script s;
	struct naive *n, *sure;
	struct question q;
	struct sc_interval *whens;
	unsigned differences;

	generate(&s, seed);
	n = naive_new(s.ops.items, s.ops.count, is_strict, 1);
	sure = naive_new(s.ops.items, s.ops.count, is_strict, 0);
	question_init(&q, &s, n);
	whens = calloc(q.count + 1, sizeof(*whens));
	sc_order_init(&o, &(struct sc_analysis_settings){.profile = SC_REFERENCE,
							 .strict_hosts = is_strict});
	o.code = &code;
	run_engine(&o, &s, &q, whens);
	differences = compare(n, q.things, q.count, whens, 1) + q.differences;
	differences += compare(sure, q.things, q.count, whens, 0);
	all_edges += q.edges;
	all_vague += q.vague;
	if (differences) {
		printf("seed %llu, hosts %s: %u pairs differ\n", (unsigned long long)seed,
		       is_strict ? "strict" : "observed", differences);
		print_script(&s);
	}
	for (size_t i = 0; i < q.count; i++)
		sc_clock_put(&o.pool, whens[i].start);
	free(whens);
	question_fini(&q);
	sc_order_fini(&o);
	sc_code_fini(&code);
	naive_free(n);
	naive_free(sure);
	script_fini(&s);
	return differences;
}

int main(int argc, char **argv)
{
	unsigned long scripts = argc > 1 ? strtoul(argv[1], NULL, 0) : 10000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	for (unsigned long i = 0; i < scripts; i++)
		if (run_script(seed + i, 0) || run_script(seed + i, 1))
			return 1;
	printf("%lu scripts from seed %llu: engine and model agree; %lu edges of paths, %lu "
	       "without "
	       "a rule\n",
	       scripts, (unsigned long long)seed, all_edges, all_vague);
	return all_edges < 100 * scripts || all_vague * 1000 > all_edges;
}
