/* Rules 151, 210 to 212: threads that share streams, graphs, handles and events with nothing seen
 * between them.
 *
 * In strict mode only (T-3), and never proven: an atomic may have ordered what was seen.
 */
#include <stdbool.h>
#include "analyzer/rules/family.h"
#include "base/recall.h"
#include "base/slab.h"

/* What a thread did to an object last. */
struct deed {
	uint64_t position; /* sequence + 1; 0: nothing */
	struct sc_op op;
};

struct object {
	struct deed made, recorded, waited;
	bool is_reported; /* rule 211 */
};

struct objects {
	struct sc_u64_map by_key; /* struct object * */
	struct sc_slab slab;	  /* of these */
	struct sc_recall ended;	  /* keys of objects that were destroyed */
};

static struct object *object_of(struct objects *all, uint64_t key)
{
	uint64_t *place = sc_u64_map_get(&all->by_key, key);

	if (!*place) {
		struct object *o = sc_slab_take(&all->slab, sizeof(*o));

		*o = (struct object){0};
		*place = (uintptr_t)o;
	}
	return (struct object *)(uintptr_t)*place;
}

/* Streams, events, allocations and executable graphs count separately. */
enum space { STREAM, EVENT, ALLOCATION, GRAPH };

static uint64_t key_of(enum space space, uint64_t id)
{
	return id << 2 | space;
}

static void file(struct sc_analysis *a, unsigned rule, const struct deed *earlier,
		 const struct sc_step *step)
{
	struct sc_finding f = sc_finding_begin(rule, &earlier->op, earlier->position - 1, step->op,
					       step->sequence);

	f.confidence = SC_POSSIBLE;
	f.doubt = SC_DOUBT_HANDED_OVER;
	sc_finding_file(a, &f, &earlier->op, step->op);
}

static bool is_unknown(struct sc_analysis *a, const struct deed *d, const struct sc_step *step)
{
	return d->position &&
	       !sc_host_knows_thread(&a->order.host, step, d->op.thread, d->position);
}

/* SC-211: the use of a handle must be ordered after the call that made the handle (T-5). */
static void check_handle(struct objects *all, struct sc_analysis *a, uint64_t key,
			 const struct sc_step *step)
{
	uint64_t *place = sc_u64_map_find(&all->by_key, key);
	struct object *o = place ? (struct object *)(uintptr_t)*place : NULL;

	if (!o || o->is_reported || !is_unknown(a, &o->made, step))
		return;
	o->is_reported = 1;
	file(a, SC_RULE_211, &o->made, step);
}

static void remember(struct deed *d, const struct sc_step *step)
{
	d->op = *step->op;
	d->position = step->sequence + 1;
}

/* SC-212: which record the wait means is left to chance (E-16, T-7). */
static void check_event(struct objects *all, struct sc_analysis *a, const struct sc_step *step)
{
	struct object *o = object_of(all, key_of(EVENT, step->op->object));
	bool records = step->op->kind == SC_OP_EVENT_RECORD;
	struct deed *other = records ? &o->waited : &o->recorded;

	if (is_unknown(a, other, step))
		file(a, SC_RULE_212, other, step);
	remember(records ? &o->recorded : &o->waited, step);
}

/* SC-151: calls on one graph must not overlap (G-12). */
static void check_graph(struct objects *all, struct sc_analysis *a, const struct sc_step *step)
{
	struct object *o = object_of(all, key_of(GRAPH, step->op->object));

	if (is_unknown(a, &o->made, step))
		file(a, SC_RULE_151, &o->made, step);
	remember(&o->made, step);
}

static bool uses_graph(const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_INSTANTIATE:
	case SC_OP_GRAPH_LAUNCH:
	case SC_OP_GRAPH_UPLOAD:
	case SC_OP_GRAPH_DESTROY: return op->object != 0;
	default: return 0;
	}
}

static bool uses_event(const struct sc_op *op)
{
	switch (op->kind) {
	case SC_OP_EVENT_RECORD:
	case SC_OP_EVENT_WAIT:
	case SC_OP_EVENT_SYNC:
	case SC_OP_EVENT_QUERY: return op->phase != SC_PHASE_END;
	default: return 0;
	}
}

/* SC-210: the stream orders the two, but which comes first is left to chance (T-2). The touch is
 * made to follow nothing, so that the history names all that it overlaps. */
