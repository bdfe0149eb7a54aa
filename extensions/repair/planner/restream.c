/* Restreaming: candidates from both sides of each need, tried alone and then in the plan. */
#include "extensions/repair/planner/restream.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"

#define TRIED_MOST 32 /* that are tried alone */

struct candidate {
	struct sc_edit edit;
	size_t needs; /* that speak for it */
};

struct candidates {
	SC_VECTOR(struct candidate) list;
};

/* ---- candidates ---- */

static void add_edit(struct candidates *c, const struct sc_edit *new)
{
	const struct sc_edit_place *at = &new->before, *first = &new->first;

	if (at->is_foreign || at->has_inner || at->hash == first->hash)
		return;
	for (size_t i = 0; i < c->list.count; i++) {
		struct sc_edit *e = &c->list.items[i].edit;

		if (e->before.hash != at->hash || e->stream != new->stream)
			continue;
		c->list.items[i].needs++;
		/* A line that comes before is known to have named it. */
		if (e->first.op > e->before.op && first->op < at->op)
			e->first = *first;
		return;
	}
	sc_vector_push(&c->list, ((struct candidate){.edit = *new, .needs = 1}));
}

/* One operation of the device goes into the stream of the other. */
static void add_pair(struct candidates *c, const struct sc_need *n, unsigned moves)
{
	const struct sc_need_end *ends[] = {&n->first, &n->second};

	add_edit(c, &(struct sc_edit){.kind = SC_EDIT_STREAM,
				      .first = n->at[!moves],
				      .before = n->at[moves],
				      .stream = ends[!moves]->op.stream,
				      .waiting = ends[moves]->op.stream,
				      .key = n->key});
}

/* The operation that the host did not wait for goes into a stream that it did wait for. */
static void add_awaited(struct candidates *c, const struct sc_plan *p, const struct sc_need *n)
{
	const struct sc_known_sync *s =
		sc_trace_facts_sync(&p->facts, n->second.op.thread, n->first.op.stream,
				    n->first.place, n->second.place);
	struct sc_repair_depth whole = {.lines = UINT32_MAX};
	const uint64_t *frames;

	if (!s || s->context != n->first.op.context)
		return;
	whole.frames = s->stack ? (uint32_t)sc_reader_stack(p->reader, s->stack, &frames) : 0;
	add_edit(c, &(struct sc_edit){.kind = SC_EDIT_STREAM,
				      .first = sc_place_of(p->reader, s->stack, s->place, whole),
				      .before = n->at[0],
				      .stream = s->stream,
				      .waiting = n->first.op.stream,
				      .key = n->key});
}

static int by_needs(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->needs != b->needs)
		return a->needs > b->needs ? -1 : 1;
	if (a->edit.before.op != b->edit.before.op)
		return a->edit.before.op > b->edit.before.op ? -1 : 1;
	return (a->edit.stream > b->edit.stream) - (a->edit.stream < b->edit.stream);
}

static void collect(struct candidates *c, const struct sc_plan *p, struct sc_needs needs)
{
	for (size_t i = 0; i < needs.list.count; i++) {
		const struct sc_need *n = &needs.list.items[i];

		if (n->is_edge || n->is_early || n->late_count)
			continue;
		if (!n->waiting)
			add_awaited(c, p, n);
		if (!n->waiting || n->first.op.context != n->second.op.context)
			continue;
		add_pair(c, n, 1);
		add_pair(c, n, 0);
	}
	if (c->list.count)
		qsort(c->list.items, c->list.count, sizeof(*c->list.items), by_needs);
	sc_vector_fini(&needs.list);
}

/* ---- trials ---- */

/* Records that it takes to leave each edit of the plan out once more. */
static uint64_t kept_records(const struct sc_plan *p)
{
	size_t edits = 0;

	for (size_t i = 0; i < p->edits.count; i++)
		edits += p->edits.items[i] != NULL;
	return (edits + 1) * p->facts.count;
}

/* Analyzes the trace with some edits in place of the plan's; false if no more may be read, of which
 * some is kept. */
static bool analyze(struct sc_plan *p, struct sc_edit **edits, size_t count, uint64_t kept,
		    struct sc_outcome *out)
{
	struct sc_edit **items = p->edits.items;
	size_t all = p->edits.count;
	bool is_done;

