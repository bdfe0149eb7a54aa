/* Plan: which edit is tried next for a need. */
#include "extensions/repair/planner/plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "extensions/repair/planner/applied.h"
#include "analyzer/symbol/callsite.h"
#include "base/heap.h"

#define ROUNDS_MOST 24 /* of trying edits for what is left */

/* Outcomes. */

static int by_number(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

void sc_outcome_take(struct sc_outcome *o, const struct sc_analysis *found)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_members(found, &count);

	*o = (struct sc_outcome){.answers = sc_analysis_answers(found)};
	for (size_t i = 0; i < count; i++) {
		if (sc_repair_is_about(&f[i]))
			sc_vector_push(&o->keys, f[i].places);
	}
	if (o->keys.count)
		qsort(o->keys.items, o->keys.count, sizeof(*o->keys.items), by_number);
}

bool sc_outcome_has(const struct sc_outcome *o, uint64_t key)
{
	return o->keys.count && bsearch(&key, o->keys.items, o->keys.count, sizeof(key), by_number);
}

size_t sc_outcome_beyond(const struct sc_outcome *o, const struct sc_outcome *wider)
{
	size_t beyond = o->answers < wider->answers ? wider->answers - o->answers : 0;

	for (size_t i = 0; i < o->keys.count; i++)
		beyond += !sc_outcome_has(wider, o->keys.items[i]);
	return beyond;
}

void sc_outcome_fini(struct sc_outcome *o)
{
	sc_vector_fini(&o->keys);
}

bool sc_plan_analyze(struct sc_plan *p, struct sc_analysis **found, bool is_last)
{
	struct sc_analysis_settings settings = *p->settings->analysis;
	struct sc_applied applied;

	*found = NULL;
	if (p->read + p->facts.count * (1 + !is_last) > p->settings->most_records) {
		p->is_bounded = 1;
		return 0;
	}
	p->read += p->facts.count;
	p->analyses++;
	settings.advice = 0;
	settings.same = p->first;
	sc_applied_begin(&applied, p->reader, &p->facts, p->edits.items, p->edits.count, p->room);
	if (sc_analysis_run(found, p->reader, &settings))
		abort(); /* out of memory, as in base/heap.h */
	sc_applied_end(&applied, p->reader);
	return 1;
}

/* Candidates. */

static const uint8_t for_device[] = {SC_EDIT_RECORD,	  SC_EDIT_MOVE,	      SC_EDIT_WAIT,
				     SC_EDIT_FREE_STREAM, SC_EDIT_EVENT,      SC_EDIT_EVENT_EACH,
				     SC_EDIT_SYNC_STREAM, SC_EDIT_SYNC_AFTER, SC_EDIT_SYNC_DEVICE};
static const uint8_t for_host[] = {SC_EDIT_RECORD,	SC_EDIT_MOVE,	    SC_EDIT_HOST_WAIT,
				   SC_EDIT_SYNC_STREAM, SC_EDIT_HOST_EVENT, SC_EDIT_SYNC_EACH,
				   SC_EDIT_FRAME,	SC_EDIT_SYNC_AFTER, SC_EDIT_SYNC_DEVICE};

static const uint8_t for_nodes[] = {SC_EDIT_EDGE};

/* Makes the edit of a kind for a group of needs; false if there is none. */
static bool make(struct sc_plan *p, struct sc_edit *e, enum sc_edit_kind kind,
		 const struct sc_need *a, const struct sc_need *b)
{
	struct sc_repair_depth whole = {.lines = UINT32_MAX};
	const struct sc_known_record *record;
	const uint64_t *frames;

	*e = (struct sc_edit){.kind = (uint8_t)kind,
			      .first = a->at[0],
			      .before = b->at[1],
			      .stream = a->first.op.stream,
			      .waiting = b->waiting,
			      .key = b->key};
	if (e->before.is_foreign && kind != SC_EDIT_MOVE && kind != SC_EDIT_RECORD &&
	    kind != SC_EDIT_FRAME && kind != SC_EDIT_SYNC_AFTER)
		return 0;
	switch (kind) {
	case SC_EDIT_RECORD:
		e->event = b->event;
		e->before = b->wait;
		return b->event != 0;
	case SC_EDIT_FRAME: e->before = e->first; return (b->second.op.flags & SC_FLAG_FRAME) != 0;
	case SC_EDIT_SYNC_AFTER: e->before = e->first; return 1;
	case SC_EDIT_MOVE: e->before = a->record; return a->is_moved;
	case SC_EDIT_FREE_STREAM: return b->second.op.kind == SC_OP_FREE_ASYNC;
	case SC_EDIT_WAIT:
	case SC_EDIT_HOST_WAIT:
		record = sc_trace_facts_record(&p->facts, e->stream, a->first.place,
					       b->second.place);
		if (!record)
			return 0;
		if (record->stack)
			whole.frames = (uint32_t)sc_reader_stack(p->reader, record->stack, &frames);
		e->first = sc_place_of(p->reader, record->stack, record->place, whole);
		e->event = record->event;
		return 1;
	default: return 1;
	}
}

