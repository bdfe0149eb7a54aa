/* Signals: which write a wait comes after, and for which waits that is not known. */
#include "analyzer/order/signal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/assert.h"
#include "base/heap.h"

#define UNRESOLVED_MAX 256
#define SEMAPHORE      (UINT64_C(1) << 63) /* keys that are no addresses */

void sc_signal_clear(struct sc_signal_set *all, struct sc_signal *g)
{
	for (unsigned i = 0; i < SC_SIGNAL_WRITES; i++)
		sc_point_put(all->streams->pool, &g->writes[i].point);
	for (unsigned i = 0; i < SC_SIGNAL_GONE; i++)
		sc_point_put(all->streams->pool, &g->gone[i].point);
	memset(g->writes, 0, sizeof(g->writes));
	memset(g->gone, 0, sizeof(g->gone));
	memset(g->waits, 0, sizeof(g->waits));
	g->write_count = g->wait_count = 0;
	g->is_spoilt = 0;
}

static void drop(struct sc_signal_set *all, struct sc_signal *g)
{
	HASH_DEL(all->by_key, g);
	sc_signal_clear(all, g);
	free(g);
}

void sc_signals_fini(struct sc_signal_set *all)
{
	while (all->by_key)
		drop(all, all->by_key);
	sc_vector_fini(&all->words);
	for (size_t i = 0; i < all->published.count; i++)
		sc_clock_put(all->streams->pool, all->published.items[i].start);
	sc_vector_fini(&all->published);
	sc_vector_fini(&all->unresolved);
}

/* An address that a memory operation names, and none named before. */
static void add_word(struct sc_signal_set *all, uint64_t address)
{
	size_t at = sc_signal_words_from(all, address);

	sc_assert(!at || all->words.items[at - 1] < address);
	sc_assert(at == all->words.count || all->words.items[at] != address);
	sc_vector_reserve(&all->words, 1);
	memmove(&all->words.items[at + 1], &all->words.items[at],
		(all->words.count - at) * sizeof(*all->words.items));
	all->words.items[at] = address;
	all->words.count++;
	all->words_version++;
}

struct sc_signal *sc_signal_of(struct sc_signal_set *all, uint64_t key)
{
	struct sc_signal *g;

	HASH_FIND(hh, all->by_key, &key, sizeof(key), g);
	if (!g) {
		g = sc_heap_xcalloc(1, sizeof(*g));
		g->key = key;
		HASH_ADD(hh, all->by_key, key, sizeof(g->key), g);
		if (!(key & SEMAPHORE))
			add_word(all, key);
	}
	return g;
}

bool sc_signal_is_word(const struct sc_signal *g)
{
	return !(g->key & SEMAPHORE);
}

/* Addresses without a signal. */
static void drop_words(struct sc_signal_set *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->words.count; i++) {
		uint64_t address = all->words.items[i];
		struct sc_signal *g;

		HASH_FIND(hh, all->by_key, &address, sizeof(address), g);
		if (g)
			all->words.items[kept++] = address;
	}
	all->words.count = kept;
}

void sc_signals_sweep(struct sc_signal_set *all,
		      bool (*is_over)(void *data, const struct sc_signal *g), void *data)
{
	struct sc_signal *g, *next;

	HASH_ITER(hh, all->by_key, g, next)
	if (is_over(data, g))
		drop(all, g);
	drop_words(all);
}

bool sc_signal_is_known(const struct sc_signal *g, const struct sc_clock *host)
{
	for (unsigned i = 0; i < SC_SIGNAL_WRITES; i++)
		if (g->writes[i].point.position && !sc_point_is_in(&g->writes[i].point, host))
			return 0;
	for (unsigned i = 0; i < SC_SIGNAL_GONE; i++)
		if (g->gone[i].point.position && !sc_point_is_in(&g->gone[i].point, host))
			return 0;
	for (unsigned i = 0; i < SC_SIGNAL_WAITS; i++)
		if (sc_clock_at(host, g->waits[i].lane) < g->waits[i].position)
			return 0;
	return 1;
}

static uint64_t key_of(const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_VALUE_WRITE: return op->dst;
	case SC_OP_VALUE_WAIT: return op->src;
	default: return SEMAPHORE | op->object;
	}
}

