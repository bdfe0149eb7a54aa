/* Rule 209, for libraries: one handle drives two streams that nothing orders (B-2, B-3).
 *
 * Work of a library belongs to the handle that uses its stream, if only one does; else its handle
 * is not known, and the work belongs to none. A handle's work is looked at per stream and scratch
 * memory: with memory of its own for each stream a program does as the manuals say.
 */
#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/rules/family.h"
#include "base/heap.h"
#include "base/vector.h"
#include "trace/library.h"

#define HANDLES_MAX 256 /* that live; with more, whose work it is is not asked any more */

/* What a handle did last in a stream. */
struct library_use {
	uint32_t stream, lane; /* stream 0: none */
	uint64_t position, sequence;
	uint64_t scratch;
	struct sc_op op;
};

struct library {
	uint32_t id, stream;
	uint64_t scratch; /* 0: the library's own */
	SC_VECTOR(struct library_use)
	uses; /* the last of each stream, as far as nothing orders them */
	struct library *next;
};

struct libraries {
	struct library *all; /* owned: handles that live */
	unsigned count;
	bool is_full; /* there were more than are kept */
};

static struct library **find(struct libraries *l, uint32_t id)
{
	struct library **h = &l->all;

	while (*h && (*h)->id != id)
		h = &(*h)->next;
	return h;
}

/* NULL: there are too many. */
static struct library *library_of(struct libraries *l, uint32_t id)
{
	struct library *h = *find(l, id);

	if (h)
		return h;
	if (l->count == HANDLES_MAX) {
		l->is_full = 1;
		return NULL;
	}
	l->count++;
	h = sc_heap_xcalloc(1, sizeof(*h));
	h->id = id;
	h->next = l->all;
	l->all = h;
	return h;
}

static void end(struct libraries *l, uint32_t id)
{
	struct library **place = find(l, id), *dead = *place;

	if (!dead)
		return;
	*place = dead->next;
	l->count--;
	sc_vector_fini(&dead->uses);
	free(dead);
}

static void change(struct libraries *l, const struct sc_op *op)
{
	struct library *h = library_of(l, op->object);

	if (!h)
		return;
	if (op->value == SC_LIBRARY_STREAM || op->value == SC_LIBRARY_RESET)
		h->stream = op->stream;
	if (op->value == SC_LIBRARY_SCRATCH || op->value == SC_LIBRARY_RESET)
		h->scratch = op->dst;
	if (op->value == SC_LIBRARY_END)
		end(l, op->object);
}

/* The only handle that uses the stream, or NULL. */
static struct library *only_user(const struct libraries *l, uint32_t stream)
{
	struct library *only = NULL;

	for (struct library *h = l->is_full ? NULL : l->all; h; h = h->next) {
		if (h->stream != stream)
			continue;
		if (only)
			return NULL;
		only = h;
	}
	return only;
}

static void check(struct sc_analysis *a, const struct library_use *before,
		  const struct sc_step *step)
{
	struct sc_finding f;

	f = sc_finding_begin(SC_RULE_209, &before->op, before->sequence, step->op, step->sequence);
	f.confidence = SC_POSSIBLE;
	f.doubt = SC_DOUBT_SCRATCH;
	f.fix = SC_FIX_EVENT;
	f.fix_stream = step->op->stream;
	f.fix_after = before->sequence + 1;
	f.fix_before = step->sequence + 1;
	sc_finding_file(a, &f, &before->op, step->op);
}

/* True if whatever comes after the step comes after the use, too. */
static bool is_over(const struct library_use *use, const struct sc_step *step)
{
	struct sc_interval end = {.lane = use->lane, .position = use->position};

	return sc_interval_before(&end, &step->when);
}

static void work(struct sc_analysis *a, struct library *h, const struct sc_step *step)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->uses.count; i++) {
		struct library_use *use = &h->uses.items[i];
		bool is_same = use->scratch == h->scratch;

		if (is_over(use, step) || (is_same && use->stream == h->stream))
			continue;
		if (is_same)
			check(a, use, step);
		h->uses.items[kept++] = *use;
	}
	h->uses.count = kept;
	sc_vector_push(&h->uses, ((struct library_use){.stream = h->stream,
						       .lane = step->when.lane,
						       .position = step->when.position,
						       .sequence = step->sequence,
						       .scratch = h->scratch,
						       .op = *step->op}));
}

static bool is_work(const struct sc_op *op)
{
	return op->kind == SC_OP_KERNEL || op->kind == SC_OP_COPY || op->kind == SC_OP_SET ||
	       op->kind == SC_OP_GRAPH_LAUNCH;
}

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct libraries *l = state;

	(void)a;
	return l->all || l->is_full;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct libraries *l = state;
	struct library *h;

	if (r->op.kind == SC_OP_LIBRARY_STREAM && r->op.object)
		change(l, &r->op);
	if (!step->is_enqueued || !(step->op->flags & SC_FLAG_LIBRARY) || !is_work(step->op))
		return;
	if (l->is_full)
		a->coverage.library_uses++;
	h = only_user(l, step->op->stream);
	if (h)
		work(a, h, step);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct libraries *l = state;

	(void)a;
	while (l->all)
		end(l, l->all->id);
}

const struct sc_rule_family sc_rules_library = {
	.state_bytes = sizeof(struct libraries),
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