static bool is_known(const struct sc_plan *p, const struct sc_edit *e)
{
	for (size_t i = 0; i < p->edits.count; i++) {
		const struct sc_edit *x = p->edits.items[i];

		if (x && x->kind == e->kind && x->first.hash == e->first.hash &&
		    x->before.hash == e->before.hash)
			return 1;
	}
	return 0;
}

/* Tries the next kind of edit between two places; false if all were tried. */
static bool propose(struct sc_plan *p, const struct sc_need *a, const struct sc_need *b)
{
	const uint8_t *kinds = b->is_edge ? for_nodes : b->waiting ? for_device : for_host;
	size_t count = b->is_edge   ? sizeof(for_nodes)
		       : b->waiting ? sizeof(for_device)
				    : sizeof(for_host);
	uint64_t key = sc_hash_add(sc_hash_add(a->at[0].hash, b->at[1].hash),
				   b->waiting != 0 || b->is_edge);
	uint64_t *step = sc_u64_map_get(&p->steps, key);
	struct sc_edit e;

	while (*step < count) {
		if (!make(p, &e, (enum sc_edit_kind)kinds[(*step)++], a, b) || is_known(p, &e))
			continue;
		sc_vector_push(&p->edits, sc_heap_xcalloc(1, sizeof(e)));
		**sc_vector_last(&p->edits) = e;
		return 1;
	}
	return 0;
}

/* The latest first op of a group, so that one record covers all. */
static const struct sc_need *latest(const struct sc_need *group, size_t count)
{
	const struct sc_need *best = group;

	for (size_t i = 1; i < count; i++)
		if (group[i].first.place > best->first.place)
			best = &group[i];
	return best;
}

/* One edit for the group when it is met first, one for each need later. */
static bool propose_group(struct sc_plan *p, const struct sc_need *group, size_t count)
{
	uint64_t *rounds = sc_u64_map_get(&p->met, group->key);
	bool is_new = 0;

	if (!(*rounds)++ && propose(p, latest(group, count), group))
		return 1;
	for (size_t i = 0; i < count; i++) {
		*sc_u64_map_get(&p->met, group[i].key) += i > 0;
		is_new |= propose(p, &group[i], &group[i]);
	}
	return is_new;
}

void sc_plan_needs(const struct sc_plan *p, const struct sc_analysis *found, uint32_t room,
		   struct sc_needs *needs)
{
	struct sc_need_source source = {p->reader, found, &p->facts, p->settings, room};
	size_t count;
	const struct sc_finding *f = sc_analysis_members(found, &count);

	for (size_t i = 0; i < count; i++) {
		struct sc_need need;

		if (sc_repair_is_about(&f[i]) &&
		    sc_need_of(&need, &source, &f[i]) == SC_UNMENDED_NONE)
			sc_vector_push(&needs->list, need);
	}
}

/* Adds edits for what an analysis found; false if there is nothing new to try. */
static bool propose_all(struct sc_plan *p, const struct sc_analysis *found, uint32_t room)
{
	struct sc_need_groups groups = {0};
	struct sc_needs needs = {0};
	size_t begin = 0;
	bool is_new = 0;

	sc_plan_needs(p, found, room, &needs);
	sc_needs_group(&needs, &groups);
	for (size_t i = 0; i < groups.ends.count; i++) {
		size_t end = groups.ends.items[i];

		is_new |= propose_group(p, &needs.list.items[begin], end - begin);
		begin = end;
	}
	sc_vector_fini(&needs.list);
	sc_vector_fini(&groups.ends);
	return is_new;
}

