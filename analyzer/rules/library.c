/* Rule 209, for libraries: one handle drives two streams that nothing orders (B-2, B-3).
 *
 * Work of a library belongs to the handle that uses its stream, if only one does; else its handle
 * is not known, and the work belongs to none. A handle's work is looked at per stream and scratch
 * memory: with memory of its own for each stream a program does as the manuals say.
 */
#include <stdbool.h>
#include <stdlib.h>
#include "analyzer/state.h"
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

struct sc_library_rules {
	struct library *all; /* owned: handles that live */
	unsigned count;
	bool is_full; /* there were more than are kept */
};

static struct library **find(struct sc_library_rules *l, uint32_t id)
{
	struct library **h = &l->all;

	while (*h && (*h)->id != id)
		h = &(*h)->next;
	return h;
}

/* NULL: there are too many. */
static struct library *library_of(struct sc_analysis *a, uint32_t id)
{
	struct library *h;

	if (!a->libraries)
		a->libraries = sc_heap_xcalloc(1, sizeof(*a->libraries));
	h = *find(a->libraries, id);
	if (h)
		return h;
	if (a->libraries->count == HANDLES_MAX) {
		a->libraries->is_full = 1;
		return NULL;
	}
	a->libraries->count++;
	h = sc_heap_xcalloc(1, sizeof(*h));
	h->id = id;
	h->next = a->libraries->all;
	a->libraries->all = h;
	return h;
}

static void end(struct sc_library_rules *l, uint32_t id)
{
	struct library **place = find(l, id), *dead = *place;

	if (!dead)
		return;
	*place = dead->next;
	l->count--;
	sc_vector_fini(&dead->uses);
	free(dead);
}

static void change(struct sc_analysis *a, const struct sc_op *op)
{
	struct library *h = library_of(a, op->object);

	if (!h)
		return;
	if (op->value == SC_LIBRARY_STREAM || op->value == SC_LIBRARY_RESET)
		h->stream = op->stream;
	if (op->value == SC_LIBRARY_SCRATCH || op->value == SC_LIBRARY_RESET)
		h->scratch = op->dst;
	if (op->value == SC_LIBRARY_END)
		end(a->libraries, op->object);
}

/* The only handle that uses the stream, or NULL. */
static struct library *only_user(const struct sc_library_rules *l, uint32_t stream)
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
	struct sc_when end = {.lane = use->lane, .position = use->position};

	return sc_when_before(&end, &step->when);
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

void sc_rules_library_step(struct sc_analysis *a, const struct sc_record *r,
			   const struct sc_step *step)
{
	struct library *h;

	if (r->op.kind == SC_OP_LIBRARY_STREAM && r->op.object)
		change(a, &r->op);
	if (!a->libraries || !step->is_enqueued || !(step->op->flags & SC_FLAG_LIBRARY) ||
	    !is_work(step->op))
		return;
	if (a->libraries->is_full)
		a->coverage.library_uses++;
	h = only_user(a->libraries, step->op->stream);
	if (h)
		work(a, h, step);
}

void sc_rules_library_finish(struct sc_analysis *a)
{
	while (a->libraries && a->libraries->all)
		end(a->libraries, a->libraries->all->id);
	free(a->libraries);
	a->libraries = NULL;
}