static void check_use(struct sc_analysis *a, const struct sc_use *use, const struct sc_step *step)
{
	struct sc_past past = {&a->order, &a->memory.notes};
	struct sc_note note = {
		.kind = step->op->kind, .has_op = 1, .when = step->when, .op = *step->op};
	struct sc_touch touch;

	note.when.lane = SC_LANE_NONE;
	note.when.position = UINT64_MAX;
	note.when.start = NULL;
	note.when.entered = 0;
	touch = sc_touch_of(&note, 0, &use->shape);
	sc_history_check(&use->allocation->history, &past, &touch, &use->shape, &a->conflicts);
	for (size_t i = 0; i < a->conflicts.count; i++) {
		const struct sc_note *n = a->conflicts.items[i].earlier.note;
		struct deed earlier = {n->sequence + 1, n->op};

		if (n->op.stream == step->op->stream && n->sequence != step->sequence &&
		    !sc_interval_is_host(&n->when) && !n->is_callback &&
		    is_unknown(a, &earlier, step))
			file(a, SC_RULE_210, &earlier, step);
	}
	sc_conflicts_clear(&a->conflicts, &a->memory.notes);
}

static void check_uses(struct objects *all, struct sc_analysis *a, const struct sc_record *r,
		       const struct sc_step *step)
{
	sc_access_collect(&a->memory, &a->kernels, r, step, &a->uses);
	for (size_t i = 0; i < a->uses.count; i++) {
		const struct sc_use *use = &a->uses.items[i];

		if (use->is_host)
			continue;
		check_handle(all, a, key_of(ALLOCATION, use->allocation->sequence), step);
		check_use(a, use, step);
	}
}

static bool makes(const struct sc_op *op, uint64_t sequence, uint64_t *key)
{
	switch (op->kind) {
	case SC_OP_STREAM_CREATE: *key = key_of(STREAM, op->stream); break;
	case SC_OP_EVENT_CREATE: *key = key_of(EVENT, op->object); break;
	case SC_OP_ALLOC: *key = key_of(ALLOCATION, sequence + 1); break;
	default: return 0;
	}
	return op->result == 0 && !(op->flags & (SC_FLAG_LEGACY | SC_FLAG_PER_THREAD));
}

/* The object that the op ends; false: none. */
static bool ends(struct sc_analysis *a, const struct sc_op *op, uint64_t *key)
{
	const struct sc_allocation *m;
	uint64_t unused;

	switch (op->kind) {
	case SC_OP_STREAM_DESTROY: *key = key_of(STREAM, op->stream); return 1;
	case SC_OP_EVENT_DESTROY: *key = key_of(EVENT, op->object); return 1;
	case SC_OP_GRAPH_DESTROY: *key = key_of(GRAPH, op->object); return 1;
	case SC_OP_FREE:
		m = sc_memory_find(&a->memory, op->dst, &unused);
		*key = key_of(ALLOCATION, m ? m->sequence : 0);
		return m != NULL;
	default: return 0;
	}
}

/* It may be used all the same, so the oldest of those that have ended is forgotten. */
static void end(struct objects *all, const struct sc_analysis *a, uint64_t key)
{
	struct sc_map_entry oldest;
	uint64_t *place;

	all->ended.most = sc_settings_remembered(&a->settings, 1);
	if (!sc_recall_note(&all->ended, key, 0, &oldest))
		return;
	place = sc_u64_map_find(&all->by_key, oldest.key_plus - 1);
	if (!place)
		return;
	sc_slab_give(&all->slab, (void *)(uintptr_t)*place);
	sc_u64_map_remove(&all->by_key, oldest.key_plus - 1);
}

static bool is_on(const struct sc_analysis_settings *settings)
{
	return settings->strict_hosts;
}

static void check_record(void *state, struct sc_analysis *a, const struct sc_record *r,
			 const struct sc_step *step)
{
	struct objects *all = state;
	const struct sc_op *op = &r->op;
	uint64_t key;

	if (op->callback)
		return;
	if (makes(op, r->sequence, &key))
		remember(&object_of(all, key)->made, step);
	if (!sc_op_took_effect(op) || op->phase == SC_PHASE_END)
		return;
	if (uses_event(op)) {
		check_handle(all, a, key_of(EVENT, op->object), step);
		check_event(all, a, step);
	}
	if (uses_graph(op))
		check_graph(all, a, step);
	if (step->stream)
		check_handle(all, a, key_of(STREAM, op->stream), step);
	if (step->is_enqueued)
		check_uses(all, a, r, step);
	if (ends(a, op, &key))
		end(all, a, key);
}

static void finish(void *state, struct sc_analysis *a)
{
	struct objects *all = state;

	(void)a;
	sc_u64_map_fini(&all->by_key);
	sc_slab_fini(&all->slab);
	sc_recall_fini(&all->ended);
}

const struct sc_rule_family sc_rules_host_thread = {
	.state_bytes = sizeof(struct objects),
	.is_on = is_on,
	.sees_all_routine = 1,
	.step = check_record,
	.finish = finish,
};
