/* Shares: equal parts of what is left. */
#include "extensions/live/shares.h"

void sc_shares_begin(struct sc_shares *s, uint64_t bound)
{
	s->bound = bound;
	s->ended = 0;
	sc_vector_clear(&s->living);
	sc_vector_clear(&s->others);
}

void sc_shares_add(struct sc_shares *s, struct sc_disk *d, bool lives)
{
	if (lives) {
		sc_vector_push(&s->living, d);
		return;
	}
	s->ended += sc_giver_used(&d->giver);
	sc_vector_push(&s->others, d);
}

void sc_shares_give_out(struct sc_shares *s)
{
	uint64_t left = s->bound > s->ended ? s->bound - s->ended : 0;
	uint64_t share = left / (s->living.count ? s->living.count : 1);

	if (share < SC_SHARE_LEAST)
		share = SC_SHARE_LEAST;
	for (size_t i = 0; i < s->living.count; i++)
		sc_disk_share(s->living.items[i], share, false);
	for (size_t i = 0; i < s->others.count; i++)
		sc_disk_share(s->others.items[i], s->others.items[i]->bound,
			      s->ended > s->bound / 2);
}

void sc_shares_fini(struct sc_shares *s)
{
	sc_vector_fini(&s->living);
	sc_vector_fini(&s->others);
}
