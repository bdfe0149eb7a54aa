/* Suppress: one stable pass over the sorted findings. */
#include "analyzer/suppress.h"

#include <stdbool.h>
#include "analyzer/state.h"

void sc_analysis_take_out(struct sc_analysis *a,
			  bool (*is_wanted)(void *context, size_t index,
					    const struct sc_finding *f),
			  void *context)
{
	struct sc_finding *items = a->findings.list.items;
	size_t kept = 0, count = a->findings.list.count;

	for (size_t i = 0; i < count; i++)
		if (is_wanted(context, i, &items[i]))
			items[kept++] = items[i];
	a->findings.list.count = kept;
}