static uint32_t condition_of(const struct sc_op *op)
{
	return op->kind == SC_OP_VALUE_WAIT ? op->object : SC_VALUE_GEQ;
}

/* W-2, for words of 4 or 8 bytes. */
static bool fulfils(uint64_t found, uint64_t wanted, uint32_t condition, uint64_t bytes)
{
	bool is_wide = bytes != sizeof(uint32_t);

	switch (condition) {
	case SC_VALUE_GEQ:
		return is_wide ? (int64_t)(found - wanted) >= 0
			       : (int32_t)((uint32_t)found - (uint32_t)wanted) >= 0;
	case SC_VALUE_EQ: return found == wanted;
	case SC_VALUE_AND: return (found & wanted) != 0;
	default: return is_wide ? ~(found | wanted) != 0 : (uint32_t) ~(found | wanted) != 0;
	}
}

static void push(struct sc_signal_set *all, struct sc_signal *g, struct sc_step *step)
{
	sc_stream_end_kernel(step->stream);
	sc_stream_push(all->streams, step->stream, step->sequence + 1, &step->when);
	step->is_enqueued = 1;
	g->last = step->when;
	g->last.start = NULL;
}

/* ---- unresolved waits ---- */

bool sc_signal_add_unresolved(struct sc_signal_set *all, const struct sc_step *step)
{
	struct sc_unresolved_wait wait = {
		.when = step->is_enqueued ? step->when : step->host,
		.doubt = sc_signal_doubt(step),
	};

	wait.when.start = NULL; /* only what comes after it is asked for */
	sc_assert(wait.when.position);
	if (all->unresolved.count >= UNRESOLVED_MAX)
		return 0;
	sc_vector_push(&all->unresolved, wait);
	return 1;
}

static bool is_known_to(const struct sc_interval *a, const struct sc_interval *signal)
{
	return sc_interval_same(a, signal) || sc_interval_before(a, signal);
}

enum sc_doubt sc_signal_may_order(const struct sc_signal_set *all, const struct sc_interval *a,
				  const struct sc_interval *b, bool is_callback)
{
	for (size_t i = 0; i < all->unresolved.count; i++) {
		const struct sc_unresolved_wait *w = &all->unresolved.items[i];

		if (sc_interval_before(&w->when, a) != sc_interval_before(&w->when, b))
			return (enum sc_doubt)w->doubt;
	}
	for (size_t i = 0; i < all->published.count; i++) {
		const struct sc_interval *s = &all->published.items[i];

		if ((is_callback || b->entered > s->entered) && is_known_to(a, s))
			return SC_DOUBT_SIGNAL;
	}
	return SC_DOUBT_NONE;
}

/* The other side of a semaphore, if it waits for the signal, knows what came before the signal. Of
 * each stream only the last signal is kept: it knows all that earlier signals know. */
static void publish(struct sc_signal_set *all, const struct sc_step *step)
{
	struct sc_interval when = step->when;

	when.start = sc_clock_get(step->when.start);
	for (size_t i = 0; i < all->published.count; i++) {
		struct sc_interval *s = &all->published.items[i];

		if (s->lane != when.lane)
			continue;
		when.entered = s->entered;
		sc_clock_put(all->streams->pool, s->start);
		*s = when;
		return;
	}
	sc_vector_push(&all->published, when);
}

/* ---- writes ---- */

/* Keeps one write of each stream: the last one that lost its place implies those before it. */
static void retire(struct sc_signal_set *all, struct sc_signal *g, struct sc_signal_write *w)
{
	for (unsigned i = 0; i < SC_SIGNAL_GONE; i++) {
		struct sc_signal_write *x = &g->gone[i];

		if (x->point.position && x->stream != w->stream)
			continue;
		sc_point_put(all->streams->pool, &x->point);
		*x = *w;
		return;
	}
	sc_point_put(all->streams->pool, &w->point);
	g->is_spoilt = 1;
}

void sc_signal_add(struct sc_signal_set *all, struct sc_signal *g,
		   const struct sc_signal_write *write)
{
	struct sc_signal_write *w = &g->writes[g->write_count++ % SC_SIGNAL_WRITES];

	sc_assert(write->point.position > 0);
	if (w->point.position)
		retire(all, g, w);
	*w = *write;
}

