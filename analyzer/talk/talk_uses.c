/* Talk: the words that operations wait for, and those that they write. */
#include "analyzer/talk/talk_uses.h"

#include <stdbool.h>
#include "analyzer/model/memory_word.h"
#include "analyzer/talk/talk_copies.h"
#include "trace/grid.h"

#define WORD_MOST 32 /* bytes of what may be a word that is read plainly, too */

static bool is_for_host(const struct sc_use *use)
{
	return use->allocation->kind != SC_MEM_DEVICE && use->allocation->kind != SC_MEM_ARRAY;
}

static void add(struct sc_talk_words *w, const struct sc_use *use)
{
	w->is_any |= use->allocation->physical != 0; /* it may have other addresses */
	sc_talk_words_add(w, use->shape.base, sc_shape_end(&use->shape), is_for_host(use));
}

static bool may_be_polled(const struct sc_use *use)
{
	const struct sc_access *s = &use->shape;

	if (s->mode == SC_ATOMIC_READ || sc_mode_is_atomic(s->mode))
		return 1;
	if (!(s->mode & SC_READ))
		return 0;
	return s->known == SC_KNOWN_PARAMETER || s->how == SC_HOW_RECORDED ||
	       sc_shape_end(s) - s->base <= WORD_MOST;
}

static void add_polled(struct sc_talk_words *w, const struct sc_use *use)
{
	if (may_be_polled(use))
		add(w, use);
}

static void add_read(struct sc_talk_words *w, const struct sc_use *use)
{
	if (use->shape.mode & SC_READ || sc_mode_is_atomic(use->shape.mode))
		add(w, use);
}

static void add_written(struct sc_talk_words *w, const struct sc_use *use)
{
	if (sc_mode_writes(use->shape.mode))
		add(w, use);
}

/* Without a fence, whoever sees a plain store sees no other. */
static void add_notified(struct sc_talk_words *w, const struct sc_use *use)
{
	if (!use->is_quiet)
		add_written(w, use);
}

static bool is_notified_plainly(unsigned grid)
{
	return grid & (SC_GRID_FENCE | SC_GRID_PUBLISHES);
}

/* Of a kernel of which some addresses are not known, any word may be meant. */
static struct sc_talk_words words_of(const struct sc_analysis *a,
				     void (*take)(struct sc_talk_words *, const struct sc_use *))
{
	struct sc_talk_words w = {.is_any = a->kernels.open != SC_REASON_NONE};

	for (size_t i = 0; i < a->uses.count; i++)
		take(&w, &a->uses.items[i]);
	return w;
}

static unsigned observed_by(unsigned grid)
{
	return (grid & SC_GRID_OBSERVES_HOST ? SC_TALK_HOST : 0U) |
	       (grid & SC_GRID_OBSERVES ? SC_TALK_DEVICE : 0U);
}

/* ---- observers ---- */

/* What wrote one of its words before, and may not have ended. */
static void look_back(struct sc_analysis *a, const struct sc_talk_words *w,
		      void (*found)(void *data, const struct sc_interval *op), void *data)
{
	for (unsigned i = 0; i < w->count; i++) {
		sc_memory_word_writers(a, w->bytes[i].first, w->bytes[i].end - w->bytes[i].first);
		for (size_t k = 0; k < a->conflicts.count; k++) {
			const struct sc_note *n = a->conflicts.items[k].earlier.note;

			if (!sc_interval_is_host(&n->when))
				found(data, &n->when);
		}
		sc_conflicts_clear(&a->conflicts, &a->memory.notes);
	}
}

struct observing {
	struct sc_talks *talks;
	struct sc_observer *observer;
	struct sc_heard *heard;
};

static void add_publisher(void *data, const struct sc_interval *op)
{
	struct observing *o = data;

	sc_talk_add_publisher(o->talks, o->observer, op);
}

static void observe(struct sc_analysis *a, const struct sc_interval *when, unsigned reach,
		    struct sc_talk_words *w)
{
	struct observing o = {.talks = &a->order.talks};

	w->is_host |= w->is_any;
	o.observer = sc_talk_observe(o.talks, when, reach, w);
	if (!w->is_any)
		look_back(a, w, add_publisher, &o);
}

/* ---- kernels ---- */

