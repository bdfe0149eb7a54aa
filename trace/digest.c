/* Digest: stretches of a trace without what is looked for. */
#include "trace/digest.h"

#include "base/assert.h"

void sc_digest_grow(struct sc_digest *d, uint64_t at, const struct sc_op *op)
{
	if (d->is_off)
		return;
	while (d->stretches.count <= at / SC_DIGEST_SLOTS)
		sc_vector_push(&d->stretches, (struct sc_kinds){0});
	sc_kinds_add(sc_vector_last(&d->stretches), op->kind);
}

void sc_digest_note_odd(struct sc_digest *d, uint64_t at, const struct sc_op *op)
{
	sc_assert(d->is_off || at / SC_DIGEST_SLOTS < d->stretches.count);
	if (d->is_off)
		return;
	if (op->phase != SC_PHASE_ONCE)
		sc_kinds_add(&d->phased, op->kind);
	if (op->kind == SC_OP_KERNEL && op->flags & SC_FLAG_CAPTURED)
		sc_kinds_add(&d->stretches.items[at / SC_DIGEST_SLOTS], SC_KIND_CAPTURED);
}

void sc_digest_stop(struct sc_digest *d)
{
	sc_digest_fini(d);
	d->is_off = 1;
}

void sc_digest_fini(struct sc_digest *d)
{
	sc_vector_fini(&d->stretches);
	*d = (struct sc_digest){0};
}

/* True if the stretch from `at` to `end` has nothing for the walk. */
static bool is_empty(const struct sc_kinds *stretch, struct sc_digest_walk *w, uint64_t at,
		     uint64_t end)
{
	while (w->reached < w->place_count && w->places[w->reached] < at)
		w->reached++;
	return !sc_kinds_meet(stretch, w->kinds) &&
	       (w->reached == w->place_count || w->places[w->reached] >= end);
}

uint64_t sc_digest_skip(const struct sc_digest *d, struct sc_digest_walk *w, uint64_t at)
{
	sc_assert(at >= w->until);
	for (;;) {
		size_t i = at / SC_DIGEST_SLOTS;

		w->until = (uint64_t)(i + 1) * SC_DIGEST_SLOTS;
		if (i + 1 >= d->stretches.count ||
		    !is_empty(&d->stretches.items[i], w, at, w->until))
			return at;
		at = w->until;
	}
}