/* Notes an earlier wait that this write fulfils: the wait was enqueued before its producer. */
static void meet_waits(struct sc_signal *g, struct sc_step *step)
{
	const struct sc_op *op = step->op;

	for (unsigned i = 0; i < SC_SIGNAL_WAITS; i++) {
		struct sc_signal_wait *w = &g->waits[i];

		if (!w->position || !fulfils(op->value, w->value, w->condition, op->bytes))
			continue;
		if (w->stream == op->stream) {
			w->own_writer = step->sequence + 1;
			continue;
		}
		step->waiter = w->sequence + 1;
		w->position = 0;
	}
}

static void write_value(struct sc_signal_set *all, struct sc_step *step)
{
	const struct sc_op *op = step->op;
	struct sc_signal *g = sc_signal_of(all, key_of(op));
	struct sc_signal_write w = {.value = op->value,
				    .sequence = step->sequence,
				    .stream = op->stream,
				    .is_barrier = op->kind != SC_OP_VALUE_WRITE || !op->object};

	sc_assert(op->kind == SC_OP_VALUE_WRITE || op->kind == SC_OP_SIGNAL);
	push(all, g, step);
	w.point = sc_point_get(&step->stream->tail);
	sc_signal_add(all, g, &w);
	if (op->kind == SC_OP_SIGNAL)
		publish(all, step);
	else
		meet_waits(g, step);
}

/* What the word is afterwards depends on what it was, and others may change it in between: a
 * counter may end any wait for it, now or later, and none for certain. */
static void reduce(struct sc_signal_set *all, struct sc_step *step)
{
	struct sc_signal *g = sc_signal_of(all, key_of(step->op));

	push(all, g, step);
	g->is_spoilt = 1;
	for (unsigned i = 0; i < SC_SIGNAL_WAITS; i++)
		if (g->waits[i].stream != step->op->stream)
			g->waits[i].position = 0;
}

void sc_signal_write(struct sc_signal_set *all, struct sc_step *step)
{
	if (step->op->kind == SC_OP_VALUE_WRITE && step->op->object & SC_VALUE_REDUCED) {
		reduce(all, step);
		return;
	}
	write_value(all, step);
}

/* ---- waits ---- */

/* True if x comes after w for certain. */
static bool is_later(const struct sc_signal_write *x, const struct sc_signal_write *w)
{
	if (!x->point.position || x == w)
		return 0;
	if (x->stream == w->stream || !w->stream)
		return x->sequence > w->sequence;
	return sc_point_is_in(&w->point, x->point.base);
}

/* True if a later write has replaced the value, and the waiting stream comes after that write. */
static bool is_replaced(const struct sc_signal *g, const struct sc_signal_write *w,
			const struct sc_stream *s)
{
	for (unsigned i = 0; i < SC_SIGNAL_WRITES; i++) {
		const struct sc_signal_write *x = &g->writes[i];

		if (is_later(x, w) && (!x->stream || sc_stream_knows(s, &x->point)))
			return 1;
	}
	return 0;
}

/* If the host knows of a write, and can access the memory, the host may have replaced the value:
 * that is not seen while the device does not use the memory. */
static bool may_be_undone(const struct sc_clock *host, const struct sc_op *wait,
			  const struct sc_signal_write *w)
{
	bool is_host = wait->kind == SC_OP_VALUE_WAIT &&
		       (wait->src_mem == SC_MEM_PINNED || wait->src_mem == SC_MEM_REGISTERED);

	return is_host && sc_point_is_in(&w->point, host);
}

static bool has_gone(const struct sc_signal *g, const struct sc_stream *s)
{
	for (unsigned i = 0; i < SC_SIGNAL_GONE; i++)
		if (g->gone[i].point.position && !is_replaced(g, &g->gone[i], s))
			return 1;
	return 0;
}

/* What a wait may come after. */
struct source {
	const struct sc_signal_write *certain; /* what it certainly comes after, or NULL */
	bool is_open;			       /* others than memory operations may fulfil it */
};

