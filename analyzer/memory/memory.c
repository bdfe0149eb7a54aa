/* Memory: live allocations, freed ones, and the implicit object. */
#include "analyzer/memory/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/assert.h"
#include "base/heap.h"

#define FOUND_SHIFT 21	 /* 2 MiB: allocators of frameworks take such blocks */
#define DEAD_FIRST  4096 /* then those whose addresses are in use again are dropped */

static struct sc_address *address_of(struct sc_range *r)
{
	return (struct sc_address *)r;
}

static struct sc_dead *dead_of(struct sc_range *r)
{
	return (struct sc_dead *)r;
}

void sc_memory_init(struct sc_memory_map *m, struct sc_clock_pool *pool)
{
	sc_assert(pool != NULL);
	*m = (struct sc_memory_map){.notes.pool = pool, .implicit.kind = SC_MEM_PAGEABLE};
}

static void note_change(struct sc_memory_map *m, const struct sc_range *r)
{
	m->recent[m->changes++ % SC_MEMORY_RECENT] = (struct sc_address_range){r->start, r->end};
}

/* ---- physical memory ---- */

static void link_mapping(struct sc_memory_map *m, struct sc_allocation *a)
{
	uint64_t *first = sc_u64_map_get(&m->mapped, a->physical);

	sc_assert(a->physical != 0);
	a->next_mapped = (struct sc_allocation *)(uintptr_t)*first;
	*first = (uintptr_t)a;
}

static void unlink_mapping(struct sc_memory_map *m, struct sc_allocation *a)
{
	uint64_t *first = sc_u64_map_get(&m->mapped, a->physical);
	struct sc_allocation *x = (struct sc_allocation *)(uintptr_t)*first;

	if (x == a) {
		*first = (uintptr_t)a->next_mapped;
		if (!*first)
			sc_u64_map_remove(&m->mapped, a->physical);
		return;
	}
	while (x && x->next_mapped != a)
		x = x->next_mapped;
	if (x)
		x->next_mapped = a->next_mapped;
}

struct sc_allocation *sc_memory_mapped_as(const struct sc_memory_map *m,
					  const struct sc_allocation *a,
					  const struct sc_allocation *after)
{
	const uint64_t *first = after ? NULL : sc_u64_map_find(&m->mapped, a->physical);
	struct sc_allocation *x = after ? after->next_mapped : NULL;

	sc_assert(!after || (a->physical && after->physical == a->physical));
	if (first)
		x = (struct sc_allocation *)(uintptr_t)*first;
	return x == a ? x->next_mapped : x;
}

bool sc_memory_shares(const struct sc_allocation *a, const struct sc_allocation *b, uint64_t *shift)
{
	const struct sc_range *x = &a->home.range, *y = &b->home.range;

	*shift = (y->start - b->offset) - (x->start - a->offset);
	return a->physical == b->physical && a->offset < b->offset + (y->end - y->start) &&
	       b->offset < a->offset + (x->end - x->start);
}

static void take_off(struct sc_memory_map *m, struct sc_allocation *a)
{
	sc_assert(a != &m->implicit && a->home.allocation == a);
	note_change(m, &a->home.range);
	if (a->alias.range.end)
		note_change(m, &a->alias.range);
	sc_ranges_remove(&m->live, &a->home.range);
	if (a->alias.range.end)
		sc_ranges_remove(&m->live, &a->alias.range);
	sc_history_fini(&a->history, &m->notes);
	sc_pieces_forget(&m->pieces, a->home.range.start, a->home.range.end);
	if (a->physical)
		unlink_mapping(m, a);
}

static void drop_oldest_dead(struct sc_memory_map *m)
{
	struct sc_dead *d = m->oldest_dead;

	sc_assert(m->dead_count > 0);
	m->oldest_dead = d->next;
	m->dead_count--;
	if (d->home.end) {
		sc_ranges_remove(&m->dead, &d->home);
		m->forgotten++;
	}
	free(d);
}

/* Drops freed memory whose addresses are in use again; `all`: the rest, too. */
static void sweep_dead(struct sc_memory_map *m, bool all)
{
	struct sc_dead **place = &m->oldest_dead, *d;

	m->youngest_dead = NULL;
	while ((d = *place)) {
		if (d->home.end && !all) {
			m->youngest_dead = d;
			place = &d->next;
			continue;
		}
		*place = d->next;
		m->dead_count--;
		if (d->home.end)
			sc_ranges_remove(&m->dead, &d->home);
		free(d);
	}
}

static void free_ended(struct sc_memory_map *m)
{
	while (m->ended) {
		struct sc_allocation *a = m->ended;

		m->ended = a->next_mapped;
		free(a);
	}
}

void sc_memory_fini(struct sc_memory_map *m)
{
	for (struct sc_range *r; (r = sc_ranges_last(&m->live));) {
		struct sc_allocation *a = address_of(r)->allocation;

		take_off(m, a);
		free(a);
	}
	sweep_dead(m, 1);
	free_ended(m);
	sc_history_fini(&m->implicit.history, &m->notes);
	sc_u64_map_fini(&m->mapped);
	sc_pieces_fini(&m->pieces);
	sc_notes_fini(&m->notes);
}

