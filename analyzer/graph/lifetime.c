/* Lifetimes: beginnings and ends at one address, paired in the order of the graph. */
#include "analyzer/graph/lifetime.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/assert.h"
#include "base/heap.h"
#include "base/search.h"

/* A node that begins or ends memory. */
struct mark {
	uint64_t address, bytes;
	uint32_t place, rank;
	bool is_end;
};

typedef SC_VECTOR(struct mark) marks;

static int by_address(const void *x, const void *y)
{
	const struct mark *a = x, *b = y;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static void collect(const struct sc_graph_node *nodes, uint32_t count, const uint32_t *rank,
		    marks *out)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct sc_op *op = &nodes[i].op;
		bool is_end = op->kind == SC_OP_FREE_ASYNC;

		if (op->dst && (is_end || (op->kind == SC_OP_ALLOC_ASYNC && op->bytes)))
			sc_vector_push(out,
				       ((struct mark){op->dst, op->bytes, i, rank[i], is_end}));
	}
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_address);
}

static void end_life(struct sc_graph_lifetimes *lives, size_t at, uint32_t place)
{
	lives->all.items[at].end = place;
	lives->of[place] = (uint32_t)at + 1;
}

static void begin_life(struct sc_graph_lifetimes *lives, const struct mark *m)
{
	uint64_t stop = m->address + m->bytes;
	struct sc_graph_lifetime life = {.start = m->address,
					 .stop = stop > m->address ? stop : UINT64_MAX,
					 .begin = m->place,
					 .end = SC_NO_NODE,
					 .rank = m->rank};

	sc_vector_push(&lives->all, life);
	lives->of[m->place] = (uint32_t)lives->all.count;
}

/* The marks of one address: an end is that of the life that began last before it. Ends that no
 * beginning leads to are left over for lives without one. */
static void pair(struct sc_graph_lifetimes *lives, const struct mark *m, size_t count)
{
	size_t first = lives->all.count, next = first;

	for (size_t i = 0; i < count; i++)
		if (!m[i].is_end)
			begin_life(lives, &m[i]);
		else if (lives->all.count > first && sc_vector_last(&lives->all)->end == SC_NO_NODE)
			end_life(lives, lives->all.count - 1, m[i].place);
	for (size_t i = 0; i < count; i++) {
		if (!m[i].is_end || lives->of[m[i].place])
			continue;
		while (next < lives->all.count && lives->all.items[next].end != SC_NO_NODE)
			next++;
		if (next < lives->all.count)
			end_life(lives, next, m[i].place);
	}
}

/* Lives are ordered by their starts here. */
static void make_arenas(struct sc_graph_lifetimes *lives)
{
	struct sc_graph_arena *last = NULL;

	for (uint32_t i = 0; i < lives->all.count; i++) {
		const struct sc_graph_lifetime *life = &lives->all.items[i];

		sc_assert(!i || life[-1].start <= life->start);
		if (!last || life->start >= last->stop) {
			sc_vector_push(&lives->arenas,
				       ((struct sc_graph_arena){.start = life->start,
								.stop = life->stop,
								.first = i}));
			last = sc_vector_last(&lives->arenas);
		}
		last->starts += !last->count || life->start != life[-1].start;
		lives->is_tangled |= last->starts > SC_ARENA_STARTS;
		last->count++;
		last->stays |= life->end == SC_NO_NODE;
		if (life->stop > last->stop)
			last->stop = life->stop;
	}
}

void sc_graph_lifetimes_find(struct sc_graph_lifetimes *lives, const struct sc_graph_rows *rows,
			     const struct sc_graph_node *nodes, uint32_t count)
{
	uint32_t *rank = sc_heap_xcalloc((size_t)count + 1, sizeof(*rank));
	marks all = {0};

	sc_assert(!lives->of && count <= rows->count);
	for (uint32_t i = 0; i < count; i++)
		rank[rows->order[i]] = i;
	collect(nodes, count, rank, &all);
	lives->places = count;
	lives->rank = rank;
	lives->of = sc_heap_xcalloc((size_t)count + 1, sizeof(*lives->of));
	for (size_t i = 0, next; i < all.count; i = next) {
		for (next = i + 1; next < all.count; next++)
			if (all.items[next].address != all.items[i].address)
				break;
		pair(lives, all.items + i, next - i);
	}
	sc_vector_fini(&all);
	make_arenas(lives);
	if (!lives->all.count)
		sc_graph_lifetimes_fini(lives);
}