static void drop(struct sc_plan *p, size_t i)
{
	free(p->edits.items[i]);
	p->edits.items[i] = NULL;
}

/* Drops edits that cannot be written, and such as did nothing; false if there were none. */
static bool drop_flawed(struct sc_plan *p)
{
	bool has_dropped = 0;

	for (size_t i = 0; i < p->edits.count; i++) {
		struct sc_edit *e = p->edits.items[i];

		if (!e || (!e->flaw && e->calls))
			continue;
		has_dropped = 1;
		*sc_u64_map_get(&p->flaws, e->key) = e->flaw;
		drop(p, i);
	}
	return has_dropped;
}

/* Drops the edit that does most harm; false if there is none. */
static bool drop_harmful(struct sc_plan *p, const struct sc_outcome *left,
			 const struct sc_outcome *before)
{
	size_t least = sc_outcome_beyond(left, before), worst = SIZE_MAX;
	enum sc_edit_flaw flaw = SC_FLAW_HARM;
	struct sc_analysis *found;

	for (size_t i = 0; least && i < p->edits.count; i++) {
		struct sc_edit *e = p->edits.items[i];
		struct sc_outcome now;
		bool is_read;

		p->edits.items[i] = NULL;
		is_read = e && sc_plan_analyze(p, &found, 0);
		p->edits.items[i] = e;
		if (!is_read)
			continue;
		sc_outcome_take(&now, found);
		if (sc_outcome_beyond(&now, before) < least) {
			least = sc_outcome_beyond(&now, before);
			flaw = now.answers > left->answers ? SC_FLAW_HELD : SC_FLAW_HARM;
			worst = i;
		}
		sc_outcome_fini(&now);
		sc_analysis_free(found);
	}
	if (worst == SIZE_MAX)
		return 0;
	*sc_u64_map_get(&p->flaws, p->edits.items[worst]->key) = flaw;
	drop(p, worst);
	return 1;
}

/* Edits that were added after the last analysis are not known to be good. */
static void drop_from(struct sc_plan *p, size_t first)
{
	while (p->edits.count > first) {
		free(*sc_vector_last(&p->edits));
		p->edits.count--;
	}
}

/* One round: an analysis with the edits so far, then what to change. Returns false at the end. */
static bool improve(struct sc_plan *p, const struct sc_outcome *before, struct sc_outcome *left,
		    bool *is_judged)
{
	size_t checked = p->edits.count;
	struct sc_analysis *found;
	bool is_changed;

	if (!sc_plan_analyze(p, &found, 0))
		return 0;
	sc_outcome_fini(left);
	sc_outcome_take(left, found);
	is_changed = drop_flawed(p);
	*is_judged = !is_changed;
	p->checked = checked;
	is_changed |= propose_all(p, found, p->room);
	sc_analysis_free(found);
	if (!is_changed && drop_harmful(p, left, before))
		is_changed = !(*is_judged = 0);
	return is_changed;
}

void sc_plan_grow(struct sc_plan *p, const struct sc_analysis *first, struct sc_outcome *left)
{
	struct sc_outcome before;
	struct sc_analysis *found;
	bool is_judged = 1, is_new;

	sc_outcome_take(&before, first);
	sc_outcome_take(left, first);
	is_new = propose_all(p, first, 1);
	for (unsigned round = 0; is_new && round < ROUNDS_MOST; round++)
		is_new = improve(p, &before, left, &is_judged);
	p->is_bounded |= is_new;
	drop_from(p, p->checked);
	if (!is_judged && sc_plan_analyze(p, &found, 1)) {
		sc_outcome_fini(left);
		sc_outcome_take(left, found);
		sc_analysis_free(found);
		is_judged = !drop_flawed(p);
	}
	if (!is_judged || sc_outcome_beyond(left, &before)) {
		drop_from(p, 0);
		sc_outcome_fini(left);
		sc_outcome_take(left, first);
	}
	sc_outcome_fini(&before);
}
