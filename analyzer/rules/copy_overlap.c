/* Rules 118, 119: one copy, or the copies of one batch, use the same bytes. */
#include "analyzer/rules/copy_overlap.h"

#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/rules/family.h"
#include "base/heap.h"

#define OPEN_MOST 512 /* pieces of one batch that are compared with the next one */

/* A node does it in each launch. */
static void set_node(struct sc_finding *f, const struct sc_worker *w)
{
	f->side[0].launch = w->step->sequence + 1;
	f->side[0].stream = w->step->op->stream;
	f->side[0].thread = w->step->op->thread;
	if (!sc_graph_node_is_unsure(w->node))
		return;
	f->confidence = SC_POSSIBLE;
	f->doubt = SC_DOUBT_BODY;
	f->severity = SC_WARNING;
}

static void file(struct sc_analysis *a, const struct sc_worker *w, unsigned rule,
		 const struct sc_allocation *memory, uint64_t first, uint64_t end)
{
	const struct sc_op *op = sc_worker_op(w);
	struct sc_finding f = sc_finding_begin(rule, NULL, 0, op,
					       w->node ? w->node->sequence : w->step->sequence);

	f.side[0].address = first;
	f.side[0].bytes = end - first;
	f.side[0].mode = SC_SIDE_WRITE;
	f.allocation = memory->sequence;
	if (w->node)
		set_node(&f, w);
	sc_finding_file(a, &f, NULL, op);
}

/* SC-119: rows, not boxes (4.7). */
static void check_overlap(struct sc_analysis *a, const struct sc_worker *w)
{
	const struct sc_use *uses = a->uses.items;
	uint64_t first, end;

	if (uses[0].allocation != uses[1].allocation ||
	    sc_mode_writes(uses[0].shape.mode) == sc_mode_writes(uses[1].shape.mode))
		return;
	if (uses[0].shape.known == SC_KNOWN_EXACT && uses[1].shape.known == SC_KNOWN_EXACT &&
	    sc_shape_overlap(&uses[0].shape, &uses[1].shape, &first, &end) == SC_OVERLAPS)
		file(a, w, SC_RULE_119, uses[0].allocation, first, end);
}

/* A piece of a batch; what its copies read counts too. */
struct piece {
	uint64_t first, end;
	const struct sc_use *use;
	bool is_box; /* rows with gaps between them */
};

static int by_address(const void *x, const void *y)
{
	const struct piece *p = x, *q = y;

	return (p->first > q->first) - (p->first < q->first);
}

static bool writes(const struct piece *p)
{
	return sc_mode_writes(p->use->shape.mode);
}

/* Of the pieces without gaps: whatever reaches beyond a later one's first byte overlaps it. True if
 * two of them do. */
static bool sweep_batch(struct sc_analysis *a, const struct sc_worker *w, const struct piece *list,
			size_t count)
{
	const struct piece *any = NULL, *written = NULL; /* that reach furthest */

	for (size_t i = 0; i < count; i++) {
		const struct piece *other = writes(&list[i]) ? any : written;

		if (list[i].is_box)
			continue;
		if (other && other->end > list[i].first) {
			file(a, w, SC_RULE_118, other->use->allocation, list[i].first,
			     other->end < list[i].end ? other->end : list[i].end);
			return 1;
		}
		if (!any || list[i].end > any->end)
			any = &list[i];
		if (writes(&list[i])) /* beyond all before it */
			written = &list[i];
	}
	return 0;
}

static bool check_pair(struct sc_analysis *a, const struct sc_worker *w, const struct piece *p,
		       const struct piece *q)
{
	const struct sc_access *x = &p->use->shape, *y = &q->use->shape;
	uint64_t first, end;

	if (!(p->is_box || q->is_box) || !(writes(p) || writes(q)) ||
	    p->use->allocation != q->use->allocation || x->known != SC_KNOWN_EXACT ||
	    y->known != SC_KNOWN_EXACT || sc_shape_overlap(x, y, &first, &end) != SC_OVERLAPS)
		return 0;
	file(a, w, SC_RULE_118, p->use->allocation, first, end);
	return 1;
}

/* Of pieces with gaps: each with those before it that reach beyond its first byte. */
static void sweep_boxes(struct sc_analysis *a, const struct sc_worker *w, const struct piece *list,
			size_t count)
{
	const struct piece *open[OPEN_MOST];
	size_t opened = 0;

	for (size_t i = 0; i < count; i++) {
		size_t kept = 0;

		for (size_t k = 0; k < opened; k++) {
			if (open[k]->end <= list[i].first)
				continue;
			if (check_pair(a, w, open[k], &list[i]))
				return;
			open[kept++] = open[k];
		}
		opened = kept;
		if (opened < OPEN_MOST)
			open[opened++] = &list[i];
	}
}

/* SC-118: copies of one batch have no order among them (4.6). */
static void check_batch(struct sc_analysis *a, const struct sc_worker *w)
{
	const struct sc_use *uses = a->uses.items;
	struct piece *list = sc_heap_xcalloc(a->uses.count, sizeof(*list));
	bool has_boxes = 0;

	for (size_t i = 0; i < a->uses.count; i++) {
		list[i] = (struct piece){uses[i].shape.base, sc_shape_end(&uses[i].shape), &uses[i],
					 !sc_shape_is_linear(&uses[i].shape)};
		has_boxes |= list[i].is_box;
	}
	qsort(list, a->uses.count, sizeof(*list), by_address);
	if (!sweep_batch(a, w, list, a->uses.count) && has_boxes)
		sweep_boxes(a, w, list, a->uses.count);
	free(list);
}

void sc_copy_overlap_check(struct sc_analysis *a, const struct sc_worker *w)
{
	const struct sc_op *op = sc_worker_op(w);

	if (op->kind != SC_OP_COPY)
		return;
	if (sc_op_is_batch(op) && (op->value > 1 || a->uses.count > 2))
		check_batch(a, w);
	else if (a->uses.count == 2)
		check_overlap(a, w);
}

static const uint16_t kinds[] = {SC_OP_COPY, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	(void)state;
	(void)r;
	if (step->is_enqueued)
		sc_copy_overlap_check(a, &(struct sc_worker){.step = step});
}

const struct sc_rule_family sc_rules_copy_overlap = {
	.kinds = kinds,
	.sees_all_routine = 1,
	.step = check_record,
};
