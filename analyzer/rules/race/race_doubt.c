/* How sure a race is, and how bad (15.0). */
#include <stdbool.h>
#include "analyzer/model/make_finding.h"
#include "analyzer/rules/race/race.h"
#include "analyzer/rules/race/race_held.h"
#include "trace/agent.h"

/* L-2: a fence before the trigger may publish the kernel's writes, but nothing protects its reads.
 */
static bool may_hand_over(const struct sc_analysis *a, const struct sc_touch *earlier,
			  const struct sc_touch *later)
{
	unsigned needed = SC_GRID_TRIGGER | SC_GRID_FENCE;

	return sc_race_is_early_pair(earlier, later) && sc_mode_writes(earlier->mode) &&
	       (sc_code_grid(a->order.code, sc_touch_op(earlier)->object) & needed) == needed;
}

/* A host node that runs beside a node of its own launch: before the launch is over, only another
 * host node, or a waiter for an event that the launch records, knows that the host node ran. */
static bool is_alone_in_launch(const struct sc_touch *earlier, const struct sc_touch *later)
{
	const struct sc_graph *g = later->note->graph;

	return later->note->is_callback && sc_touch_same_launch(earlier, later) &&
	       g->callbacks.count == 1 && !g->records.count;
}

/* The operation certainly touches these bytes if it runs, and may not run (G-9). */
static bool is_in_body(const struct sc_touch *t)
{
	return t->note->is_replay && !t->is_launch && !t->reason &&
	       sc_graph_node_is_unsure(&t->note->graph->nodes.items[t->node]);
}

static bool is_rough(const struct sc_touch *t)
{
	return t->known == SC_KNOWN_OVER && !is_in_body(t);
}

/* The bytes of a batch are known, but perhaps not when it reads its source (4.6). */
static bool is_source(const struct sc_touch *t)
{
	return t->mode == SC_READ && sc_op_is_batch(sc_touch_op(t));
}

/* Of two touches of which one at least is known roughly. */
static enum sc_doubt doubt_of_bound(const struct sc_conflict *c, const struct sc_touch *later)
{
	const struct sc_touch *t = &c->earlier;

	if (!c->is_sure || (is_rough(t) && !is_source(t)) || (is_rough(later) && !is_source(later)))
		return SC_DOUBT_OVER;
	return is_rough(t) || is_rough(later) ? SC_DOUBT_SOURCE : SC_DOUBT_BODY;
}

/* Why an order between the two may not have been seen; SC_DOUBT_NONE if it was. */
static enum sc_doubt doubt_of_order(const struct sc_analysis *a, const struct sc_touch *t,
				    const struct sc_touch *later)
{
	enum sc_doubt unseen = sc_order_unseen(&a->order, t->note->sequence + 1);

	if (unseen != SC_DOUBT_NONE)
		return unseen;
	if (may_hand_over(a, t, later))
		return SC_DOUBT_TALK;
	return sc_signal_may_order(&a->order.signals, &t->note->when, &later->note->when,
				   later->note->is_callback);
}

/* A kernel that came into the stream after the operation began may have waited for its end (B-22).
 */
static bool may_be_completed(const struct sc_analysis *a, const struct sc_note *agent,
			     const struct sc_note *later)
{
	const uint64_t *place;
	const struct sc_stream *s;

	if (!sc_note_is_agent(agent) || sc_agent_ability(&agent->op) != SC_AGENT_SEEN_BY_KERNELS)
		return false;
	place = sc_u64_map_find(&a->order.streams.by_id, agent->op.stream);
	s = place ? (const struct sc_stream *)(uintptr_t)*place : NULL;
	return !s || later->op.stream == s->id ||
	       sc_clock_at(later->when.start, s->tail.lane) > agent->sequence;
}

/* Whether the two may have been ordered after all, or too little is known of that. */
static enum sc_doubt doubt_of_time(const struct sc_analysis *a, const struct sc_conflict *c,
				   const struct sc_touch *later)
{
	const struct sc_touch *t = &c->earlier;
	enum sc_doubt unseen;

	if (!is_alone_in_launch(t, later) &&
	    sc_order_is_handed(&a->order, &t->note->when, later->note->is_callback))
		return SC_DOUBT_HANDED_OVER;
	unseen = doubt_of_order(a, t, later);
	if (unseen != SC_DOUBT_NONE)
		return unseen;
	if (may_be_completed(a, t->note, later->note))
		return SC_DOUBT_QUIET;
	if (later->note->early == SC_EARLY_MAYBE)
		return SC_DOUBT_WAIT;
	return a->gap ? SC_DOUBT_LOST : SC_DOUBT_NONE;
}

/* Patches on a GPU do not tell an atomic load, nor the guess of a swap, from a plain one. */
static bool may_be_atomic(const struct sc_touch *read, const struct sc_touch *atomic)
{
	return read->how == SC_HOW_RECORDED && read->mode == SC_READ &&
	       sc_mode_is_atomic(atomic->mode);
}

