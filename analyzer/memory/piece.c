/* Pieces: those that live, those that were given back, and the last whose addresses are taken. */
#include "analyzer/memory/piece.h"

#include <stdlib.h>
#include "base/heap.h"
#include "base/assert.h"

static struct sc_piece *piece_of(struct sc_range *r)
{
	return (struct sc_piece *)r;
}

static void drop(struct sc_piece *p)
{
	sc_vector_fini(&p->users);
	free(p);
}

static void drop_all(struct sc_ranges *set)
{
	for (struct sc_range *r; (r = sc_ranges_last(set));) {
		sc_ranges_remove(set, r);
		drop(piece_of(r));
	}
}

void sc_pieces_fini(struct sc_pieces *all)
{
	drop_all(&all->live);
	drop_all(&all->dead);
	free(all->former);
	all->former = NULL;
}

/* Its addresses are in use again. */
static void keep_former(struct sc_pieces *all, const struct sc_piece *p)
{
	struct sc_piece *place;

	if (!all->former)
		all->former = sc_heap_xcalloc(SC_PIECES_FORMER, sizeof(*all->former));
	place = &all->former[all->former_count++ % SC_PIECES_FORMER];
	*place = *p;
	place->users.items = NULL;
	place->users.count = place->users.room = 0;
}

static void take_over(struct sc_pieces *all, uint64_t start, uint64_t end, uint64_t sequence)
{
	struct sc_range *r;

	sc_assert(start < end);
	while ((r = sc_ranges_from(&all->live, start)) && r->start < end) {
		struct sc_piece *p = piece_of(r);

		sc_ranges_remove(&all->live, r);
		p->ended = sequence + 1; /* unseen */
		keep_former(all, p);
		drop(p);
	}
	while ((r = sc_ranges_from(&all->dead, start)) && r->start < end) {
		sc_ranges_remove(&all->dead, r);
		keep_former(all, piece_of(r));
		drop(piece_of(r));
	}
}

struct sc_piece *sc_pieces_add(struct sc_pieces *all, uint64_t start, uint64_t bytes,
			       uint64_t sequence)
{
	struct sc_piece *p;
	uint64_t end;

	if (!start || !bytes || __builtin_add_overflow(start, bytes, &end))
		return NULL;
	take_over(all, start, end, sequence);
	p = sc_heap_xcalloc(1, sizeof(*p));
	p->range.start = start;
	p->range.end = end;
	p->begun = sequence + 1;
	sc_ranges_insert(&all->live, &p->range);
	return p;
}

struct sc_piece *sc_pieces_at(const struct sc_pieces *all, uint64_t address)
{
	return all->live.count ? piece_of(sc_ranges_at(&all->live, address)) : NULL;
}

const struct sc_piece *sc_pieces_dead_at(const struct sc_pieces *all, uint64_t address)
{
	return all->dead.count ? piece_of(sc_ranges_at(&all->dead, address)) : NULL;
}

static bool held(const struct sc_piece *p, uint64_t address, uint64_t at)
{
	return p->range.start <= address && address < p->range.end && p->begun <= at + 1 &&
	       at < p->ended;
}

const struct sc_piece *sc_pieces_former(const struct sc_pieces *all, uint64_t address, uint64_t at)
{
	uint64_t kept = all->former_count < SC_PIECES_FORMER ? all->former_count : SC_PIECES_FORMER;
	const struct sc_piece *dead = sc_pieces_dead_at(all, address);

	if (dead && held(dead, address, at))
		return dead;
	for (uint64_t i = 0; i < kept; i++)
		if (held(&all->former[i], address, at))
			return &all->former[i];
	return NULL;
}

void sc_pieces_end(struct sc_pieces *all, struct sc_piece *p, uint64_t sequence)
{
	sc_assert(!p->ended && p->begun <= sequence + 1);
	sc_ranges_remove(&all->live, &p->range);
	p->ended = sequence + 1;
	sc_vector_fini(&p->users);
	sc_ranges_insert(&all->dead, &p->range);
	all->changes++;
}

static void forget(struct sc_ranges *set, uint64_t start, uint64_t end)
{
	struct sc_range *r;

	while ((r = sc_ranges_from(set, start)) && r->start < end) {
		sc_ranges_remove(set, r);
		drop(piece_of(r));
	}
}

void sc_pieces_forget(struct sc_pieces *all, uint64_t start, uint64_t end)
{
	sc_assert(start < end);
	forget(&all->live, start, end);
	forget(&all->dead, start, end);
}