/* `notified`: what the host may wait for. */
static void publish(struct sc_analysis *a, const struct sc_step *step, unsigned grid,
		    const struct sc_talk_words *written, const struct sc_talk_words *notified)
{
	struct sc_talks *t = &a->order.talks;

	if (grid & SC_GRID_PUBLISHES) {
		sc_talk_publish(t, &step->when, SC_TALK_DEVICE, written);
		if (written->is_any)
			sc_talk_keep(t, &t->wild, &step->when);
	}
	if (grid & SC_GRID_PUBLISHES_HOST && (notified->is_any || notified->is_host))
		sc_talk_keep(t, &t->to_host, &step->when);
}

/* Known by its name, not by code (analyzer/kernel/code.c). */
static bool is_collective(const struct sc_analysis *a, uint32_t kernel, unsigned grid)
{
	const struct sc_code_kernel *k;

	if (!(grid & SC_GRID_OBSERVES) || grid & SC_GRID_KNOWN)
		return 0;
	k = sc_code_kernel(a->order.code, kernel);
	return k && !k->code;
}

static void note_collective(struct sc_analysis *a, const struct sc_step *step)
{
	struct sc_talks *t = &a->order.talks;
	const struct sc_talk_words anywhere = {.is_any = 1};

	sc_talk_publish(t, &step->when, SC_TALK_COLLECTIVE, &anywhere);
	(void)sc_talk_observe(t, &step->when, SC_TALK_COLLECTIVE, &anywhere);
	sc_talk_keep(t, &t->collectives, &step->when);
}

/* True if it may write memory that none of its uses names. */
static bool is_open(const struct sc_analysis *a)
{
	for (size_t i = 0; i < a->uses.count; i++)
		if (a->uses.items[i].shape.known == SC_KNOWN_PARAMETER)
			return 1;
	return a->kernels.open != SC_REASON_NONE || (!a->uses.count && !a->kernels.has_footprint);
}

/* The words that the kernel may wait for; none: it waits for nothing. */
static struct sc_talk_words polled_by_kernel(const struct sc_analysis *a)
{
	struct sc_talk_words w = words_of(a, add_polled);

	if (!w.count && !w.is_any)
		w = words_of(a, add_read);
	w.is_any |= !w.count && is_open(a);
	return w;
}

static void note_kernel(struct sc_analysis *a, const struct sc_step *step)
{
	unsigned grid = a->order.code ? sc_code_grid(a->order.code, step->op->object) : 0;
	unsigned observed = observed_by(grid);
	struct sc_talk_words w, notified;

	if (is_open(a))
		sc_talk_note_open(&a->order.talks, &step->when);
	sc_talk_copies_step(a, step);
	if (is_collective(a, step->op->object, grid)) {
		note_collective(a, step);
		return;
	}
	if (grid & (SC_GRID_PUBLISHES | SC_GRID_PUBLISHES_HOST)) {
		w = words_of(a, add_written);
		notified = words_of(a, is_notified_plainly(grid) ? add_written : add_notified);
		publish(a, step, grid, &w, &notified);
	}
	if (observed) {
		w = polled_by_kernel(a);
		if (w.count || w.is_any)
			observe(a, &step->when, observed, &w);
	}
}

void sc_talk_uses_launch(struct sc_analysis *a, const struct sc_step *step, unsigned grid,
			 const struct sc_replay *r)
{
	struct sc_talks *t = &a->order.talks;
	unsigned observed = observed_by(grid);
	void (*notify)(struct sc_talk_words *, const struct sc_use *) =
		is_notified_plainly(grid) ? add_written : add_notified;
	struct sc_talk_words polled = {0}, written = {0}, notified = {0};
	size_t unused;

	if (!sc_executed_graph(&a->kernels.executed, step->sequence, &unused))
		sc_talk_note_open(t, &step->when);
	sc_talk_copies_launch(a, step, grid, r);
	if (!observed && !t->pending && !(grid & (SC_GRID_PUBLISHES | SC_GRID_PUBLISHES_HOST)))
		return;
	for (size_t i = 0; i < r->uses.count; i++) {
		add_polled(&polled, &r->uses.items[i].use);
		add_written(&written, &r->uses.items[i].use);
		notify(&notified, &r->uses.items[i].use);
	}
	polled.is_any |= !polled.count;
	if (t->pending) /* its copies and fills */
		sc_talk_publish(t, &step->when, SC_TALK_HOST | SC_TALK_DEVICE, &written);
	if (observed)
		observe(a, &step->when, observed, &polled);
	publish(a, step, grid, &written,
		&notified); /* its own nodes may wait for each other, too */
}

