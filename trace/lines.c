/* Lines: which line of the text form each printed record stands on. */
#include "trace/lines.h"

void sc_lines_fini(struct sc_lines *l)
{
	sc_vector_fini(&l->sequences);
}

void sc_lines_add(struct sc_lines *l, uint64_t sequence)
{
	if (!l->sequences.count || *sc_vector_last(&l->sequences) < sequence)
		sc_vector_push(&l->sequences, sequence);
}

uint64_t sc_lines_find(const struct sc_lines *l, uint64_t sequence)
{
	size_t low = 0, high = l->sequences.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->sequences.items[middle] == sequence)
			return middle + 1;
		if (l->sequences.items[middle] < sequence)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}
