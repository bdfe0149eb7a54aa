/* Tallies: how surely the bytes of each kernel's launches were known. */
#include "analyzer/kernel/kernel_tally.h"

void sc_kernel_tallies_fini(struct sc_kernel_tallies *t)
{
	sc_vector_fini(&t->list);
	sc_u64_map_fini(&t->index);
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

uint64_t sc_kernel_tallies_sum(const struct sc_kernel_tallies *t, unsigned known)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->list.count; i++)
		sum += t->list.items[i].launches[known];
	return sum;
}
