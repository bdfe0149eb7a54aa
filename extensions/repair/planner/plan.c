/* Plan: which edit is tried next for a need. */
#include "extensions/repair/planner/plan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "extensions/repair/planner/applied.h"
#include "analyzer/symbol/callsite.h"
#include "base/heap.h"
#include "base/message.h"

#define ROUNDS_MOST 24 /* of trying edits for what is left */

/* Outcomes. */

static int by_number(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/* Among the first ones. */
static bool has_key(const struct sc_outcome *o, size_t count, uint64_t key)
{
	return count && bsearch(&key, o->keys.items, count, sizeof(key), by_number);
}

bool sc_outcome_has(const struct sc_outcome *o, uint64_t key)
{
	return has_key(o, o->keys.count, key);
}

size_t sc_outcome_beyond(const struct sc_outcome *o, const struct sc_outcome *wider)
{
	size_t beyond = o->answers < wider->answers ? (size_t)(wider->answers - o->answers) : 0;

	for (size_t i = 0; i < o->keys.count; i++)
		beyond += !sc_outcome_has(wider, o->keys.items[i]);
	return beyond;
}

void sc_outcome_fini(struct sc_outcome *o)
{
	sc_vector_fini(&o->keys);
}

/* Analyses. */

/* The thread of the second operation; 0 inside of a host function. */
static uint32_t thread_of(const struct sc_plan *p, const struct sc_finding *f, uint32_t room)
{
	struct sc_op op;

	return sc_reader_op(p->reader, sc_side_position(&f->side[f->sides - 1]) / room, &op) &&
			       !op.callback
		       ? op.thread
		       : 0;
}

static void note_threads(struct sc_plan *p, const struct sc_analysis *found)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_members(found, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t thread = sc_repair_is_about(&f[i]) ? thread_of(p, &f[i], 1) : 0;
		size_t k = 0;

		while (k < p->threads.count && p->threads.items[k] != thread)
			k++;
		if (thread && k == p->threads.count)
			sc_vector_push(&p->threads, thread);
	}
}

/* The need of a finding that is left; false if it has none. */
static bool find_need(const struct sc_plan *p, const struct sc_need_source *source,
		      const struct sc_finding *f, struct sc_need *out)
{
	enum sc_unmended reason = sc_need_of(out, source, f);

	for (size_t i = 0; reason == SC_UNMENDED_UNSEEN && i < p->late.list.count; i++)
		if (p->late.list.items[i].key == f->places) {
			*out = p->late.list.items[i];
			return 1;
		}
	return reason == SC_UNMENDED_NONE;
}

/* Adds the findings of an analysis, and their needs: all, or those of a thread that are not there.
 */
static void take(const struct sc_plan *p, const struct sc_analysis *found, uint32_t room,
		 uint32_t thread, struct sc_outcome *o, struct sc_needs *needs)
{
	struct sc_need_source source = {p->reader, found, &p->facts, p->settings, room};
	size_t count, known = o->keys.count;
	const struct sc_finding *f = sc_analysis_members(found, &count);

	for (size_t i = 0; i < count; i++) {
		struct sc_need need;

		if (!sc_repair_is_about(&f[i]) || (thread && (thread_of(p, &f[i], room) != thread ||
							      has_key(o, known, f[i].places))))
			continue;
		sc_vector_push(&o->keys, f[i].places);
		if (needs && find_need(p, &source, &f[i], &need))
			sc_vector_push(&needs->list, need);
	}
	if (o->keys.count)
		qsort(o->keys.items, o->keys.count, sizeof(*o->keys.items), by_number);
}

void sc_outcome_take(struct sc_outcome *o, const struct sc_plan *p, const struct sc_analysis *found,
		     struct sc_needs *needs)
{
	*o = (struct sc_outcome){.answers = sc_analysis_answers(found)};
	take(p, found, 1, 0, o, needs);
}

/* Makes the host wait in all threads, or in one only; beside one call where there may be several,
 * or beside each that may be one. */
static bool analyze(struct sc_plan *p, struct sc_analysis **found, uint32_t thread, bool is_each,
		    bool is_last)
{
	struct sc_analysis_settings settings = *p->settings->analysis;
	struct sc_applied applied;
	int err;

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
	applied.only_thread = thread;
	applied.is_each = is_each;
	err = sc_analysis_run(found, p->reader, &settings);
	sc_heap_check(err);
	if (err)
		sc_die("the trace cannot be read again: %s", strerror(-err));
	sc_applied_end(&applied, p->reader);
	p->has_doubtful = applied.has_doubtful;
	return 1;
}