static bool may_talk(const struct sc_analysis *a, const struct sc_touch *t,
		     const struct sc_touch *later, struct sc_talk_way *way)
{
	const struct sc_note *n = t->note, *m = later->note;
	struct sc_talk_pair pair = {.x = &n->when,
				    .y = &m->when,
				    .x_is_host = sc_note_is_host(n),
				    .y_is_host = sc_note_is_host(m) || sc_note_is_agent(m)};

	return sc_talk_may_order(&a->order.talks, &pair, way);
}

/* Why the race is not proven, or SC_DOUBT_NONE. */
static enum sc_doubt doubt_of(const struct sc_analysis *a, const struct sc_conflict *c,
			      const struct sc_touch *later, struct sc_talk_way *way)
{
	const struct sc_touch *t = &c->earlier;
	uint8_t known = t->known > later->known ? t->known : later->known;

	if (known == SC_KNOWN_PARAMETER)
		return SC_DOUBT_FOOTPRINT;
	if (may_talk(a, t, later, way))
		return SC_DOUBT_TALK; /* also of a word that is read until it changes: a bound */
	if (known == SC_KNOWN_OVER || !c->is_sure)
		return doubt_of_bound(c, later);
	if (may_be_atomic(t, later) || may_be_atomic(later, t))
		return SC_DOUBT_ATOMIC_LOAD;
	return doubt_of_time(a, c, later);
}

/* One side certainly rewrites or ends all of the memory that a kernel was given, of which nothing
 * more is known. */
static bool is_given_and_gone(const struct sc_conflict *c, const struct sc_touch *later)
{
	bool is_earlier = c->earlier.known == SC_KNOWN_PARAMETER;
	const struct sc_touch *given = is_earlier ? &c->earlier : later;
	const struct sc_touch *gone = is_earlier ? later : &c->earlier;

	return given->how == SC_HOW_PARAMETER && gone->known == SC_KNOWN_EXACT &&
	       sc_mode_writes(gone->mode) && gone->first <= given->first && gone->end >= given->end;
}

/* 15.0: what makes an error a warning. */
static uint8_t severity_of(const struct sc_finding *f, const struct sc_touch *earlier,
			   bool is_hidden)
{
	bool is_downgraded = sc_touch_is_weak(earlier) || is_hidden ||
			     sc_finding_has_cause(f, SC_RULE_206) ||
			     sc_finding_has_cause(f, SC_RULE_207) || f->doubt == SC_DOUBT_FOREIGN ||
			     f->doubt == SC_DOUBT_SIGNAL || f->doubt == SC_DOUBT_HANDED_OVER;

	return is_downgraded ? SC_WARNING : f->severity;
}

static bool is_likely(const struct sc_analysis *a, const struct sc_conflict *c,
		      const struct sc_touch *later, const struct sc_finding *f)
{
	struct sc_talk_way way;

	return f->doubt == SC_DOUBT_FOOTPRINT && f->severity == SC_ERROR &&
	       is_given_and_gone(c, later) && !may_talk(a, &c->earlier, later, &way) &&
	       doubt_of_time(a, c, later) == SC_DOUBT_NONE;
}

/* Only the answer that an allocator got for its own blocks, or might have got, orders the two. */
static void doubt_pool(const struct sc_analysis *a, const struct sc_touch *earlier,
		       const struct sc_touch *later, struct sc_finding *f)
{
	if (!sc_luck_orders(&a->order.host.pools, &earlier->note->when, &later->note->when))
		return;
	f->severity = SC_WARNING;
	if (f->confidence != SC_PROVEN)
		return;
	f->confidence = SC_LIKELY;
	f->doubt = SC_DOUBT_POOL;
}

void sc_race_judge(struct sc_analysis *a, const struct sc_conflict *c, const struct sc_touch *later,
		   bool is_of_host_memory, struct sc_finding *f)
{
	struct sc_talk_way way = {0};

	f->doubt = doubt_of(a, c, later, &way);
	f->severity =
		severity_of(f, &c->earlier, sc_race_is_hidden(a, c->earlier.note, later->note));
	f->confidence = f->doubt == SC_DOUBT_NONE ? SC_PROVEN : SC_POSSIBLE;
	if (is_likely(a, c, later, f))
		f->confidence = SC_LIKELY;
	if (f->doubt == SC_DOUBT_FOOTPRINT)
		f->severity = SC_WARNING;
	if (f->doubt == SC_DOUBT_TALK)
		sc_race_doubt_talk(f, &way);
	if (is_of_host_memory)
		doubt_pool(a, &c->earlier, later, f);
	sc_finding_doubt_luck(a, &c->earlier.note->when, &later->note->when, f);
	if (f->rule == SC_RULE_113 && f->confidence == SC_PROVEN && a->machine.has_exchanged) {
		f->confidence = SC_LIKELY;
		f->doubt = SC_DOUBT_EXCHANGED;
	}
}