	if (p->read + p->facts.count + kept > p->settings->most_records)
		return 0;
	p->edits.items = edits;
	p->edits.count = count;
	is_done = sc_plan_try(p, out, NULL, 1);
	p->edits.items = items;
	p->edits.count = all;
	return is_done;
}

static bool is_written(struct sc_edit *const *edits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (edits[i] && (edits[i]->flaw || !edits[i]->calls))
			return 0;
	return 1;
}

static void note_ends(struct sc_edit *e, const struct sc_analysis *found,
		      const struct sc_outcome *now)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_members(found, &count);

	for (size_t i = 0; i < count; i++)
		if (sc_repair_is_about(&f[i]) && !sc_outcome_has(now, f[i].places))
			sc_vector_push(&e->ends, (uint32_t)i);
}

void sc_restream_find(struct sc_restream *s, struct sc_plan *p, const struct sc_analysis *found)
{
	struct candidates c = {0};
	struct sc_outcome before, now;
	struct sc_needs needs = {0};

	*s = (struct sc_restream){0};
	sc_outcome_take(&before, p, found, &needs);
	collect(&c, p, needs);
	for (size_t i = 0; i < c.list.count && i < TRIED_MOST; i++) {
		struct sc_edit e = c.list.items[i].edit, *only = &e;

		if (!analyze(p, &only, 1, kept_records(p), &now))
			break;
		if (is_written(&only, 1) && !sc_outcome_beyond(&now, &before))
			note_ends(&e, found, &now);
		if (e.ends.count)
			sc_vector_push(&s->list, e);
		sc_outcome_fini(&now);
	}
	sc_vector_fini(&c.list);
	sc_outcome_fini(&before);
}

/* ---- the plan ---- */

/* True if the second ends all that the first does. */
static bool covers(const struct sc_edit *e, const struct sc_edit *by)
{
	size_t k = 0;

	for (size_t i = 0; i < e->ends.count; i++) {
		while (k < by->ends.count && by->ends.items[k] < e->ends.items[i])
			k++;
		if (k == by->ends.count || by->ends.items[k] != e->ends.items[i])
			return 0;
	}
	return e->ends.count > 0 && e->is_needed;
}

/* True if another stream may stand in place of a kind of edit. */
static bool is_order(const struct sc_edit *e)
{
	return e->kind >= SC_EDIT_EVENT && e->kind != SC_EDIT_EDGE && e->kind != SC_EDIT_STREAM &&
	       e->kind != SC_EDIT_KERNEL_WAIT && !sc_edit_moves_call(e);
}

struct trial {
	SC_VECTOR(struct sc_edit *) edits; /* the last one is new */
	SC_VECTOR(struct sc_edit) saved;   /* as the plan has them */
	size_t covered;			   /* how many it leaves out */
	bool has_host, is_priced;	   /* one makes the host wait between two operations of the
					device; all have a price */
	uint64_t lost_ns;		   /* of these */
	uint64_t line;			   /* that the new one's operation has to do with by them */
	bool has_lines;			   /* it has to do with several */
};

/* An edit that the new one is for. */
static void note_covered(struct trial *t, const struct sc_edit *e, const struct sc_edit *new)
{
	uint64_t line = e->first.hash == new->before.hash ? e->before.hash : e->first.hash;

	t->has_lines |= t->covered && line != t->line;
	t->line = line;
	t->has_host |= e->waiting && sc_edit_kind_is_host((enum sc_edit_kind)e->kind);
	t->is_priced &= e->is_priced;
	t->lost_ns += e->lost_ns;
	t->covered++;
}

static void trial_init(struct trial *t, const struct sc_plan *p, struct sc_edit *new)
{
	*t = (struct trial){.is_priced = new->is_priced};
	for (size_t i = 0; i < p->edits.count; i++) {
		struct sc_edit *e = p->edits.items[i];

		if (!e)
			continue;
		sc_vector_push(&t->saved, *e);
		if (covers(e, new))
			note_covered(t, e, new);
		else
			sc_vector_push(&t->edits, e);
	}
	sc_vector_push(&t->edits, new);
}

/* What the trial changed in the plan's edits is as it was. */
static void trial_undo(const struct trial *t, struct sc_plan *p)
{
	size_t k = 0;

	for (size_t i = 0; i < p->edits.count; i++)
		if (p->edits.items[i])
			*p->edits.items[i] = t->saved.items[k++];
}

