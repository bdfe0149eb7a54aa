/* Rule 138: managed memory that was discarded (M-8). Races with a discard are in race.c.
 *
 * What is remembered: discarded bytes that nothing has written since, and the last prefetches,
 * which collide with discards only. Whatever may have written them unseen makes them forgotten: the
 * host, once it knows that the discard is over, host functions, graphs with such or of which not
 * all is known.
 */
#include <stdbool.h>
#include "analyzer/access/replay.h"
#include "analyzer/rules/family.h"
#include "analyzer/rules/race/race.h"
#include "analyzer/rules/rights.h"

#define KEPT 256

struct range {
	const struct sc_allocation *memory; /* borrowed; of the same `begun` only */
	uint64_t begun;
	uint64_t first, end;
	struct sc_note *note; /* counted */
	bool is_doubtful;     /* kernels ran since of which not all is known */
};

struct discards {
	SC_VECTOR(struct range) discarded;
	SC_VECTOR(struct range) prefetched;
};

static bool overlaps(const struct range *x, const struct range *y)
{
	return x->begun == y->begun && x->memory == y->memory && x->first < y->end &&
	       y->first < x->end;
}

static struct range range_of(const struct sc_use *use)
{
	return (struct range){.memory = use->allocation,
			      .begun = use->allocation->sequence,
			      .first = use->shape.base,
			      .end = sc_shape_end(&use->shape)};
}

static void drop_at(struct sc_analysis *a, struct range *items, size_t *count, size_t at)
{
	sc_note_put(&a->memory.notes, items[at].note);
	for (--*count; at < *count; at++)
		items[at] = items[at + 1];
}

static void forget_all(struct discards *d, struct sc_analysis *a)
{
	while (d->discarded.count)
		drop_at(a, d->discarded.items, &d->discarded.count, d->discarded.count - 1);
}

/* Bytes that are written, or forgotten, are no longer discarded. */
static void cut(struct discards *d, struct sc_analysis *a, const struct range *what)
{
	for (size_t i = d->discarded.count; i-- > 0;) {
		struct range *r = &d->discarded.items[i];
		struct range rest = *r;

		if (!overlaps(r, what))
			continue;
		if (r->first < what->first && what->end < r->end) {
			rest.first = what->end;
			r->end = what->first;
			sc_note_get(rest.note);
			sc_vector_push(&d->discarded, rest);
		} else if (r->first < what->first) {
			r->end = what->first;
		} else if (what->end < r->end) {
			r->first = what->end;
		} else {
			drop_at(a, d->discarded.items, &d->discarded.count, i);
		}
	}
}

static void keep(struct discards *d, struct sc_analysis *a, const struct sc_step *step,
		 struct range r, bool is_prefetch)
{
	r.note = sc_race_note(a, step, 0);
	if (is_prefetch) {
		if (d->prefetched.count == KEPT)
			drop_at(a, d->prefetched.items, &d->prefetched.count, 0);
		sc_vector_push(&d->prefetched, r);
		return;
	}
	if (d->discarded.count >= KEPT) {
		drop_at(a, d->discarded.items, &d->discarded.count, 0);
		a->coverage.discards++;
	}
	sc_vector_push(&d->discarded, r);
}

static void file(struct sc_analysis *a, const struct sc_worker *w, const struct range *earlier,
		 const struct sc_use *use, enum sc_doubt doubt)
{
	struct sc_finding f = sc_worker_finding(a, SC_RULE_138, w, use);

	sc_finding_add_earlier(&f, earlier->note->sequence, SC_SIDE_WRITE);
	f.side[0].stream = earlier->note->op.stream;
	f.side[0].thread = earlier->note->op.thread;
	f.side[0].address = earlier->first;
	f.side[0].bytes = earlier->end - earlier->first;
	if (f.doubt == SC_DOUBT_NONE && doubt != SC_DOUBT_NONE) {
		f.doubt = doubt;
		f.confidence = SC_POSSIBLE;
	}
	sc_finding_file(a, &f, &earlier->note->op, sc_worker_op(w));
}

static enum sc_doubt doubt_of(const struct sc_analysis *a, const struct range *earlier,
			      const struct sc_interval *now)
{
	enum sc_doubt unseen = sc_order_unseen(&a->order, earlier->note->sequence + 1);

	if (unseen == SC_DOUBT_NONE)
		unseen = sc_signal_may_order(&a->order.signals, &earlier->note->when, now, 0);
	if (unseen != SC_DOUBT_NONE)
		return unseen;
	return earlier->is_doubtful ? SC_DOUBT_FOOTPRINT : SC_DOUBT_NONE;
}

