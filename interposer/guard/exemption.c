/* Exemptions: what calls in progress use is not protected. */
#include "interposer/guard/exemption.h"

#include <stddef.h>
#include "interposer/core/raw.h"
#include "interposer/core/thread.h"

#define NEIGHBOURHOOD 65536 /* bytes of stack: frames this near are on the same one */

bool sc_exemption_holds(const struct sc_exemptions *s, uint64_t page, uint64_t *next)
{
	bool is_held = false;

	for (uint32_t i = 0; i < s->used; i++) {
		const struct sc_exemption *e = &s->item[i];

		if (e->low > page && e->low < *next && e->high)
			*next = e->low;
		if (e->high > page && e->high < *next)
			*next = e->high;
		is_held |= e->low <= page && page < e->high;
	}
	return is_held;
}

/* What a thread calls from further up than a call of its own, that one has been left. */
static bool is_left(const struct sc_exemption *e, uint64_t frame)
{
	return e->thread == &sc_self && e->frame < frame && frame - e->frame < NEIGHBOURHOOD;
}

static struct sc_exemption *free_item(struct sc_exemptions *s, uint64_t frame)
{
	for (uint32_t i = 0; i < s->used; i++) {
		if (!s->item[i].high || is_left(&s->item[i], frame))
			return &s->item[i];
	}
	return s->used < SC_EXEMPTIONS ? &s->item[s->used++] : NULL;
}

uint32_t sc_exemption_set(struct sc_exemptions *s, uint32_t number, uint64_t low, uint64_t high,
			  uint64_t frame)
{
	struct sc_exemption *e = number ? &s->item[number - 1] : free_item(s, frame);

	if (!e)
		return 0;
	*e = (struct sc_exemption){.low = low & ~(SC_PAGE - 1),
				   .high = (high + SC_PAGE - 1) & ~(SC_PAGE - 1),
				   .thread = &sc_self,
				   .frame = frame};
	return (uint32_t)(e - s->item) + 1;
}

struct sc_exemption sc_exemption_take(struct sc_exemptions *s, struct sc_exemption *e)
{
	struct sc_exemption was = *e;

	*e = (struct sc_exemption){0};
	while (s->used && !s->item[s->used - 1].high)
		s->used--;
	return was;
}
