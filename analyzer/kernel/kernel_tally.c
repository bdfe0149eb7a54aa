/* Tallies: how surely the bytes of each kernel's launches were known. */
#include "analyzer/kernel/kernel_tally.h"

#include <stdbool.h>
#include <string.h>

#define NAMES_MOST 65536 /* of kernels that are launched no more; the others share a row */

void sc_kernel_tallies_fini(struct sc_kernel_tallies *t)
{
	sc_vector_fini(&t->list);
	sc_u64_map_fini(&t->index);
	sc_u64_map_fini(&t->ended);
}

static struct sc_kernel_tally *tally_of(struct sc_kernel_tallies *t, uint32_t kernel)
{
	uint32_t *recent = &t->recent[kernel % SC_TALLIES_RECENT];
	uint64_t *place;

	if (*recent && t->list.items[*recent - 1].kernel == kernel)
		return &t->list.items[*recent - 1];
	place = sc_u64_map_get(&t->index, kernel);
	if (!*place) {
		sc_vector_push(&t->list, ((struct sc_kernel_tally){.kernel = kernel}));
		*place = t->list.count;
	}
	*recent = (uint32_t)*place;
	return &t->list.items[*place - 1];
}

void sc_kernel_tallies_add(struct sc_kernel_tallies *t, uint32_t kernel, unsigned known,
			   uint8_t reason)
{
	struct sc_kernel_tally *tally = tally_of(t, kernel);

	if (!tally->reason || (known == SC_TALLY_OPEN && !tally->launches[known]))
		tally->reason = reason;
	tally->launches[known]++;
}

/* Drops the rows that were added to others; the order stays. */
static void close_up(struct sc_kernel_tallies *t)
{
	size_t kept = 0;

	sc_u64_map_fini(&t->index);
	for (size_t i = 0; i < t->list.count; i++) {
		if (t->list.items[i].is_merged)
			continue;
		t->list.items[kept++] = t->list.items[i];
		*sc_u64_map_get(&t->index, t->list.items[kept - 1].kernel) = kept;
	}
	t->list.count = kept;
	t->merged = 0;
	memset(t->recent, 0, sizeof(t->recent));
}

static uint64_t hash_of(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	return h;
}

static void add_row(struct sc_kernel_tally *to, const struct sc_kernel_tally *from)
{
	for (unsigned i = 0; i < SC_TALLY_KNOWNS; i++)
		to->launches[i] += from->launches[i];
	if (!to->reason)
		to->reason = from->reason;
}

void sc_kernel_tallies_end(struct sc_kernel_tallies *t, uint32_t kernel, const char *name)
{
	const uint64_t *own = sc_u64_map_find(&t->index, kernel), *other;
	struct sc_kernel_tally *row = own ? &t->list.items[*own - 1] : NULL;
	uint64_t *first;

	if (!row)
		return;
	first = sc_u64_map_get(&t->ended, t->ended.count < NAMES_MOST ? hash_of(name) : 0);
	other = *first ? sc_u64_map_find(&t->index, *first - 1) : NULL;
	if (!other || other == own) {
		*first = kernel + UINT64_C(1);
		return;
	}
	add_row(&t->list.items[*other - 1], row);
	*row = (struct sc_kernel_tally){.kernel = kernel, .is_merged = 1};
	sc_u64_map_remove(&t->index, kernel);
	t->recent[kernel % SC_TALLIES_RECENT] = 0;
	if (++t->merged > t->list.count / 2)
		close_up(t);
}

void sc_kernel_tallies_finish(struct sc_kernel_tallies *t)
{
	if (t->merged)
		close_up(t);
}

uint64_t sc_kernel_tallies_sum(const struct sc_kernel_tallies *t, unsigned known)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->list.count; i++)
		sum += t->list.items[i].launches[known];
	return sum;
}