/* True if an edit makes other threads wait. */
static bool has_other_waits(const struct sc_plan *p, uint32_t thread)
{
	for (size_t i = 0; i < p->edits.count; i++) {
		const struct sc_edit *e = p->edits.items[i];

		if (e && sc_edit_kind_is_host((enum sc_edit_kind)e->kind) && e->calls &&
		    e->thread != thread)
			return !p->settings->analysis->strict_hosts;
	}
	return 0;
}

/* Waits that happen more often than once end no more, but may last for ever. */
static bool try_each(struct sc_plan *p, struct sc_outcome *o, bool is_last)
{
	struct sc_analysis *found;
	int64_t answers;

	if (!p->has_doubtful || !sc_analysis_answers(p->first))
		return 1;
	if (!analyze(p, &found, 0, 1, is_last))
		return 0;
	answers = sc_analysis_answers(found);
	o->answers = answers < o->answers ? answers : o->answers;
	sc_analysis_free(found);
	return 1;
}

static bool try_threads(struct sc_plan *p, struct sc_outcome *o, struct sc_needs *needs,
			bool is_last)
{
	for (size_t i = 0; i < p->threads.count; i++) {
		struct sc_analysis *found;

		if (!has_other_waits(p, p->threads.items[i]))
			continue;
		if (!analyze(p, &found, p->threads.items[i], 0, is_last))
			return 0;
		take(p, found, p->room, p->threads.items[i], o, needs);
		sc_analysis_free(found);
	}
	return 1;
}

bool sc_plan_try(struct sc_plan *p, struct sc_outcome *o, struct sc_needs *needs, bool is_last)
{
	struct sc_analysis *found;

	*o = (struct sc_outcome){0};
	if (!analyze(p, &found, 0, 0, is_last))
		return 0;
	o->answers = sc_analysis_answers(found);
	take(p, found, p->room, 0, o, needs);
	sc_analysis_free(found);
	if (try_each(p, o, is_last) && try_threads(p, o, needs, is_last))
		return 1;
	sc_outcome_fini(o);
	return 0;
}

/* Candidates. */

static const uint8_t for_device[] = {SC_EDIT_RECORD,	  SC_EDIT_MOVE,	      SC_EDIT_WAIT,
				     SC_EDIT_FREE_STREAM, SC_EDIT_EVENT,      SC_EDIT_EVENT_EACH,
				     SC_EDIT_SYNC_STREAM, SC_EDIT_SYNC_AFTER, SC_EDIT_SYNC_DEVICE};
static const uint8_t for_host[] = {SC_EDIT_RECORD,	SC_EDIT_MOVE,	    SC_EDIT_HOST_WAIT,
				   SC_EDIT_SYNC_STREAM, SC_EDIT_HOST_EVENT, SC_EDIT_SYNC_EACH,
				   SC_EDIT_FRAME,	SC_EDIT_SYNC_AFTER, SC_EDIT_SYNC_DEVICE};

static const uint8_t for_nodes[] = {SC_EDIT_EDGE};
static const uint8_t for_early[] = {SC_EDIT_KERNEL_WAIT};

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
	case SC_EDIT_KERNEL_WAIT: e->kernel = b->second.op.object; return 1;
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

		if (!x || x->kind != e->kind)
			continue;
		if (e->kernel ? x->kernel == e->kernel
			      : x->first.hash == e->first.hash && x->before.hash == e->before.hash)
			return 1;
	}
	return 0;
}

/* The kinds of edits for a need; a number for each list. */
static unsigned kinds_for(const struct sc_need *n, const uint8_t **kinds, size_t *count)
{
	*kinds = n->is_edge    ? for_nodes
		 : n->is_early ? for_early
		 : n->waiting  ? for_device
			       : for_host;
	*count = n->is_edge || n->is_early ? 1 : n->waiting ? sizeof(for_device) : sizeof(for_host);
	return n->is_early ? 2 : n->waiting != 0 || n->is_edge;
}

static void drop(struct sc_plan *p, size_t i)
{
	free(p->edits.items[i]);
	p->edits.items[i] = NULL;
}

static void add_edit(struct sc_plan *p, const struct sc_edit *e)
{
	sc_vector_push(&p->edits, sc_heap_xcalloc(1, sizeof(*e)));
	**sc_vector_last(&p->edits) = *e;
}

/* Tries the next kind of edit between two places; false if all were tried. */
static bool propose(struct sc_plan *p, const struct sc_need *a, const struct sc_need *b)
{
	const uint8_t *kinds;
	size_t count;
	unsigned list = kinds_for(b, &kinds, &count);
	uint64_t key = sc_hash_add(sc_hash_add(a->at[0].hash, b->at[1].hash), list);
	uint64_t *step = sc_u64_map_get(&p->steps, key);
	struct sc_edit e;

	while (*step < count) {
		if (!make(p, &e, (enum sc_edit_kind)kinds[(*step)++], a, b) || is_known(p, &e))
			continue;
		add_edit(p, &e);
		return 1;
	}
	return 0;
}

