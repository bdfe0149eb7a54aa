/* Rule 132: memory of graphics resources, between mapping and unmapping (W-6). */
#include <stdlib.h>
#include <uthash.h>
#include "analyzer/rules/race.h"
#include "base/heap.h"

#define ALREADY_MAPPED 208
#define NOT_MAPPED     211

struct sc_graphics {
	uint32_t resource;
	struct sc_note *mapped; /* counted */
	UT_hash_handle hh;
};

static void map(struct sc_analysis *a, const struct sc_step *step)
{
	uint32_t resource = step->op->object;
	struct sc_graphics *g;

	HASH_FIND(hh, a->graphics, &resource, sizeof(resource), g);
	if (!g) {
		g = sc_heap_xcalloc(1, sizeof(*g));
		g->resource = resource;
		HASH_ADD(hh, a->graphics, resource, sizeof(g->resource), g);
	} else {
		sc_note_put(&a->memory.notes, g->mapped);
	}
	g->mapped = sc_race_note(a, step, 0);
}

/* The memory of a resource begins at the mapping, in the stream of the mapping. */
static void begin(struct sc_analysis *a, const struct sc_op *op)
{
	uint64_t unused;
	struct sc_allocation *m = sc_memory_find(&a->memory, op->dst, &unused);
	struct sc_graphics *g;

	HASH_FIND(hh, a->graphics, &op->peer, sizeof(op->peer), g);
	if (g && m)
		sc_lifetime_begin(a, g->mapped, m);
}

static void unmap(struct sc_analysis *a, const struct sc_step *step)
{
	struct sc_range *r = sc_ranges_from(&a->memory.live, 0);

	while (r) {
		struct sc_allocation *m = ((struct sc_address *)r)->allocation;
		uint64_t next = r->end;

		if (m->resource == step->op->object) {
			sc_lifetime_check_end(a, step, m, SC_END_GRAPHICS, -1);
			sc_memory_end(&a->memory, m, step->sequence);
		}
		r = sc_ranges_from(&a->memory.live, next);
	}
}

/* The driver said that it was mapped already, or was not mapped. */
static void check_refused(struct sc_analysis *a, const struct sc_record *r)
{
	struct sc_finding f;

	if (r->op.result != ALREADY_MAPPED && r->op.result != NOT_MAPPED)
		return;
	f = sc_finding_begin(SC_RULE_132, NULL, 0, &r->op, r->sequence);
	sc_finding_file(a, &f, NULL, &r->op);
}

void sc_rules_graphics_step(struct sc_analysis *a, const struct sc_record *r,
			    const struct sc_step *step)
{
	const struct sc_op *op = &r->op;

	if (op->kind == SC_OP_GRAPHICS_MAP || op->kind == SC_OP_GRAPHICS_UNMAP)
		check_refused(a, r);
	if (!sc_op_took_effect(op))
		return;
	if (op->kind == SC_OP_GRAPHICS_MAP && step->is_enqueued)
		map(a, step);
	else if (op->kind == SC_OP_GRAPHICS_UNMAP && step->is_enqueued && op->object)
		unmap(a, step);
	else if (op->kind == SC_OP_ALLOC && op->peer && a->graphics)
		begin(a, op);
}

void sc_rules_graphics_finish(struct sc_analysis *a)
{
	struct sc_graphics *g, *next;

	HASH_ITER(hh, a->graphics, g, next)
	{
		HASH_DEL(a->graphics, g);
		sc_note_put(&a->memory.notes, g->mapped);
		free(g);
	}
}
