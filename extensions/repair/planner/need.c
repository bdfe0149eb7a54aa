/* Needs: the calls of the two sides of a finding, and which needs go together. */
#include "extensions/repair/planner/need.h"

#include <stdbool.h>
#include <stdlib.h>
#include "extensions/repair/planner/put_off.h"

#define LATE_WAITS 3

const struct sc_unmended_row sc_unmended_rows[SC_UNMENDEDS] = {
#define SC_UNMENDED(constant, id, sentence) {id, sentence},
#include "extensions/repair/planner/unmended.def"
#undef SC_UNMENDED
};

/* What a host function does is ordered by the call that enqueued it. */
static bool leave_callback(const struct sc_need_source *s, struct sc_need_end *end)
{
	const uint64_t *function = sc_u64_map_find(&s->facts->functions, end->op.callback);

	if (!function || !*function)
		return 0;
	end->execution = end->op.callback;
	end->place = *function - 1;
	return sc_reader_op(s->reader, end->place, &end->op) && !(end->op.flags & SC_FLAG_NODE);
}

static bool find_end(const struct sc_need_source *s, const struct sc_side *side,
		     struct sc_need_end *end)
{
	uint64_t sequence = sc_side_position(side);

	end->place = sequence / s->room;
	if (sequence % s->room || !sc_reader_op(s->reader, end->place, &end->op))
		return 0;
	return !end->op.callback || leave_callback(s, end);
}

static bool is_of_device(const struct sc_side *side, const struct sc_need_end *end)
{
	return (side->stream || end->op.kind == SC_OP_HOST_FUNC) && end->op.stream &&
	       sc_op_kind_class(end->op.kind) == SC_CLASS_ENQUEUE;
}

static void choose(const struct sc_need_source *s, struct sc_need *n)
{
	struct sc_repair_depth depth[2] = {{.frames = UINT32_MAX}, {.frames = UINT32_MAX}};
	const struct sc_need_end *ends[] = {&n->first, &n->second};

	if (s->settings->choose)
		s->settings->choose(s->settings->data, &n->first.op, &n->second.op, depth);
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t *frames;
		uint32_t stack = ends[i]->op.stack;
		size_t count = stack ? sc_reader_stack(s->reader, stack, &frames) : 0;

		if (depth[i].frames > count) {
			depth[i].frames = (uint32_t)count;
			depth[i].lines = UINT32_MAX;
		}
		n->at[i] = sc_place_of(s->reader, stack, ends[i]->place, depth[i]);
	}
	/* The call that notices the end of a stack frame comes too late. */
	n->at[1].is_foreign |= (n->second.op.flags & SC_FLAG_FRAME) != 0;
}

/* Where the record stands that a wait used in vain. */
static void find_record(const struct sc_need_source *s, const struct sc_finding *f,
			struct sc_need *n)
{
	struct sc_repair_depth whole = {.lines = UINT32_MAX};
	const uint64_t *frames;
	struct sc_op op;
	uint64_t place = (f->fix_before - 1) / s->room;

	if (f->fix != SC_FIX_MOVE || !f->fix_before || (f->fix_before - 1) % s->room ||
	    !sc_reader_op(s->reader, place, &op) || op.kind != SC_OP_EVENT_RECORD)
		return;
	whole.frames = op.stack ? (uint32_t)sc_reader_stack(s->reader, op.stack, &frames) : 0;
	n->record = sc_place_of(s->reader, op.stack, place, whole);
	n->is_moved = 1;
}

/* True if the second is a kernel that may begin early: it can wait itself. */
static bool is_early(const struct sc_finding *f, const struct sc_need *n)
{
	return f->rule == SC_RULE_125 && n->second.op.kind == SC_OP_KERNEL && n->second.op.object;
}

/* The same of a node. */
static enum sc_unmended find_early_node(const struct sc_need_source *s, const struct sc_finding *f,
					struct sc_need *n)
{
	struct sc_side first = {.op = f->side[0].op}, second = {.op = f->side[1].op};

	if (!find_end(s, &first, &n->first) || !find_end(s, &second, &n->second))
		return SC_UNMENDED_UNSEEN;
	if (!is_early(f, n) || f->is_awaited)
		return SC_UNMENDED_GRAPH;
	n->is_early = 1;
	n->waiting = n->second.op.stream;
	choose(s, n);
	return n->at[1].is_foreign ? SC_UNMENDED_NOT_OWN : SC_UNMENDED_NONE;
}

/* Two nodes of one launch. */
static enum sc_unmended find_edge(const struct sc_need_source *s, const struct sc_finding *f,
				  struct sc_need *n)
{
	struct sc_side first = {.op = f->fix_after - 1}, second = {.op = f->fix_before - 1};

