/* Loaded addresses: host accesses beside launches of which not all bytes are known. */
#include "analyzer/rules/race/race_loaded.h"

#include <stdbool.h>

void sc_race_loaded_note(struct sc_loaded_launches *all, struct sc_analysis *a,
			 struct sc_note *note, uint32_t node)
{
	struct sc_loaded_launch new = {sc_note_get(note), node};

	for (size_t i = 0; i < all->list.count; i++) {
		struct sc_note *old = all->list.items[i].note;

		if (old->when.lane != note->when.lane)
			continue;
		all->list.items[i] = new;
		sc_note_put(&a->memory.notes, old);
		return;
	}
	sc_vector_push(&all->list, new);
}

static bool is_in(const sc_conflicts *conflicts, const struct sc_note *note)
{
	for (size_t i = 0; i < conflicts->count; i++)
		if (sc_note_is_same(conflicts->items[i].earlier.note, note))
			return 1;
	return 0;
}

static bool is_reached(const struct sc_allocation *memory)
{
	return memory->sequence &&
	       (memory->kind == SC_MEM_MANAGED || memory->kind == SC_MEM_PINNED ||
		memory->kind == SC_MEM_REGISTERED);
}

/* Drops launches that the host knows to be over. */
static void settle(struct sc_loaded_launches *all, struct sc_analysis *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->list.count; i++) {
		struct sc_loaded_launch *l = &all->list.items[i];
		const struct sc_interval *when = &l->note->when;

		if (sc_order_is_past(&a->order, when->lane, when->position))
			sc_note_put(&a->memory.notes, l->note);
		else
			all->list.items[kept++] = *l;
	}
	all->list.count = kept;
}

void sc_race_loaded_check(struct sc_loaded_launches *all, struct sc_analysis *a,
			  const struct sc_allocation *memory, const struct sc_touch *touch)
{
	struct sc_access shape = sc_shape_linear(touch->first, touch->end - touch->first,
						 SC_READ_WRITE, SC_KNOWN_PARAMETER);

	if (!all->list.count || !is_reached(memory))
		return;
	settle(all, a);
	shape.how = SC_HOW_PTX;
	for (size_t i = 0; i < all->list.count; i++) {
		struct sc_note *n = all->list.items[i].note;
		struct sc_touch earlier;

		if (!sc_interval_unordered(&n->when, &touch->note->when) || is_in(&a->conflicts, n))
			continue;
		sc_touch_init(&earlier, n, all->list.items[i].node, &shape);
		earlier.reason = SC_REASON_POINTER;
		sc_conflicts_add(&a->conflicts, &earlier, touch->first, touch->end, 0);
	}
}

void sc_race_loaded_fini(struct sc_loaded_launches *all, struct sc_analysis *a)
{
	for (size_t i = 0; i < all->list.count; i++)
		sc_note_put(&a->memory.notes, all->list.items[i].note);
	sc_vector_fini(&all->list);
}
