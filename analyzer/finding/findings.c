/* Findings: merging and sorting. */
#include "analyzer/finding/findings.h"

#include <stdbool.h>
#include <stdlib.h>
#include "base/hash.h"
#include "base/heap.h"
#include "base/map.h"

struct sc_kept_finding {
	uint64_t identity; /* key */
	size_t index;
	UT_hash_handle hh;
};

/* A gate asks for what is certain first: a possible error is less than a proven warning. */
static bool is_surer(const struct sc_finding *a, const struct sc_finding *b)
{
	if (a->confidence != b->confidence)
		return a->confidence > b->confidence;
	if (a->severity != b->severity)
		return a->severity > b->severity;
	return a->rule < b->rule;
}

/* Which sides of two findings are in different streams or threads, by those of the first. */
static uint8_t varied(const struct sc_finding *a, const struct sc_finding *b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 2; i++) {
		const struct sc_side *x = &a->side[i], *y = &b->side[i ^ (a->begins != b->begins)];

		bits |= x->stream != y->stream ? 5U << i : 0;
		bits |= x->thread != y->thread ? 1U << i : 0;
	}
	return (uint8_t)bits;
}

/* Bits of the one as they are of the other, which may have the two sides in the opposite order. */
static uint8_t turned_bits(unsigned bits, const struct sc_finding *a, const struct sc_finding *b)
{
	if (a->begins == b->begins)
		return (uint8_t)bits;
	return (uint8_t)((bits & 5U) << 1 | (bits & 10U) >> 1);
}

/* True if the example of `f` is the one that is kept. */
static bool merge(struct sc_finding *into, const struct sc_finding *f)
{
	uint64_t count = into->count + f->count, turned;
	bool is_taken = is_surer(f, into);
	uint8_t varies = is_taken ? f->varies | turned_bits(into->varies, into, f)
				  : into->varies | turned_bits(f->varies, into, f);

	varies |= is_taken ? varied(f, into) : varied(into, f);

	turned = into->turned + (into->begins == f->begins ? f->turned : f->count - f->turned);
	if (is_taken && into->begins != f->begins)
		turned = count - turned;
	if (is_taken)
		*into = *f;
	into->count = count;
	into->turned = turned;
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

/* Which findings became one. */
struct merging {
	struct sc_finding *items;
	size_t count, former;
	struct sc_u64_map by_key; /* index + 1 */
	uint32_t *of;		  /* by former number: index + 1, then the new number */
};

static void take(struct merging *m, const struct sc_finding *f, const struct sc_finding_key *key)
{
	struct sc_finding own = *f;
	uint64_t *place = key->key ? sc_u64_map_get(&m->by_key, key->key) : NULL;
	uint64_t index = place && *place ? *place - 1 : m->count;
	uint32_t paths, leader;

	own.begins = key->begins;
	own.paths = own.paths ? own.paths : 1;
	m->of[f->number] = (uint32_t)(index + 1);
	if (index == m->count) {
		m->items[m->count++] = own;
		if (place)
			*place = m->count;
		return;
	}
	paths = m->items[index].paths + own.paths;
	leader = own.leader ? m->items[index].leader : 0;
	merge(&m->items[index], &own);
	m->items[index].paths = paths;
	m->items[index].leader = leader;
}

/* Numbers are new; one that leads itself only leads nothing. */
static void renumber(struct merging *m)
{
	uint32_t *new = sc_heap_xcalloc(m->count + 1, sizeof(*new));

	for (size_t i = 0; i < m->count; i++) {
		new[m->of[m->items[i].number]] = (uint32_t)(i + 1);
		m->items[i].number = (uint32_t)(i + 1);
	}
	for (size_t i = 0; i < m->count; i++) {
		struct sc_finding *f = &m->items[i];
		uint32_t leader = f->leader ? new[m->of[f->leader]] : 0;

		f->leader = leader == f->number ? 0 : leader;
	}
	for (size_t i = 1; i <= m->former; i++)
		m->of[i] = new[m->of[i]];
	free(new);
}

void sc_findings_merge(struct sc_findings *all, const struct sc_finding_key *keys,
		       uint32_t *numbers)
{
	size_t before = all->list.count;
	struct merging m = {.items = sc_heap_xcalloc(before + 1, sizeof(*m.items)),
			    .former = before,
			    .of = numbers};

	for (size_t i = 0; i < before; i++)
		take(&m, &all->list.items[i], &keys[i]);
	if (m.count)
		qsort(m.items, m.count, sizeof(*m.items), compare);
	renumber(&m);
	for (size_t i = 0; i < m.count; i++)
		all->list.items[i] = m.items[i];
	all->list.count = m.count;
	sc_u64_map_fini(&m.by_key);
	free(m.items);
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
