/* Rule 132: memory of graphics resources, between mapping and unmapping (W-6). */
#include <stdlib.h>
#include "analyzer/rules/family.h"
#include "analyzer/rules/lifetime.h"
#include "analyzer/rules/race/race.h"
#include "base/hash.h"
#include "base/heap.h"

/* One that is mapped. */
struct resource {
	uint32_t id;		/* key */
	struct sc_note *mapped; /* counted */
	UT_hash_handle hh;
};

struct graphics {
	struct resource *by_id; /* owned */
};

static void map(struct graphics *all, struct sc_analysis *a, const struct sc_step *step)
{
	uint32_t id = step->op->object;
	struct resource *g;

	HASH_FIND(hh, all->by_id, &id, sizeof(id), g);
	if (!g) {
		g = sc_heap_xcalloc(1, sizeof(*g));
		g->id = id;
		HASH_ADD(hh, all->by_id, id, sizeof(g->id), g);
	} else {
		sc_note_put(&a->memory.notes, g->mapped);
	}
	g->mapped = sc_race_note(a, step, 0);
}

/* The memory of a resource begins at the mapping, in the stream of the mapping. */
static void begin(const struct graphics *all, struct sc_analysis *a, const struct sc_op *op)
{
	uint64_t unused;
	struct sc_allocation *m = sc_memory_find(&a->memory, op->dst, &unused);
	struct resource *g;

	HASH_FIND(hh, all->by_id, &op->peer, sizeof(op->peer), g);
	if (g && m)
		sc_lifetime_begin(a, g->mapped, m);
}

static void forget(struct graphics *all, struct sc_analysis *a, struct resource *g)
{
	HASH_DEL(all->by_id, g);
	sc_note_put(&a->memory.notes, g->mapped);
	free(g);
}

static void unmap(struct graphics *all, struct sc_analysis *a, const struct sc_step *step)
{
	struct sc_range *r = sc_ranges_from(&a->memory.live, 0);
	struct resource *g;

	while (r) {
		struct sc_allocation *m = ((struct sc_address *)r)->allocation;
		uint64_t next = r->end;

		if (m->resource == step->op->object) {
			sc_lifetime_check_end(a, step, m, SC_END_GRAPHICS, -1);
			sc_memory_end(&a->memory, m, step->sequence);
		}
		r = sc_ranges_from(&a->memory.live, next);
	}
	HASH_FIND(hh, all->by_id, &step->op->object, sizeof(step->op->object), g);
	if (g)
		forget(all, a, g);
}

/* The driver said that it was mapped already, or was not mapped. */
static void check_refused(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_finding f;

	if (r->op.result != SC_RESULT_ALREADY_MAPPED && r->op.result != SC_RESULT_NOT_MAPPED)
		return;
	f = sc_finding_begin(SC_RULE_132, NULL, 0, &r->op, r->sequence);
	sc_finding_file(a, &f, NULL, &r->op);
}

static const uint16_t kinds[] = {SC_OP_GRAPHICS_MAP, SC_OP_GRAPHICS_UNMAP, SC_OP_ALLOC, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct graphics *all = state;
	const struct sc_op *op = &r->op;

	if (op->kind == SC_OP_GRAPHICS_MAP || op->kind == SC_OP_GRAPHICS_UNMAP)
		check_refused(a, r);
	if (!sc_op_took_effect(op))
		return;
	if (op->kind == SC_OP_GRAPHICS_MAP && step->is_enqueued)
		map(all, a, step);
	else if (op->kind == SC_OP_GRAPHICS_UNMAP && step->is_enqueued && op->object)
		unmap(all, a, step);
	else if (op->kind == SC_OP_ALLOC && op->peer)
		begin(all, a, op);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct graphics *all = state;
	struct resource *g, *next;

	HASH_ITER(hh, all->by_id, g, next)
	forget(all, a, g);
}

const struct sc_rule_family sc_rules_graphics = {
	.state_bytes = sizeof(struct graphics),
	.kinds = kinds,
	.step = check_record,
	.finish = finish,
};
