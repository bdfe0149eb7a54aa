/* Rules 118, 119: one copy, or the copies of one batch, use the same bytes. */
#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/rules/family.h"
#include "base/heap.h"

/* SC-119: rows, not boxes (4.7). */
static void check_overlap(struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_use *uses = a->uses.items;
	uint64_t first, end;
	struct sc_finding f;

	if (uses[0].allocation != uses[1].allocation ||
	    sc_mode_writes(uses[0].shape.mode) == sc_mode_writes(uses[1].shape.mode))
		return;
	if (uses[0].shape.known != SC_KNOWN_EXACT || uses[1].shape.known != SC_KNOWN_EXACT ||
	    sc_shape_overlap(&uses[0].shape, &uses[1].shape, &first, &end) != SC_OVERLAPS)
		return;
	f = sc_finding_begin(SC_RULE_119, NULL, 0, step->op, step->sequence);
	f.side[0].address = first;
	f.side[0].bytes = end - first;
	f.side[0].mode = SC_SIDE_WRITE;
	f.allocation = uses[0].allocation->sequence;
	sc_finding_file(a, &f, NULL, step->op);
}

/* A piece of a batch; what its copies read counts too. */
struct piece {
	uint64_t first, end;
	const struct sc_use *use;
};

static int by_address(const void *x, const void *y)
{
	const struct piece *p = x, *q = y;

	return (p->first > q->first) - (p->first < q->first);
}

/* Two pieces of one batch overlap, at least one of them is written. */
static void file_batch(struct sc_analysis *a, const struct sc_step *step, const struct piece *p,
		       const struct piece *q)
{
	struct sc_finding f = sc_finding_begin(SC_RULE_118, NULL, 0, step->op, step->sequence);

	f.side[0].address = q->first;
	f.side[0].bytes = (p->end < q->end ? p->end : q->end) - q->first;
	f.side[0].mode = SC_SIDE_WRITE;
	f.allocation = p->use->allocation->sequence;
	sc_finding_file(a, &f, NULL, step->op);
}

/* The pieces in order of address: whatever reaches beyond a later one's first byte overlaps it. */
static void sweep_batch(struct sc_analysis *a, const struct sc_step *step, struct piece *list,
			size_t count)
{
	const struct piece *any = NULL, *written = NULL; /* that reach furthest */

	qsort(list, count, sizeof(*list), by_address);
	for (size_t i = 0; i < count; i++) {
		bool writes = sc_mode_writes(list[i].use->shape.mode);
		const struct piece *other = writes ? any : written;

		if (other && other->end > list[i].first) {
			file_batch(a, step, other, &list[i]);
			return;
		}
		if (!any || list[i].end > any->end)
			any = &list[i];
		if (writes) /* beyond all before it */
			written = &list[i];
	}
}

/* SC-118: copies of one batch have no order among them (4.6). */
static void check_batch(struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_use *uses = a->uses.items;
	struct piece *list;
	size_t count = 0;

	list = sc_heap_xcalloc(a->uses.count, sizeof(*list));
	for (size_t i = 0; i < a->uses.count; i++)
		if (sc_shape_is_linear(&uses[i].shape))
			list[count++] = (struct piece){uses[i].shape.base,
						       sc_shape_end(&uses[i].shape), &uses[i]};
	sweep_batch(a, step, list, count);
	free(list);
}

static const uint16_t kinds[] = {SC_OP_COPY, SC_OP_NONE};

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	(void)state;
	(void)r;
	if (!step->is_enqueued)
		return;
	if (a->uses.count == 2)
		check_overlap(a, step);
	else if (a->uses.count > 2 && sc_op_is_batch(step->op))
		check_batch(a, step);
}

const struct sc_rule_family sc_rules_copy_overlap = {
	.kinds = kinds,
	.sees_all_routine = 1,
	.step = check_record,
};
