/* Copies of words: which of them may have seen what a kernel or another stream wrote there. */
#include "analyzer/talk/talk_copies.h"

#include <stdbool.h>
#include "analyzer/model/memory_word.h"
#include "trace/grid.h"

#define COPIED_MOST  4096 /* bytes of a copy in which there may be flags */
#define WORDS_MOST   32	  /* bytes that are copied, or written by plain stores, as flags */
#define STREAM_WRITE 8	  /* bytes of a flag that a stream writes */

static uint64_t bytes_of(const struct sc_access *s)
{
	return sc_shape_end(s) - s->base;
}

/* A plain store after a fence is no way to notify a kernel, but a copy does not read a register. */
static bool is_publisher(unsigned grid)
{
	return grid & (SC_GRID_PUBLISHES | SC_GRID_PUBLISHES_HOST | SC_GRID_FENCE);
}

/* Of a collective, known by its name only, results are copied, not its words. */
static bool is_publishing_kernel(const struct sc_analysis *a, uint32_t kernel)
{
	struct sc_code *code = a->order.code;
	const struct sc_code_kernel *k = code ? sc_code_kernel(code, kernel) : NULL;

	return k && (k->code || k->grid & SC_GRID_KNOWN) && is_publisher(k->grid);
}

/* What it writes may be data as well as a word. */
static bool is_plain(const struct sc_op *op)
{
	return op->kind == SC_OP_COPY || op->kind == SC_OP_SET;
}

/* What an op of a stream writes may be a word that is polled. */
static bool may_publish(const struct sc_analysis *a, const struct sc_op *op, uint64_t bytes)
{
	switch (op->kind) {
	case SC_OP_KERNEL: return is_publishing_kernel(a, op->object);
	case SC_OP_COPY:
	case SC_OP_SET: return bytes <= STREAM_WRITE;
	default: return op->kind == SC_OP_VALUE_WRITE;
	}
}

/* The bytes that are both written and copied may be flags, not the results themselves. */
static bool are_words(uint8_t mode, uint8_t known, uint64_t bytes)
{
	return sc_mode_is_atomic(mode) || known != SC_KNOWN_EXACT || bytes <= WORDS_MOST;
}

static bool may_see_words(uint16_t kind, const struct sc_use *use)
{
	const struct sc_access *s = &use->shape;

	return kind == SC_OP_COPY && s->mode == SC_READ && !use->is_host &&
	       bytes_of(s) <= COPIED_MOST;
}

static struct sc_talk_words words_of(const struct sc_access *shape)
{
	struct sc_talk_words w = {0};

	sc_talk_words_add(&w, shape->base, sc_shape_end(shape), 0);
	return w;
}

/* The op sees what the bytes hold, which others wrote before or write while it has not ended. The
 * host may look at what it brings, unless that is only on the device. */
static void see(struct sc_analysis *a, const struct sc_step *step, const struct sc_access *shape,
		bool is_for_device)
{
	struct sc_talks *t = &a->order.talks;
	struct sc_talk_words w = words_of(shape);
	bool is_word = bytes_of(shape) <= WORDS_MOST;
	struct sc_observer *v;

	if (!is_word && !t->has_publishers)
		return;
	v = sc_talk_observe(t, &step->when,
			    (is_word ? SC_TALK_COPY : SC_TALK_COPY_OF_MANY) |
				    (is_for_device ? SC_TALK_PASSES_ON : 0),
			    &w);
	sc_memory_word_writers(a, shape->base, bytes_of(shape));
	for (size_t i = 0; i < a->conflicts.count; i++) {
		const struct sc_conflict *c = &a->conflicts.items[i];
		const struct sc_touch *by = &c->earlier;

		sc_note_read_op(&a->memory.notes, by->note);
		if (!are_words(by->mode, by->known, c->end - c->first) ||
		    !may_publish(a, sc_touch_op(by), by->end - by->first))
			continue;
		sc_talk_add_publisher(t, v, &by->note->when);
		v->is_flag |= !is_plain(sc_touch_op(by));
	}
	sc_conflicts_clear(&a->conflicts, &a->memory.notes);
}

/* Copies that were enqueued before may run when the step's op has written the bytes. */
static void show(struct sc_analysis *a, const struct sc_step *step, const struct sc_access *shape)
{
	struct sc_talks *t = &a->order.talks;
	struct sc_talk_words w = words_of(shape);
	unsigned reach = SC_TALK_COPY;

	if (are_words(shape->mode, shape->known, bytes_of(shape)))
		reach |= SC_TALK_COPY_OF_MANY;
	if (is_plain(step->op))
		reach |= SC_TALK_PLAIN;
	t->has_publishers = 1;
	if (t->pending)
		sc_talk_publish(t, &step->when, reach, &w);
}

void sc_talk_copies_step(struct sc_analysis *a, const struct sc_step *step)
{
	bool is_kernel = step->op->kind == SC_OP_KERNEL;

	if (is_kernel && !is_publishing_kernel(a, step->op->object))
		return;
	for (size_t i = 0; i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];
		const struct sc_access *s = &use->shape;

		if (may_see_words(step->op->kind, use))
			see(a, step, s, step->op->dst_mem == SC_MEM_DEVICE);
		if (sc_mode_writes(s->mode) && !use->is_host &&
		    (is_kernel || may_publish(a, step->op, bytes_of(s))))
			show(a, step, s);
	}
}

void sc_talk_copies_launch(struct sc_analysis *a, const struct sc_step *step, unsigned grid,
			   const struct sc_replay *r)
{
	struct sc_talks *t = &a->order.talks;

	t->has_publishers |= is_publisher(grid);
	for (size_t i = 0; t->has_publishers && i < r->uses.count; i++) {
		const struct sc_replay_use *u = &r->uses.items[i];
		const struct sc_op *node = &r->graph->nodes.items[u->node].op;

		if (may_see_words(node->kind, &u->use))
			see(a, step, &u->use.shape, node->dst_mem == SC_MEM_DEVICE);
		else if (sc_mode_writes(u->use.shape.mode) && is_publisher(grid))
			show(a, step, &u->use.shape);
	}
}
