/* Lines: which line of the text form each printed record stands on. */
#include "trace/lines.h"
#include "base/assert.h"
#include "base/search.h"

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
	size_t i;

	SC_SEARCH(i, l->sequences.count, l->sequences.items[i] < sequence);
	sc_assert(!i || l->sequences.items[i - 1] < sequence);
	return i < l->sequences.count && l->sequences.items[i] == sequence ? i + 1 : 0;
}
