/* Followers: counted for each leader, then put in one array. */
#include "reports/followers.h"

#include <stdlib.h>
#include "base/heap.h"
#include "base/search.h"

static size_t place_of(const struct sc_finding *f, size_t count, uint32_t number)
{
	size_t at;

	SC_SEARCH(at, count, f[at].number < number);
	return at;
}

void sc_followers_init(struct sc_followers *o, const struct sc_analysis *a)
{
	size_t count, *next;
	const struct sc_finding *f = sc_analysis_findings(a, &count);

	o->list = sc_heap_xcalloc(count + 1, sizeof(const struct sc_finding *));
	o->begin = sc_heap_xcalloc(count + 2, sizeof(*o->begin));
	for (size_t i = 0; i < count; i++)
		if (f[i].leader)
			o->begin[place_of(f, count, f[i].leader) + 1]++;
	for (size_t i = 0; i < count; i++)
		o->begin[i + 1] += o->begin[i];
	next = sc_heap_xcalloc(count + 1, sizeof(*next));
	for (size_t i = 0; i < count; i++)
		next[i] = o->begin[i];
	for (size_t i = 0; i < count; i++)
		if (f[i].leader)
			o->list[next[place_of(f, count, f[i].leader)]++] = &f[i];
	free(next);
}

void sc_followers_fini(struct sc_followers *o)
{
	free(o->list);
	free(o->begin);
	*o = (struct sc_followers){0};
}

size_t sc_followers_of(const struct sc_followers *o, size_t at,
		       const struct sc_finding *const **list)
{
	*list = o->list + o->begin[at];
	return o->begin[at + 1] - o->begin[at];
}