static void trial_fini(struct trial *t)
{
	sc_vector_fini(&t->edits);
	sc_vector_fini(&t->saved);
}

/* True if the plan without what the new edit covers, and with it, leaves no more. */
static bool trial_run(struct trial *t, struct sc_plan *p, uint64_t kept,
		      const struct sc_outcome *left, struct sc_outcome *now)
{
	if (!analyze(p, t->edits.items, t->edits.count, kept, now))
		return 0;
	if (is_written(t->edits.items, t->edits.count) && !sc_outcome_beyond(now, left))
		return 1;
	sc_outcome_fini(now);
	return 0;
}

/* True if the new edit does more than what it is for. An operation between two lines of the other
 * stream is in the wrong one; two lines that take turns are in two streams on purpose. */
static bool is_worth(const struct trial *t, const struct sc_edit *new,
		     const struct sc_analysis *found, const struct sc_outcome *left)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_members(found, &count);

	if (t->has_lines && (!t->is_priced || new->lost_ns <= t->lost_ns))
		return 1;
	if (t->covered == 1 && (t->has_host || (t->is_priced && new->lost_ns < t->lost_ns)))
		return 1;
	for (size_t i = 0; i < new->ends.count; i++)
		if (sc_outcome_has(left, f[new->ends.items[i]].places))
			return 1;
	return 0;
}

/* The plan becomes what was tried. */
static void take(struct trial *t, struct sc_plan *p, struct sc_edit *new)
{
	for (size_t i = 0; i < p->edits.count; i++) {
		struct sc_edit *e = p->edits.items[i];

		if (!e || !covers(e, new))
			continue;
		sc_vector_fini(&e->ends);
		free(e);
		p->edits.items[i] = NULL;
	}
	sc_vector_push(&p->edits, new);
	trial_fini(t);
}

static struct sc_edit *copy_of(const struct sc_edit *e)
{
	struct sc_edit *copy = sc_heap_xcalloc(1, sizeof(*copy));

	*copy = *e;
	copy->ends.items = NULL;
	copy->ends.count = copy->ends.room = 0;
	for (size_t i = 0; i < e->ends.count; i++)
		sc_vector_push(&copy->ends, e->ends.items[i]);
	return copy;
}

static void free_copy(struct sc_edit *e)
{
	sc_vector_fini(&e->ends);
	free(e);
}

bool sc_restream_use(const struct sc_restream *s, struct sc_plan *p,
		     const struct sc_analysis *found, struct sc_outcome *left)
{
	bool is_changed = 0;

	for (size_t i = 0; i < s->list.count; i++) {
		struct sc_edit *new = copy_of(&s->list.items[i]);
		struct sc_outcome now;
		struct trial t;

		trial_init(&t, p, new);
		if (is_worth(&t, new, found, left) &&
		    trial_run(&t, p, kept_records(p), left, &now)) {
			take(&t, p, new);
			sc_outcome_fini(left);
			*left = now;
			is_changed = 1;
			continue;
		}
		trial_undo(&t, p);
		trial_fini(&t);
		free_copy(new);
	}
	return is_changed;
}

const struct sc_edit *sc_restream_instead(const struct sc_restream *s, struct sc_plan *p, size_t i,
					  const struct sc_outcome *left)
{
	const struct sc_edit *found = NULL;

	for (size_t k = 0;
	     p->edits.items[i] && is_order(p->edits.items[i]) && !found && k < s->list.count; k++) {
		struct sc_edit *new;
		struct sc_outcome now;
		struct trial t;

		if (!covers(p->edits.items[i], &s->list.items[k]))
			continue;
		new = copy_of(&s->list.items[k]);
		trial_init(&t, p, new);
		if (t.covered == 1 && trial_run(&t, p, 0, left, &now)) {
			found = &s->list.items[k];
			sc_outcome_fini(&now);
		}
		trial_undo(&t, p);
		trial_fini(&t);
		free_copy(new);
	}
	return found;
}

void sc_restream_fini(struct sc_restream *s)
{
	for (size_t i = 0; i < s->list.count; i++)
		sc_vector_fini(&s->list.items[i].ends);
	sc_vector_fini(&s->list);
}