/* ---- all else ---- */

static void note_host_function(struct sc_analysis *a, const struct sc_step *step)
{
	struct sc_talks *t = &a->order.talks;
	const struct sc_talk_words anywhere = {.is_any = 1, .is_host = 1};

	sc_talk_publish(t, &step->when, SC_TALK_HOST, &anywhere);
	sc_talk_keep(t, &t->called, &step->when);
}

static void add_heard(void *data, const struct sc_interval *op)
{
	struct observing *o = data;

	sc_talk_hear_of(o->talks, o->heard, op);
}

/* Whether something that is in flight may write the words that the host reads. If not, these say
 * nothing of what is: a length that a loop reads again and again is no flag. */
struct asking {
	const struct sc_interval *host;
	bool is_written;
};

static void ask(void *data, const struct sc_interval *op)
{
	struct asking *q = data;

	q->is_written |= !sc_interval_before(op, q->host);
}

static bool may_change(struct sc_analysis *a, const struct sc_step *step,
		       const struct sc_talk_words *w)
{
	const struct sc_talks *t = &a->order.talks;
	struct asking q = {.host = &step->host};

	if (w->is_any || !w->count || t->open.count || t->wild.count || t->called.count)
		return 1;
	look_back(a, w, ask, &q);
	return q.is_written;
}

/* What the host reads once says what publishes to the host; what it reads until it changes, who
 * wrote it, and of what else nothing is known (M-4). */
static void note_host_read(struct sc_analysis *a, const struct sc_step *step)
{
	struct observing o = {.talks = &a->order.talks};
	struct sc_talk_words w = {0};
	bool is_polled = step->op->flags & SC_FLAG_POLLED;
	bool may_be_polled = is_polled || step->op->flags & SC_FLAG_UNDECIDED;

	if (!o.talks->to_host.count && !may_be_polled)
		return;
	for (size_t i = 0; i < a->uses.count; i++)
		add(&w, &a->uses.items[i]);
	if (may_be_polled && !may_change(a, step, &w))
		may_be_polled = is_polled = 0;
	if (may_be_polled)
		sc_order_note_unseen(&a->order, step->sequence + 1, sc_signal_doubt(step));
	if (!o.talks->to_host.count && !is_polled)
		return;
	if (step->inside) {
		o.observer = sc_talk_observe(o.talks, &step->host, SC_TALK_HOST, &w);
		for (size_t i = 0; i < o.talks->to_host.count; i++)
			add_publisher(&o, &o.talks->to_host.items[i]);
		if (is_polled)
			look_back(a, &w, add_publisher, &o);
		return;
	}
	o.heard = sc_talk_hear(o.talks, step->host.position);
	if (is_polled)
		look_back(a, &w, add_heard, &o);
}

static void note_write(struct sc_analysis *a, const struct sc_step *step)
{
	struct sc_talks *t = &a->order.talks;
	bool is_for_host =
		step->op->kind == SC_OP_VALUE_WRITE && step->op->dst_mem != SC_MEM_DEVICE;
	struct sc_talk_words w;

	sc_talk_copies_step(a, step);
	if (is_for_host)
		sc_talk_keep(t, &t->to_host, &step->when);
	if (!t->pending)
		return;
	w = words_of(a, add_written);
	if (w.count || w.is_any)
		sc_talk_publish(t, &step->when, SC_TALK_HOST | SC_TALK_DEVICE, &w);
}

/* True of what an edit may put into a program (extensions/repair): that is no answer. */
static bool is_order(unsigned kind)
{
	return kind == SC_OP_EVENT_RECORD || kind == SC_OP_EVENT_WAIT ||
	       sc_op_kind_class(kind) == SC_CLASS_WAIT;
}

void sc_talk_uses_step(struct sc_analysis *a, const struct sc_step *step)
{
	if (!is_order(step->op->kind))
		a->order.talks.answers += a->order.talks.await_host;
	switch (step->op->kind) {
	case SC_OP_HOST_READ: note_host_read(a, step); return;
	case SC_OP_GRAPH_LAUNCH: return;
	}
	if (!step->is_enqueued)
		return;
	switch (step->op->kind) {
	case SC_OP_KERNEL: note_kernel(a, step); break;
	case SC_OP_HOST_FUNC: note_host_function(a, step); break;
	default: note_write(a, step); break;
	}
}
