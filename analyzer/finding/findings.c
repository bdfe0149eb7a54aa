/* Findings: merging and sorting. */
#include "analyzer/finding/findings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <uthash.h>
#include "base/heap.h"

struct sc_kept_finding {
	uint64_t identity; /* key */
	size_t index;
	UT_hash_handle hh;
};

static bool is_surer(const struct sc_finding *a, const struct sc_finding *b)
{
	if (a->severity != b->severity)
		return a->severity > b->severity;
	return a->confidence > b->confidence;
}

/* Which sides of two findings are in different streams or threads. */
static uint8_t varied(const struct sc_finding *a, const struct sc_finding *b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 2; i++)
		if (a->side[i].stream != b->side[i].stream ||
		    a->side[i].thread != b->side[i].thread)
			bits |= 1U << i;
	return (uint8_t)bits;
}

/* True if the example of `f` is the one that is kept. */
static bool merge(struct sc_finding *into, const struct sc_finding *f)
{
	uint64_t count = into->count + f->count;
	uint8_t varies = into->varies | varied(into, f);
	bool is_taken = is_surer(f, into);

	if (is_taken)
		*into = *f;
	into->count = count;
	into->varies = varies;
	return is_taken;
}

static struct sc_kept_finding *find(const struct sc_findings *all, uint64_t identity)
{
	struct sc_kept_finding *found;

	HASH_FIND(hh, all->by_identity, &identity, sizeof(identity), found);
	return found;
}

uint64_t sc_findings_count(const struct sc_findings *all, uint64_t identity)
{
	const struct sc_kept_finding *found = find(all, identity);

	return found ? all->list.items[found->index].count : 0;
}

struct sc_finding *sc_findings_add(struct sc_findings *all, const struct sc_finding *f)
{
	struct sc_kept_finding *found = find(all, f->identity);

	if (found) {
		struct sc_finding *kept = &all->list.items[found->index];

		return merge(kept, f) ? kept : NULL;
	}
	found = sc_heap_xcalloc(1, sizeof(*found));
	found->identity = f->identity;
	found->index = all->list.count;
	HASH_ADD(hh, all->by_identity, identity, sizeof(found->identity), found);
	sc_vector_push(&all->list, *f);
	return sc_vector_last(&all->list);
}

/* The later side is where the story ends; for one side it is that side. */
static uint64_t position(const struct sc_finding *f)
{
	return f->side[f->sides > 1].op;
}

/* The time that following an advice would save; 0 for every other finding. */
static uint64_t lost(const struct sc_finding *f)
{
	return f->blocked_ns + f->idle_ns + f->held_ns;
}

/* Proven, likely, possible; then what is possible for want of a kernel's code; advice; what other
 * processes of the run have to do with. */
static unsigned section(const struct sc_finding *f)
{
	if (f->remark) /* after all that the trace alone has, so that numbers there stay */
		return 8 + SC_PROVEN - f->confidence;
	if (f->severity == SC_ADVICE)
		return 4 + SC_PROVEN - f->confidence;
	return sc_finding_lacks_code(f) ? 3 : (unsigned)SC_PROVEN - f->confidence;
}

static int compare(const void *left, const void *right)
{
	const struct sc_finding *a = left, *b = right;

	if (section(a) != section(b))
		return section(a) < section(b) ? -1 : 1;
	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (lost(a) != lost(b))
		return lost(a) > lost(b) ? -1 : 1;
	if (position(a) != position(b))
		return position(a) < position(b) ? -1 : 1;
	if (a->side[0].op != b->side[0].op)
		return a->side[0].op < b->side[0].op ? -1 : 1;
	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	return a->identity < b->identity ? -1 : a->identity > b->identity;
}

void sc_findings_sort(struct sc_findings *all)
{
	if (all->list.count)
		qsort(all->list.items, all->list.count, sizeof(*all->list.items), compare);
	for (size_t i = 0; i < all->list.count; i++)
		all->list.items[i].number = (uint32_t)(i + 1);
}

void sc_findings_fini(struct sc_findings *all)
{
	struct sc_kept_finding *found;

	while ((found = all->by_identity)) {
		HASH_DEL(all->by_identity, found);
		free(found);
	}
	sc_vector_fini(&all->list);
}