/* The write that the wait certainly comes after: the first of those that may fulfil it, if they
 * stand in one stream. */
static struct source source_of(const struct sc_signal *g, const struct sc_step *step,
			       const struct sc_clock *host)
{
	const struct sc_op *op = step->op;
	const struct sc_signal_write *first = NULL;

	if (g->is_spoilt || has_gone(g, step->stream))
		return (struct source){.is_open = 1};
	for (unsigned i = 0; i < SC_SIGNAL_WRITES; i++) {
		const struct sc_signal_write *w = &g->writes[i];
		bool may = w->is_vague || fulfils(w->value, op->value, condition_of(op), op->bytes);

		if (!w->point.position || !may || is_replaced(g, w, step->stream))
			continue;
		if (w->is_other || may_be_undone(host, op, w))
			return (struct source){.is_open = 1};
		if (!w->is_barrier || (first && first->stream != w->stream))
			return (struct source){0};
		if (!first || w->sequence < first->sequence)
			first = w;
	}
	return (struct source){first, 0};
}

static void remember_wait(struct sc_signal *g, const struct sc_step *step)
{
	const struct sc_op *op = step->op;

	sc_assert(step->is_enqueued);
	g->waits[g->wait_count++ % SC_SIGNAL_WAITS] =
		(struct sc_signal_wait){.value = op->value,
					.sequence = step->sequence,
					.stream = op->stream,
					.thread = op->thread,
					.stack = op->stack,
					.condition = condition_of(op),
					.lane = step->when.lane,
					.position = step->when.position};
}

bool sc_signal_wait(struct sc_signal_set *all, struct sc_step *step, const struct sc_clock *host)
{
	struct sc_stream *s = step->stream;
	struct sc_signal *g = sc_signal_of(all, key_of(step->op));
	struct source source = source_of(g, step, host);
	const struct sc_signal_write *w = source.certain;
	bool is_memory = step->op->kind == SC_OP_VALUE_WAIT;

	sc_assert(step->op->kind == SC_OP_VALUE_WAIT || step->op->kind == SC_OP_SIGNAL_WAIT);
	if (w && !sc_stream_knows(s, &w->point)) {
		sc_clock_join_point(all->streams->pool, &s->tail.base, &w->point);
		s->is_by_memory |= is_memory;
		if (is_memory)
			s->by_memory = (struct sc_by_memory){.wait = step->sequence + 1,
							     .lane = w->point.lane,
							     .position = w->point.position};
	}
	push(all, g, step);
	if (!w && is_memory &&
	    !source.is_open) /* what ends the wait for a semaphore may be another side's signal */
		remember_wait(g, step);
	return w && is_memory; /* others may signal a semaphore, too */
}

/* An event that covers the write, or may cover it, makes up for it. */
static bool is_covered(const struct sc_by_memory *m, const struct sc_stream *s)
{
	struct sc_interval write = {.lane = m->lane, .position = m->position};
	struct sc_wait w;

	for (uint32_t i = 0; sc_wait_log_at(&s->waits, i, &w); i++)
		if (w.kind == SC_WAIT_FOREIGN || sc_target_covers(&w.covers, &write))
			return 1;
	return 0;
}

uint64_t sc_signal_alone(struct sc_step *step)
{
	struct sc_stream *s = step->stream;

	sc_assert(s->is_by_memory && s->by_memory.wait <= step->sequence);
	s->is_by_memory = 0;
	return is_covered(&s->by_memory, s) ? 0 : s->by_memory.wait;
}

const struct sc_interval *sc_signal_pending(const struct sc_signal_set *all,
					    const struct sc_step *step)
{
	uint64_t key = SEMAPHORE | step->op->object;
	const struct sc_signal *g;

	HASH_FIND(hh, all->by_key, &key, sizeof(key), g);
	return g && !sc_interval_before(&g->last, &step->host) ? &g->last : NULL;
}

void sc_signal_destroy(struct sc_signal_set *all, const struct sc_step *step)
{
	uint64_t key = SEMAPHORE | step->op->object;
	struct sc_signal *g;

	HASH_FIND(hh, all->by_key, &key, sizeof(key), g);
	if (g)
		drop(all, g);
}