static enum sc_doubt doubt_of_order(const struct sc_analysis *a, const struct range *earlier,
				    const struct sc_step *step)
{
	enum sc_doubt doubt = doubt_of(a, earlier, &step->when);

	if (doubt == SC_DOUBT_NONE &&
	    sc_luck_orders(&a->order.host.luck, &earlier->note->when, &step->when))
		return SC_DOUBT_LUCK;
	return doubt;
}

/* A prefetch and a discard of the same bytes, in whatever order they come. */
static void check_prefetch(struct sc_analysis *a, const struct sc_step *step,
			   const struct sc_use *use, const struct range *earlier, size_t count)
{
	struct range mine = range_of(use);

	for (size_t i = 0; i < count; i++) {
		struct range r = earlier[i];

		if (!overlaps(&r, &mine) || sc_interval_before(&r.note->when, &step->when))
			continue;
		r.is_doubtful = 0;
		file(a, &(struct sc_worker){.step = step}, &r, use, doubt_of_order(a, &r, step));
		return;
	}
}

static void discard(struct discards *d, struct sc_analysis *a, const struct sc_step *step)
{
	for (size_t i = 0; i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];
		struct range r = range_of(use);

		check_prefetch(a, step, use, d->prefetched.items, d->prefetched.count);
		cut(d, a, &r);
		if (!step->op->value) /* else it is prefetched in the same breath */
			keep(d, a, step, r, 0);
	}
}

/* The range of a prefetch; those of a batch are attached. */
static void prefetch_one(struct discards *d, struct sc_analysis *a, const struct sc_step *step,
			 uint64_t address, uint64_t bytes)
{
	struct sc_use use = {0};
	uint64_t canonical;
	struct range r;

	use.allocation = sc_memory_find(&a->memory, address, &canonical);
	use.shape = sc_shape_linear(canonical, bytes, SC_READ, SC_KNOWN_EXACT);
	if (!use.allocation || !sc_shape_simplify(&use.shape))
		return;
	check_prefetch(a, step, &use, d->discarded.items, d->discarded.count);
	r = range_of(&use);
	cut(d, a, &r);
	keep(d, a, step, r, 1);
}

static void prefetch(struct discards *d, struct sc_analysis *a, const struct sc_record *r,
		     const struct sc_step *step)
{
	uint32_t bytes = 0;
	const struct sc_access *list = sc_record_attachment(r, SC_ATTACH_ACCESSES, &bytes);

	if (!list)
		prefetch_one(d, a, step, step->op->dst, step->op->bytes);
	for (uint32_t i = 0; i < bytes / sizeof(*list); i++)
		prefetch_one(d, a, step, list[i].base, list[i].width);
}

/* The host may have written what it knows to be discarded, unseen. */
static void forget_known(struct discards *d, struct sc_analysis *a)
{
	for (size_t i = d->discarded.count; i-- > 0;) {
		const struct sc_interval *w = &d->discarded.items[i].note->when;

		if (sc_clock_at(a->order.host.clock, w->lane) >= w->position)
			drop_at(a, d->discarded.items, &d->discarded.count, i);
	}
}

static const struct sc_interval *moment(const struct sc_step *step, const struct sc_use *use)
{
	return use->is_host ? &step->host : &step->when;
}

/* The discarded bytes that a use reads, or NULL. */
static const struct range *read_by(const struct discards *d, const struct sc_step *step,
				   const struct sc_use *use)
{
	struct range mine = range_of(use);
	const struct sc_interval *now = moment(step, use);

	for (size_t i = 0; i < d->discarded.count; i++) {
		const struct range *r = &d->discarded.items[i];

		if (overlaps(r, &mine) && sc_interval_before(&r->note->when, now))
			return r; /* else unordered: a race */
	}
	return NULL;
}

static void check_read(struct discards *d, struct sc_analysis *a, const struct sc_worker *w,
		       const struct sc_use *use)
{
	const struct range *r = read_by(d, w->step, use);

	if (r)
		file(a, w, r, use, doubt_of(a, r, moment(w->step, use)));
}

/* A kernel of which not all is known may write anything that it finds in memory. */
static void doubt(struct discards *d, struct sc_analysis *a, const struct sc_op *op)
{
	bool is_known = a->uses.count > 0;

	if (op->kind != SC_OP_KERNEL)
		return;
	for (size_t i = 0; i < a->uses.count; i++)
		is_known &= a->uses.items[i].shape.known != SC_KNOWN_PARAMETER;
	for (size_t i = 0; !is_known && i < d->discarded.count; i++)
		d->discarded.items[i].is_doubtful = 1;
}