/* Tries the next place for the call that ends something; false if all were tried. */
static bool propose_late(struct sc_plan *p, const struct sc_need *n)
{
	uint64_t *step = sc_u64_map_get(&p->steps, sc_hash_add(n->at[1].hash, 3));
	const struct sc_late_place *late = &n->late[*step];

	if (*step >= n->late_count)
		return 0;
	++*step;
	for (size_t i = 0; i < p->edits.count; i++) {
		const struct sc_edit *x = p->edits.items[i];

		if (x && sc_edit_moves_call(x) && x->before.hash == n->at[1].hash)
			drop(p, i);
	}
	add_edit(p, &(struct sc_edit){.kind = late->waits ? SC_EDIT_WAIT_MOVE : SC_EDIT_MOVE_CALL,
				      .first = late->at,
				      .before = n->at[1],
				      .stream = n->first.op.stream,
				      .key = n->key});
	return 1;
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

	if (group->late_count)
		return propose_late(p, group);
	if (!(*rounds)++ && propose(p, latest(group, count), group))
		return 1;
	for (size_t i = 0; i < count; i++) {
		*sc_u64_map_get(&p->met, group[i].key) += i > 0;
		is_new |= propose(p, &group[i], &group[i]);
	}
	return is_new;
}

/* Adds edits for the needs, which it takes; false if there is nothing new to try. */
static bool propose_all(struct sc_plan *p, struct sc_needs *needs)
{
	struct sc_need_groups groups = {0};
	size_t begin = 0;
	bool is_new = 0;

	sc_needs_group(needs, &groups);
	for (size_t i = 0; i < groups.ends.count; i++) {
		size_t end = groups.ends.items[i];

		is_new |= propose_group(p, &needs->list.items[begin], end - begin);
		begin = end;
	}
	sc_vector_fini(&needs->list);
	sc_vector_fini(&groups.ends);
	return is_new;
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

	for (size_t i = 0; least && i < p->edits.count; i++) {
		struct sc_edit *e = p->edits.items[i];
		struct sc_outcome now = {0};
		bool is_read;

		p->edits.items[i] = NULL;
		is_read = e && sc_plan_try(p, &now, NULL, 0);
		p->edits.items[i] = e;
		if (!is_read)
			continue;
		if (sc_outcome_beyond(&now, before) < least) {
			least = sc_outcome_beyond(&now, before);
			flaw = now.answers > left->answers ? SC_FLAW_HELD : SC_FLAW_HARM;
			worst = i;
		}
		sc_outcome_fini(&now);
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
	struct sc_needs needs = {0};
	struct sc_outcome now;
	bool is_changed;

	if (!sc_plan_try(p, &now, &needs, 0)) {
		sc_vector_fini(&needs.list);
		return 0;
	}
	sc_outcome_fini(left);
	*left = now;
	is_changed = drop_flawed(p);
	*is_judged = !is_changed;
	p->checked = checked;
	is_changed |= propose_all(p, &needs);
	if (!is_changed && drop_harmful(p, left, before))
		is_changed = !(*is_judged = 0);
	return is_changed;
}

void sc_plan_grow(struct sc_plan *p, const struct sc_analysis *first, struct sc_outcome *left)
{
	struct sc_outcome before, now;
	struct sc_needs needs = {0};
	bool is_judged = 1, is_new;

	note_threads(p, first);
	sc_outcome_take(&before, p, first, NULL);
	sc_outcome_take(left, p, first, &needs);
	for (size_t i = 0; i < needs.list.count; i++)
		if (needs.list.items[i].late_count)
			sc_vector_push(&p->late.list, needs.list.items[i]);
	is_new = propose_all(p, &needs);
	for (unsigned round = 0; is_new && round < ROUNDS_MOST; round++)
		is_new = improve(p, &before, left, &is_judged);
	p->is_bounded |= is_new;
	drop_from(p, p->checked);
	if (!is_judged && sc_plan_try(p, &now, NULL, 1)) {
		sc_outcome_fini(left);
		*left = now;
		is_judged = !drop_flawed(p);
	}
	if (!is_judged || sc_outcome_beyond(left, &before)) {
		drop_from(p, 0);
		sc_outcome_fini(left);
		sc_outcome_take(left, p, first, NULL);
	}
	sc_outcome_fini(&before);
}