/* Forgets freed memory at these addresses, because a later allocation covered them. */
static void forget_dead(struct sc_memory_map *m, uint64_t start, uint64_t end)
{
	struct sc_range *r;

	while ((r = sc_ranges_from(&m->dead, start)) && r->start < end) {
		sc_ranges_remove(&m->dead, r);
		dead_of(r)->former_end = r->end;
		r->end = 0; /* it stays in the queue */
	}
}

static struct sc_dead *dead_new(const struct sc_allocation *a, uint64_t sequence)
{
	struct sc_dead *d = sc_heap_xcalloc(1, sizeof(*d));

	d->home = a->home.range;
	d->sequence = a->sequence;
	d->freed = sequence + 1;
	d->kind = a->kind;
	d->is_imported = a->is_imported;
	d->is_graphics = a->resource != 0;
	d->is_graph = a->graph != 0;
	return d;
}

static void enqueue_dead(struct sc_memory_map *m, struct sc_dead *d)
{
	if (!m->oldest_dead)
		m->oldest_dead = d;
	else
		m->youngest_dead->next = d;
	m->youngest_dead = d;
	if (m->remembered && m->dead_count >= m->remembered)
		drop_oldest_dead(m);
	if (++m->dead_count < DEAD_FIRST || m->dead_count < m->dead_most)
		return;
	sweep_dead(m, 0);
	m->dead_most = 2 * m->dead_count;
}

static void bury(struct sc_memory_map *m, struct sc_dead *d)
{
	forget_dead(m, d->home.start, d->home.end);
	sc_ranges_insert(&m->dead, &d->home);
	enqueue_dead(m, d);
}

void sc_memory_end_pageable(struct sc_memory_map *m, uint64_t start, uint64_t end,
			    uint64_t sequence, bool is_frame)
{
	struct sc_dead *d = sc_heap_xcalloc(1, sizeof(*d));

	sc_assert(start < end);
	d->is_frame = is_frame;
	d->home.start = start;
	d->former_end = end;
	d->freed = sequence + 1;
	d->kind = SC_MEM_PAGEABLE;
	m->pageable_ends = 1;
	note_change(m, &(struct sc_range){.start = start, .end = end});
	enqueue_dead(m, d);
}

void sc_memory_end(struct sc_memory_map *m, struct sc_allocation *a, uint64_t sequence)
{
	sc_assert(a->sequence <= sequence + 1);
	take_off(m, a);
	a->history = (struct sc_history){0};
	bury(m, dead_new(a, sequence));
	if (m->ended_by != sequence)
		free_ended(m);
	m->ended_by = sequence;
	a->next_mapped = m->ended; /* rules may still look at what the op used */
	m->ended = a;
}

/* Ends allocations whose end was not seen, to make room for a new one. */
static void end_overlapping(struct sc_memory_map *m, uint64_t start, uint64_t end)
{
	struct sc_range *r;

	while ((r = sc_ranges_from(&m->live, start)) && r->start < end) {
		struct sc_allocation *a = address_of(r)->allocation;

		take_off(m, a);
		free(a);
	}
}

/* [start, start + bytes), cut off at the end of the address space. */
static void set_range(struct sc_address *place, struct sc_allocation *a, uint64_t start,
		      uint64_t bytes)
{
	place->allocation = a;
	place->range.start = start;
	if (__builtin_add_overflow(start, bytes, &place->range.end))
		place->range.end = UINT64_MAX;
}

static bool overlaps(const struct sc_range *a, const struct sc_range *b)
{
	return a->start < b->end && b->start < a->end;
}

void sc_memory_alias(struct sc_memory_map *m, struct sc_allocation *a, uint64_t address)
{
	sc_assert(a != &m->implicit && a->home.range.start < a->home.range.end);
	if (a->alias.range.end || address == UINT64_MAX)
		return;
	set_range(&a->alias, a, address, a->home.range.end - a->home.range.start);
	if (overlaps(&a->alias.range, &a->home.range)) {
		a->alias.range.end = 0;
		return;
	}
	end_overlapping(m, a->alias.range.start, a->alias.range.end);
	sc_ranges_insert(&m->live, &a->alias.range);
	note_change(m, &a->alias.range);
}

/* The owner of the allocation, as far as the op says. */
static void describe(struct sc_allocation *a, const struct sc_op *op)
{
	if (op->flags & SC_FLAG_NODE)
		return; /* its peer is the graph */
	if (op->kind == SC_OP_ALLOC_ASYNC)
		a->pool = op->peer;
	else if (op->kind == SC_OP_ALLOC)
		a->resource = op->peer;
	a->is_imported = op->flags & SC_FLAG_INTERPROCESS;
	if (a->kind == SC_MEM_MANAGED)
		a->attached = op->value == SC_ATTACHED_HOST ? SC_ATTACHED_HOST : SC_ATTACHED_ALL;
}