static void check_uses(struct discards *d, struct sc_analysis *a, const struct sc_worker *w)
{
	doubt(d, a, sc_worker_op(w));
	for (size_t i = 0; i < a->uses.count; i++) {
		struct range r = range_of(&a->uses.items[i]);

		if (sc_mode_writes(a->uses.items[i].shape.mode))
			cut(d, a, &r);
	}
	for (size_t i = 0; i < a->uses.count; i++)
		if (a->uses.items[i].shape.mode == SC_READ)
			check_read(d, a, w, &a->uses.items[i]);
}

/* Another node of the launch may write the bytes before the node reads them: if these are not
 * ordered, that is a race. */
static bool may_be_written(const struct sc_replay *r, uint32_t node, const struct sc_use *use)
{
	struct range mine = range_of(use);

	for (uint32_t i = 0; i < r->graph->places; i++) {
		const struct sc_replay_part *p = &r->parts[i];

		for (uint32_t k = p->first; k < p->first + p->count; k++) {
			const struct sc_replay_use *u = &r->uses.items[k];
			struct range other = range_of(&u->use);

			if (u->node != node && sc_mode_writes(u->use.shape.mode) &&
			    overlaps(&other, &mine) && !sc_graph_reaches(r->graph, node, u->node))
				return 1;
		}
	}
	return 0;
}

static void check_node(struct discards *d, struct sc_analysis *a, const struct sc_step *step,
		       const struct sc_replay *r, uint32_t place)
{
	const struct sc_replay_part *p = &r->parts[place];
	struct sc_worker w = {.step = step, .node = sc_graph_at(r->graph, place)};

	sc_vector_clear(&a->uses);
	for (uint32_t i = p->first; i < p->first + p->count; i++) {
		const struct sc_replay_use *u = &r->uses.items[i];
		bool is_written = u->use.shape.mode == SC_READ && read_by(d, step, &u->use) &&
				  may_be_written(r, u->node, &u->use);

		if (!is_written)
			sc_vector_push(&a->uses, u->use);
	}
	if (p->count || w.node->op.kind == SC_OP_KERNEL)
		check_uses(d, a, &w);
	sc_vector_clear(&a->uses); /* a launch has none of its own */
}

/* Host nodes may write anything, as host functions of streams may. */
static void check_launch(struct discards *d, struct sc_analysis *a, const struct sc_step *step)
{
	const struct sc_exec *e = sc_exec_find(&a->order.execs, step->op->object);
	const struct sc_replay *r = step->is_enqueued && e ? e->replay : NULL;

	if (!r || e->graph->is_broken || e->graph->callbacks.count) {
		forget_all(d, a);
		return;
	}
	forget_known(d, a);
	for (uint32_t i = 0; d->discarded.count && i < r->graph->places; i++)
		check_node(d, a, step, r, r->graph->topology->rows.order[i]);
}

static void check_other(struct discards *d, struct sc_analysis *a, const struct sc_step *step)
{
	forget_known(d, a);
	check_uses(d, a, &(struct sc_worker){.step = step});
}

static bool sees_routine(const void *state, const struct sc_analysis *a)
{
	const struct discards *d = state;

	(void)a;
	return d->discarded.count > 0;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct discards *d = state;
	uint16_t kind = r->op.kind;
	bool is_new = kind == SC_OP_DISCARD || kind == SC_OP_PREFETCH;

	if ((is_new ? !step->is_enqueued : !d->discarded.count) || r->op.phase == SC_PHASE_END)
		return;
	if (kind == SC_OP_DISCARD)
		discard(d, a, step);
	else if (kind == SC_OP_PREFETCH)
		prefetch(d, a, r, step);
	else if (kind == SC_OP_HOST_FUNC)
		forget_all(d, a);
	else if (kind == SC_OP_GRAPH_LAUNCH)
		check_launch(d, a, step);
	else
		check_other(d, a, step);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct discards *d = state;

	forget_all(d, a);
	while (d->prefetched.count)
		drop_at(a, d->prefetched.items, &d->prefetched.count, d->prefetched.count - 1);
	sc_vector_fini(&d->discarded);
	sc_vector_fini(&d->prefetched);
}

const struct sc_rule_family sc_rules_discard = {
	.state_bytes = sizeof(struct discards),
	.sees_routine = sees_routine,
	.step = check_record,
	.finish = finish,
};
