/* How sure a race is, and how bad (15.0). */
#include <stdbool.h>
#include "analyzer/rules/race.h"

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

/* Why the race is not proven, or SC_DOUBT_NONE. */
static enum sc_doubt doubt_of(const struct sc_analysis *a, const struct sc_conflict *c,
			      const struct sc_touch *later)
{
	const struct sc_touch *t = &c->earlier;
	uint8_t known = t->known > later->known ? t->known : later->known;
	uint64_t from = t->note->sequence + 1, to = later->note->sequence + 1;

	if (known == SC_KNOWN_PARAMETER)
		return SC_DOUBT_FOOTPRINT;
	if (sc_kernel_sync_may_order(&a->order.kernel_syncs, &t->note->when,
				     sc_note_is_host(t->note), &later->note->when,
				     sc_note_is_host(later->note)))
		return SC_DOUBT_TALK; /* also of a word that is read until it changes: a bound */
	if (known == SC_KNOWN_OVER || !c->is_sure)
		return SC_DOUBT_OVER;
	if (!is_alone_in_launch(t, later) &&
	    sc_order_is_handed(&a->order, &t->note->when, later->note->is_callback))
		return SC_DOUBT_HANDED_OVER;
	if (a->order.foreign > from || may_hand_over(a, t, later) ||
	    sc_signal_may_order(&a->order.signals, &t->note->when, &later->note->when,
				later->note->is_callback))
		return SC_DOUBT_FOREIGN;
	if (later->note->early == SC_EARLY_MAYBE)
		return SC_DOUBT_WAIT;
	if (a->gap && a->gap <= to)
		return SC_DOUBT_LOST;
	return SC_DOUBT_NONE;
}

static bool has_cause(const struct sc_finding *f, unsigned cause)
{
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i] == cause)
			return 1;
	return 0;
}

/* 15.0: what makes an error a warning. */
static uint8_t severity_of(const struct sc_finding *f, const struct sc_touch *a,
			   const struct sc_touch *b, bool is_hidden)
{
	bool is_downgraded = a->known == SC_KNOWN_PARAMETER || b->known == SC_KNOWN_PARAMETER ||
			     sc_touch_is_weak(a) || is_hidden || has_cause(f, SC_RULE_206) ||
			     has_cause(f, SC_RULE_207) || f->doubt == SC_DOUBT_FOREIGN ||
			     f->doubt == SC_DOUBT_TALK;

	return is_downgraded && f->severity > SC_WARNING ? SC_WARNING : f->severity;
}

void sc_race_judge(struct sc_analysis *a, const struct sc_conflict *c, const struct sc_touch *later,
		   struct sc_finding *f)
{
	f->doubt = doubt_of(a, c, later);
	f->confidence = f->doubt == SC_DOUBT_NONE ? SC_PROVEN : SC_POSSIBLE;
	f->severity = severity_of(f, &c->earlier, later,
				  sc_race_is_hidden(a, c->earlier.note, later->note));
}