void sc_graph_lifetimes_fini(struct sc_graph_lifetimes *lives)
{
	sc_vector_fini(&lives->all);
	sc_vector_fini(&lives->arenas);
	free(lives->of);
	free(lives->rank);
	*lives = (struct sc_graph_lifetimes){0};
}

/* ---- questions ---- */

const struct sc_graph_lifetime *sc_graph_lifetimes_of(const struct sc_graph_lifetimes *lives,
						      uint32_t place)
{
	uint32_t at = lives->of && place < lives->places ? lives->of[place] : 0;

	return at ? &lives->all.items[at - 1] : NULL;
}

/* Returns the first of the lives in [from, to), all at one address, that begins after the rank. */
static uint32_t first_after(const struct sc_graph_lifetime *lives, uint32_t from, uint32_t to,
			    uint32_t rank)
{
	size_t i;

	SC_SEARCH(i, to - from, lives[from + i].rank <= rank);
	return from + (uint32_t)i;
}

/* Where the lives that begin at the next address begin. */
static uint32_t next_start(const struct sc_graph_lifetime *lives, uint32_t from, uint32_t to)
{
	uint64_t start = lives[from].start;
	size_t i;

	SC_SEARCH(i, to - from, lives[from + i].start <= start);
	return from + (uint32_t)i;
}

static bool meets(const struct sc_graph_lifetime *life, uint64_t first, uint64_t end)
{
	return life->start < end && first < life->stop;
}

uint32_t sc_graph_lifetimes_miss(const struct sc_graph_rows *rows,
				 const struct sc_graph_lifetime *life, uint32_t row)
{
	sc_assert(row < rows->count && life->begin < rows->count);
	if (row == life->begin || row == life->end || rows->is_large)
		return SC_NO_NODE;
	if (sc_graph_rows_before(rows, row, life->begin))
		return life->begin;
	if (life->end != SC_NO_NODE && sc_graph_rows_before(rows, life->end, row))
		return life->end;
	return SC_NO_NODE;
}

/* Between the two: rather one that is there, then the one that began later. */
static const struct sc_graph_lifetime *better(const struct sc_graph_rows *rows, uint32_t row,
					      const struct sc_graph_lifetime *a,
					      const struct sc_graph_lifetime *b)
{
	bool a_is_there = a && sc_graph_lifetimes_miss(rows, a, row) == SC_NO_NODE;

	if (!a || (!a_is_there && sc_graph_lifetimes_miss(rows, b, row) == SC_NO_NODE))
		return b;
	return a;
}

const struct sc_graph_lifetime *sc_graph_lifetimes_at(const struct sc_graph_lifetimes *lives,
						      const struct sc_graph_rows *rows,
						      uint32_t arena, uint32_t row, uint64_t first,
						      uint64_t end)
{
	const struct sc_graph_lifetime *all = lives->all.items, *found = NULL;
	const struct sc_graph_arena *a;
	uint32_t rank, stop;

	sc_assert(row < rows->count && first < end);
	if (arena >= lives->arenas.count)
		return NULL;
	a = &lives->arenas.items[arena];
	if (a->starts > SC_ARENA_STARTS)
		return NULL;
	rank = lives->rank[row];
	stop = a->first + a->count;
	for (uint32_t from = a->first, to; from < stop; from = to) {
		uint32_t at;

		to = next_start(all, from, stop);
		at = first_after(all, from, to, rank);
		if (at > from && meets(&all[at - 1], first, end))
			found = better(rows, row, found, &all[at - 1]);
		if (at < to && meets(&all[at], first, end))
			found = better(rows, row, found, &all[at]);
	}
	return found;
}