	if (f->rule == SC_RULE_125)
		return find_early_node(s, f, n);
	if (f->fix != SC_FIX_EDGE || !f->fix_after || !f->fix_before)
		return SC_UNMENDED_GRAPH;
	if (!find_end(s, &first, &n->first) || !find_end(s, &second, &n->second))
		return SC_UNMENDED_UNSEEN;
	n->is_edge = 1;
	n->waiting = n->second.op.stream;
	choose(s, n);
	return n->at[0].is_foreign || n->at[1].is_foreign ? SC_UNMENDED_NOT_OWN : SC_UNMENDED_NONE;
}

/* A rule of its own that a wait of the host would satisfy: a module that is unloaded too early. */
static enum sc_unmended find_wait(const struct sc_need_source *s, const struct sc_finding *f,
				  struct sc_need *n)
{
	bool is_wait = f->fix == SC_FIX_SYNC_STREAM || f->fix == SC_FIX_SYNC_CONTEXT;
	struct sc_side at = {.op = f->fix_before - 1};

	if (!is_wait || !f->fix_before)
		return SC_UNMENDED_RULE;
	if (!find_end(s, &f->side[0], &n->first) || !find_end(s, &at, &n->second))
		return SC_UNMENDED_UNSEEN;
	if (sc_op_kind_class(n->first.op.kind) != SC_CLASS_ENQUEUE || !n->first.op.stream)
		return SC_UNMENDED_RULE;
	choose(s, n);
	return n->at[0].is_foreign ? SC_UNMENDED_NOT_OWN : SC_UNMENDED_NONE;
}

/* ---- uses after an end ---- */

static bool is_late_use(const struct sc_finding *f)
{
	return f->sides > 1 && (f->rule == SC_RULE_116 || f->rule == SC_RULE_117 ||
				f->rule == SC_RULE_136 || f->rule == SC_RULE_141 ||
				(f->rule == SC_RULE_152 && f->side[0].mode == SC_SIDE_FREE));
}

/* The last use of what a finding's first side ended, as far as findings say. */
static const struct sc_side *last_use(const struct sc_need_source *s, const struct sc_finding *f)
{
	size_t count;
	const struct sc_finding *all = sc_analysis_members(s->found, &count);
	const struct sc_side *last = &f->side[1];

	for (size_t i = 0; i < count; i++)
		if (is_late_use(&all[i]) && all[i].side[0].op == f->side[0].op &&
		    sc_side_position(&all[i].side[1]) > sc_side_position(last))
			last = &all[i].side[1];
	return last;
}

static void add_late(struct sc_need *n, const struct sc_edit_place *at, bool waits)
{
	for (unsigned i = 0; i < n->late_count; i++)
		if (n->late[i].at.hash == at->hash && n->late[i].waits == waits)
			return;
	if (n->late_count < SC_LATE_PLACES)
		n->late[n->late_count++] = (struct sc_late_place){*at, waits};
}

/* The next waits of the thread that are in the function of the call that moves. */
static void add_waits(const struct sc_need_source *s, struct sc_need *n)
{
	const struct sc_known_sync *wait;

	for (size_t i = 0; i < LATE_WAITS; i++) {
		struct sc_need there = *n;

		wait = sc_trace_facts_wait(s->facts, n->second.op.thread, n->first.place, i);
		if (!wait || !sc_reader_op(s->reader, wait->place, &there.first.op))
			return;
		there.first.place = wait->place;
		choose(s, &there);
		if (!there.at[0].is_foreign && there.at[1].hash == n->at[1].hash)
			add_late(n, &there.at[0], 0);
	}
}

/* The call that ends it can go after its last use. What CUDA does not end in the order of a stream
 * ends best after a wait that is there. */
static enum sc_unmended find_late_use(const struct sc_need_source *s, const struct sc_finding *f,
				      struct sc_need *n)
{
	const struct sc_op *end = &n->second.op;
	bool waits;

	if (!find_end(s, last_use(s, f), &n->first) || !find_end(s, &f->side[0], &n->second))
		return SC_UNMENDED_UNSEEN;
	if (!sc_put_off_may(s->reader, end) || n->first.execution || n->second.execution ||
	    n->first.op.thread != end->thread || *sc_reader_stack_python(s->reader, end->stack))
		return SC_UNMENDED_LIFETIME;
	choose(s, n);
	if (n->at[0].is_foreign || n->at[1].is_foreign)
		return SC_UNMENDED_NOT_OWN;
	if (n->at[1].is_outer)
		return SC_UNMENDED_LIFETIME;
	/* What a kernel used that failed is not known, so the trace does not show it in use. */
	waits = f->rule == SC_RULE_152 || end->kind == SC_OP_FREE || end->kind == SC_OP_UNPIN ||
		end->kind == SC_OP_HOST_FREE || end->kind == SC_OP_TEXTURE_DESTROY;
	if (!waits)
		add_late(n, &n->at[0], 0);
	add_waits(s, n);
	if (f->rule != SC_RULE_152)
		add_late(n, &n->at[0], 0);
	if (waits)
		add_late(n, &n->at[0], 1);
	return SC_UNMENDED_NONE;
}

