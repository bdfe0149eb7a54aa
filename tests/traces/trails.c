/* Trails: the trail of each operation of a trace is asked about each other one. */
#include "trails.h"

#include <stdio.h>
#include <stdlib.h>
#include "analyzer/order/trail.h"
#include "base/heap.h"
#include "base/map.h"

#define FOLLOWED 120 /* operations: of a longer trace the first ones */

struct trails {
	struct sc_trail list[FOLLOWED];
	bool is_after[FOLLOWED][FOLLOWED]; /* [x][y]: y comes after x */
	struct sc_u64_map places;	   /* of sequence numbers in `list`, + 1 */
	size_t count;
	unsigned wrong;
};

static bool op_of(const void *data, uint64_t sequence, struct sc_op *out)
{
	return sc_reader_op(data, sequence, out);
}

static size_t place_of(const struct trails *all, uint64_t sequence)
{
	const uint64_t *place = sc_u64_map_find(&all->places, sequence);

	return place ? (size_t)*place - 1 : FOLLOWED;
}

/* As cmds/operand.c takes them. */
static void follow_all(struct trails *all, struct sc_reader *r)
{
	struct sc_u64_map funcs = {0};
	struct sc_record record;

	sc_reader_rewind(r);
	while (sc_reader_next(r, &record) && all->count < FOLLOWED) {
		const struct sc_op *op = &record.op;
		struct sc_trail *t = &all->list[all->count];
		const uint64_t *func;

		if (op->kind == SC_OP_CALLBACK_BEGIN && op->callback)
			*sc_u64_map_get(&funcs, op->callback) = op->link;
		if (sc_op_kind_class(op->kind) == SC_CLASS_DEFINE || op->phase == SC_PHASE_END ||
		    op->flags & SC_FLAG_CAPTURED)
			continue;
		func = op->callback ? sc_u64_map_find(&funcs, op->callback) : NULL;
		t->op_of = op_of;
		t->data = r;
		t->sequence = record.sequence;
		t->start = func && *func ? *func - 1 : record.sequence;
		*sc_u64_map_get(&all->places, record.sequence) = ++all->count;
	}
	sc_u64_map_fini(&funcs);
}

/* The op of a link is one moment, of which `is_after` speaks; and not the return of a call that
 * enqueues, a part of a graph, a record or wait of all streams of a context, or an end that only a
 * stream learns of. */
static bool is_one_moment(const struct sc_trail *t, const struct sc_trail_link *link)
{
	struct sc_op op;

	if (!op_of(t->data, link->sequence, &op) || op.kind == SC_OP_GRAPH_LAUNCH ||
	    op.kind == SC_OP_CONTEXT_RECORD || op.kind == SC_OP_CONTEXT_WAIT ||
	    (op.kind == SC_OP_AGENT_END && op.stream))
		return 0;
	return link->position || sc_op_kind_class(op.kind) != SC_CLASS_ENQUEUE;
}

/* H-3: the call returns after what comes before it, and did not begin after it. */
static bool is_edge(const struct trails *all, const struct sc_trail *t,
		    const struct sc_trail_link *from, const struct sc_trail_link *to)
{
	size_t x = place_of(all, from->sequence), y = place_of(all, to->sequence);

	return x == FOLLOWED || y == FOLLOWED || x == y || all->is_after[x][y] ||
	       to->rule == SC_TRAIL_H3 || !is_one_moment(t, from) || !is_one_moment(t, to);
}

static void check_path(struct trails *all, const struct sc_trail *t, uint32_t number)
{
	while (number > 1) {
		const struct sc_trail_link *link = &t->links.items[number - 1];

		if (!link->from || link->from >= number ||
		    !is_edge(all, t, &t->links.items[link->from - 1], link)) {
			printf("  trail of op %llu: no edge %s to op %llu\n",
			       (unsigned long long)t->sequence, sc_trail_rows[link->rule].rule,
			       (unsigned long long)link->sequence);
			all->wrong++;
			return;
		}
		number = link->from;
	}
	if (number != 1)
		printf("  trail of op %llu: no path\n", (unsigned long long)t->sequence);
	all->wrong += number != 1;
}

static void see(void *data, struct sc_order *o, const struct sc_step *step)
{
	struct trails *all = data;
	size_t y = place_of(all, step->sequence);

	for (size_t x = 0; x < all->count; x++)
		sc_trail_see(&all->list[x], o, step);
	if (!sc_trail_is_moment(step))
		return;
	for (size_t x = 0; x < all->count && y < FOLLOWED; x++)
		all->is_after[x][y] |= sc_trail_is_after(&all->list[x], step);
	for (size_t x = 0; x < all->count; x++)
		if (sc_trail_is_after(&all->list[x], step))
			check_path(all, &all->list[x], sc_trail_reach(&all->list[x], o, step));
}

unsigned trails_check(struct sc_reader *r, const struct sc_analysis_settings *settings)
{
	unsigned wrong = 0;

	for (unsigned strict = 0; strict < 2; strict++) {
		struct trails *all = sc_heap_xcalloc(1, sizeof(*all));
		struct sc_watch watch = {.see = see, .data = all};
		struct sc_analysis_settings watched = *settings;
		struct sc_analysis *a;

		follow_all(all, r);
		watched.watch = &watch;
		watched.no_routine = 1;
		watched.strict_hosts |= strict;
		sc_analysis_run(&a, r, &watched);
		sc_analysis_free(a);
		wrong += all->wrong;
		for (size_t i = 0; i < all->count; i++)
			sc_trail_fini(&all->list[i]);
		sc_u64_map_fini(&all->places);
		free(all);
	}
	return wrong;
}
