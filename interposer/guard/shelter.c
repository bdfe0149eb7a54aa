/* Shelters: what calls in progress use is not protected. */
#include "interposer/guard/shelter.h"

#include "interposer/guard/guard.h"
#include "interposer/core/session.h"
#include "interposer/guard/arm.h"
#include "interposer/core/thread.h"
#include "interposer/core/lock.h"

#define NEIGHBOURHOOD 65536 /* bytes of stack: frames this near are on the same one */

bool sc_shelter_holds(const struct sc_shelters *s, uint64_t page, uint64_t *next)
{
	bool is_held = false;

	for (uint32_t i = 0; i < s->used; i++) {
		const struct sc_shelter *e = &s->item[i];

		if (e->low > page && e->low < *next && e->high)
			*next = e->low;
		if (e->high > page && e->high < *next)
			*next = e->high;
		is_held |= e->low <= page && page < e->high;
	}
	return is_held;
}

/* What a thread calls from further up than a call of its own, that one has been left. */
static bool is_left(const struct sc_shelter *e, uint64_t frame)
{
	return e->thread == &sc_self && e->frame < frame && frame - e->frame < NEIGHBOURHOOD;
}

static struct sc_shelter *free_item(struct sc_shelters *s, uint64_t frame)
{
	for (uint32_t i = 0; i < s->used; i++) {
		if (!s->item[i].high || is_left(&s->item[i], frame))
			return &s->item[i];
	}
	return s->used < SC_SHELTERS ? &s->item[s->used++] : NULL;
}

uint32_t sc_shelter_add(uint32_t number, uint64_t low, uint64_t high, const void *frame)
{
	struct sc_guard *g = &sc_guard;
	struct sc_shelter *e;

	sc_lock_get(&g->lock);
	e = number ? &g->shelters.item[number - 1] : free_item(&g->shelters, (uint64_t)frame);
	if (e)
		*e = (struct sc_shelter){.low = low & ~(SC_PAGE - 1),
					 .high = (high + SC_PAGE - 1) & ~(SC_PAGE - 1),
					 .thread = &sc_self,
					 .frame = (uint64_t)frame};
	sc_lock_put(&g->lock);
	if (!e)
		sc_guard_stand_down("page guard: too many calls at a time use CUDA's memory");
	return e ? (uint32_t)(e - g->shelters.item) + 1 : 0;
}

/* With the lock held. */
static void leave(struct sc_guard *g, struct sc_shelter *e)
{
	struct sc_shelter was = *e;

	*e = (struct sc_shelter){0};
	while (g->shelters.used && !g->shelters.item[g->shelters.used - 1].high)
		g->shelters.used--;
	for (unsigned i = 0; i < g->used; i++) {
		const struct sc_arm *a = &g->arm[i];
		uint64_t first = a->first_page > was.low ? a->first_page : was.low;
		uint64_t end = a->end_page < was.high ? a->end_page : was.high;

		if (a->is_live && first < end)
			sc_arm_protect(g, first, end);
	}
}

void sc_shelter_remove(uint32_t number)
{
	struct sc_guard *g = &sc_guard;

	sc_lock_get(&g->lock);
	leave(g, &g->shelters.item[number - 1]);
	sc_lock_put(&g->lock);
}

void sc_shelter_end(void)
{
	struct sc_guard *g = &sc_guard;

	sc_lock_get(&g->lock);
	for (uint32_t i = 0; i < g->shelters.used; i++) {
		if (g->shelters.item[i].high && g->shelters.item[i].thread == &sc_self)
			leave(g, &g->shelters.item[i]);
	}
	sc_lock_put(&g->lock);
}