/* True if the first may need what comes there or later, so that a wait might never end. */
static bool may_talk(const struct sc_need_source *s, const struct sc_finding *f,
		     const struct sc_need *n)
{
	if (n->first.execution)
		return !sc_trace_facts_has_returned(s->facts, n->first.execution, n->second.place);
	return f->doubt == SC_DOUBT_TALK && f->rule != SC_RULE_216; /* who polls only waits */
}

/* Which event a wait between the two wanted, that nobody had recorded. */
static void find_event(const struct sc_need_source *s, const struct sc_finding *f,
		       struct sc_need *n)
{
	struct sc_repair_depth whole = {.lines = UINT32_MAX};
	const uint64_t *frames;
	struct sc_op op;
	uint64_t place = (f->reach_op - 1) / s->room;

	if (f->reach != SC_REACH_NEVER || !f->reach_op || (f->reach_op - 1) % s->room ||
	    !sc_reader_op(s->reader, place, &op) || place < n->first.place)
		return;
	whole.frames = op.stack ? (uint32_t)sc_reader_stack(s->reader, op.stack, &frames) : 0;
	n->wait = sc_place_of(s->reader, op.stack, place, whole);
	n->event = op.object;
}

enum sc_unmended sc_need_of(struct sc_need *n, const struct sc_need_source *s,
			    const struct sc_finding *f)
{
	const struct sc_side *first = &f->side[0], *second = &f->side[1];

	*n = (struct sc_need){.key = f->places};
	if (is_late_use(f))
		return find_late_use(s, f, n);
	if (!sc_finding_lacks_order(f))
		return find_wait(s, f, n);
	if (first->launch && first->launch == second->launch)
		return find_edge(s, f, n);
	if (!find_end(s, first, &n->first) || !find_end(s, second, &n->second))
		return SC_UNMENDED_UNSEEN;
	if (n->first.op.kind == SC_OP_AGENT)
		return SC_UNMENDED_AGENT_FIRST;
	if (!is_of_device(first, &n->first))
		return SC_UNMENDED_HOST_FIRST;
	n->waiting = is_of_device(second, &n->second) ? n->second.op.stream : 0;
	n->is_early = n->waiting == n->first.op.stream && is_early(f, n);
	if (n->waiting == n->first.op.stream && !n->is_early)
		return SC_UNMENDED_ONE_STREAM;
	if (f->is_awaited || (!n->waiting && may_talk(s, f, n)))
		return SC_UNMENDED_TALK;
	choose(s, n);
	find_record(s, f, n);
	find_event(s, f, n);
	return n->at[n->is_early].is_foreign ? SC_UNMENDED_NOT_OWN : SC_UNMENDED_NONE;
}

static int compare(const void *x, const void *y)
{
	const struct sc_need *a = x, *b = y;

	if (a->waiting != b->waiting)
		return a->waiting < b->waiting ? -1 : 1;
	if (a->first.op.stream != b->first.op.stream)
		return a->first.op.stream < b->first.op.stream ? -1 : 1;
	if (a->second.place != b->second.place)
		return a->second.place < b->second.place ? -1 : 1;
	return a->first.place < b->first.place ? -1 : a->first.place > b->first.place;
}

static bool is_same_pair(const struct sc_need *a, const struct sc_need *b)
{
	if (a->late_count || b->late_count)
		return a->late_count && b->late_count && a->second.place == b->second.place;
	return !a->is_edge && !b->is_edge && !a->is_early && !b->is_early &&
	       a->waiting == b->waiting && a->first.op.stream == b->first.op.stream &&
	       a->second.op.thread == b->second.op.thread;
}

/* Moves the needs from `begin` on that a wait before the first one's second meets to the front. */
static size_t gather(struct sc_needs *n, size_t begin)
{
	size_t end = begin + 1;

	for (size_t i = end; i < n->list.count; i++) {
		struct sc_need need = n->list.items[i];

		if (!is_same_pair(&n->list.items[begin], &need))
			continue;
		if (!need.late_count && need.first.place >= n->list.items[begin].second.place)
			continue;
		for (size_t k = i; k > end; k--)
			n->list.items[k] = n->list.items[k - 1];
		n->list.items[end++] = need;
	}
	return end;
}

void sc_needs_group(struct sc_needs *n, struct sc_need_groups *groups)
{
	sc_vector_clear(&groups->ends);
	if (n->list.count)
		qsort(n->list.items, n->list.count, sizeof(*n->list.items), compare);
	for (size_t i = 0; i < n->list.count;) {
		i = gather(n, i);
		sc_vector_push(&groups->ends, i);
	}
}