struct sc_allocation *sc_memory_add(struct sc_memory_map *m, const struct sc_op *op,
				    uint64_t sequence)
{
	struct sc_allocation *a;

	if (!op->dst || !op->bytes || op->dst == UINT64_MAX)
		return NULL;
	a = sc_heap_xlines(sizeof(*a));
	a->sequence = sequence + 1;
	a->id = op->object;
	a->context = op->context;
	a->kind = op->dst_mem;
	a->is_pool = op->flags & SC_FLAG_POOL || op->kind == SC_OP_ALLOC_ASYNC;
	a->is_read_only = op->flags & SC_FLAG_READ_ONLY;
	m->has_read_only |= a->is_read_only;
	a->is_write_combined = op->flags & SC_FLAG_WRITE_COMBINED;
	if (op->kind == SC_OP_PIN)
		a->kind = SC_MEM_REGISTERED;
	else if (op->kind == SC_OP_ALLOC_ASYNC && a->kind == SC_MEM_NONE)
		a->kind = SC_MEM_DEVICE;
	set_range(&a->home, a, op->dst, op->bytes);
	end_overlapping(m, a->home.range.start, a->home.range.end);
	forget_dead(m, a->home.range.start, a->home.range.end);
	sc_ranges_insert(&m->live, &a->home.range);
	note_change(m, &a->home.range);
	if (op->src && op->src != op->dst)
		sc_memory_alias(m, a, op->src);
	describe(a, op);
	if (op->kind == SC_OP_VMM_MAP) {
		a->physical = op->object;
		a->offset = op->value;
	}
	if (a->physical)
		link_mapping(m, a);
	return a;
}

void sc_memory_end_context(struct sc_memory_map *m, uint32_t context, uint64_t sequence)
{
	struct sc_range *r;

	for (r = sc_ranges_from(&m->live, 0); r;) {
		struct sc_address *at = address_of(r);
		struct sc_allocation *a = at->allocation;
		uint64_t next = r->end;

		if (a->context == context && !a->is_pool && !a->physical)
			sc_memory_end(m, a, sequence);
		r = sc_ranges_from(&m->live, next);
	}
}

/* An address range began or ended since the last look-up. */
static void look_again(struct sc_memory_map *m)
{
	const struct sc_range *first = sc_ranges_from(&m->live, 0),
			      *last = sc_ranges_last(&m->live);

	memset(m->found, 0, sizeof(m->found));
	m->found_at = m->changes;
	m->bounds = (struct sc_range){first ? first->start : 0, last ? last->end : 0};
}

struct sc_range sc_memory_bounds(struct sc_memory_map *m)
{
	if (m->found_at != m->changes)
		look_again(m);
	return m->bounds;
}

/* Pointers of launches mostly lead to a few large blocks of an allocator's, and the numbers between
 * them below or above of all memory. */
static const struct sc_range *find_live(struct sc_memory_map *m, uint64_t address)
{
	const struct sc_range **place, *r;

	if (m->found_at != m->changes)
		look_again(m);
	if (address < m->bounds.start || address >= m->bounds.end)
		return NULL;
	place = &m->found[address >> FOUND_SHIFT & (SC_MEMORY_FOUND - 1)];
	r = *place;
	if (r && r->start <= address && address < r->end)
		return r;
	r = sc_ranges_at(&m->live, address);
	if (r)
		*place = r;
	return r;
}

struct sc_allocation *sc_memory_find(struct sc_memory_map *m, uint64_t address, uint64_t *canonical)
{
	const struct sc_range *r = find_live(m, address);
	struct sc_allocation *a;

	if (!r)
		return NULL;
	a = ((const struct sc_address *)r)->allocation;
	*canonical = address - r->start + a->home.range.start;
	return a;
}

uint64_t sc_memory_from(const struct sc_memory_map *m, uint64_t address)
{
	const struct sc_range *r = sc_ranges_from(&m->live, address);

	if (!r)
		return UINT64_MAX;
	return r->start > address ? r->start : address;
}

const struct sc_dead *sc_memory_find_former(const struct sc_memory_map *m, uint64_t address,
					    uint64_t at)
{
	const struct sc_dead *pageable = NULL;

	for (const struct sc_dead *d = m->oldest_dead; d; d = d->next) {
		if (d->home.start > address ||
		    address >= (d->home.end ? d->home.end : d->former_end) ||
		    d->sequence > at + 1 || at >= d->freed)
			continue;
		if (d->kind != SC_MEM_PAGEABLE)
			return d;
		if (!pageable)
			pageable = d;
	}
	return pageable;
}

const struct sc_dead *sc_memory_find_dead(const struct sc_memory_map *m, uint64_t address)
{
	struct sc_range *r = sc_ranges_at(&m->dead, address);

	return r ? dead_of(r) : NULL;
}
