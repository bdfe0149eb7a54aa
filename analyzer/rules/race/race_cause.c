/* The causes of a race: why the programmer thought that it was ordered (15.0). Rules 107 to 109,
 * 150, 206, 207, 219, 220; nearest_wait.c finds those of waits. */
#include <stdbool.h>
#include "analyzer/rules/race/graph_near_miss.h"
#include "analyzer/rules/race/nearest_wait.h"
#include "analyzer/rules/race/race.h"

static void add_cause(struct sc_finding *f, unsigned cause)
{
	for (unsigned i = 0; cause && i < SC_FINDING_CAUSES; i++) {
		if (f->causes[i] == cause)
			return;
		if (!f->causes[i]) {
			f->causes[i] = (uint16_t)cause;
			return;
		}
	}
}

/* The first op looked synchronous, and the second side is not covered by the legacy barrier. */
static unsigned sync_cause(const struct sc_touch *a, const struct sc_touch *b)
{
	const struct sc_note *n = a->note, *m = b->note;
	bool is_host = sc_note_is_host(m) || sc_note_is_agent(m);
	bool is_outside = m->is_nonblocking || m->context != n->context;

	unsigned cause = sc_note_is_host(n) ? 0 : sc_transfer_early(&n->op, n->edge);

	switch (cause) {
	case SC_RULE_108: return is_outside && !is_host ? cause : 0;
	case SC_RULE_206: return cause;
	default: return is_outside || is_host ? cause : 0;
	}
}

static bool is_legacy_pair(const struct sc_note *n, const struct sc_note *m)
{
	return n->context == m->context &&
	       ((n->is_legacy && m->is_nonblocking) || (n->is_nonblocking && m->is_legacy));
}

/* SC-150: nothing implicit orders two devices (D-1); reported where nothing else explains it. */
static bool is_device_pair(struct sc_analysis *a, const struct sc_note *n, const struct sc_note *m)
{
	return !sc_note_is_host(n) && !sc_note_is_host(m) && n->context != m->context &&
	       !sc_note_is_agent(n) && !sc_note_is_agent(m) &&
	       sc_context_of(&a->order.streams, n->context)->device !=
		       sc_context_of(&a->order.streams, m->context)->device;
}

static bool is_between(const struct sc_note *n, uint64_t position, const struct sc_note *m)
{
	return n->when.entered < position && position < m->when.entered;
}

/* No text says that an allocation makes the host wait, so none hides a race with the host. */
bool sc_race_is_hidden(struct sc_analysis *a, const struct sc_note *n, const struct sc_note *m)
{
	const struct sc_context *c;

	if (sc_note_is_host(n) || sc_note_is_agent(n))
		return 0;
	c = sc_context_of(&a->order.streams, n->context);
	return is_between(n, c->last_free, m) ||
	       (!sc_note_is_host(m) && !sc_note_is_agent(m) && is_between(n, c->last_alloc, m));
}

/* SC-219, SC-220: what may have hidden the race in this run. */
static unsigned mask_cause(struct sc_analysis *a, const struct sc_note *n, const struct sc_note *m)
{
	uint64_t load = sc_note_is_host(n) || sc_note_is_agent(n)
				? 0
				: sc_context_of(&a->order.streams, n->context)->last_load;

	if (a->machine.is_serialized && !sc_note_is_agent(n) &&
	    !(sc_note_is_host(n) && sc_note_is_host(m)))
		return SC_RULE_220;
	return n->when.entered < load && load < m->when.entered ? SC_RULE_219 : 0;
}

/* SC-134, SC-135: an edge between the two nodes; where there is a path (SC-125) the code has to
 * wait.
 */
static void fix_inside(const struct sc_touch *earlier, const struct sc_touch *later,
		       struct sc_finding *f)
{
	sc_near_miss_inside(earlier, later, f);
	f->fix = f->rule == SC_RULE_125 ? SC_FIX_RULE : SC_FIX_EDGE;
	f->fix_after = f->side[0].op + 1;
	f->fix_before = f->side[1].op + 1;
}

void sc_race_explain(struct sc_analysis *a, const struct sc_touch *earlier,
		     const struct sc_touch *later, struct sc_finding *f)
{
	const struct sc_note *n = earlier->note, *m = later->note;

	add_cause(f, sync_cause(earlier, later));
	if (is_legacy_pair(n, m))
		add_cause(f, SC_RULE_107);
	if (sc_touch_same_launch(earlier, later))
		fix_inside(earlier, later, f);
	else if (!sc_near_miss_outside(&a->order, earlier, later, f))
		add_cause(f, sc_nearest_wait_explain(&a->order, n, m, f));
	if (!f->causes[0] && is_device_pair(a, n, m))
		add_cause(f, SC_RULE_150);
	if (sc_race_is_hidden(a, n, m) && f->rule != SC_RULE_204)
		add_cause(f, SC_RULE_204);
	add_cause(f, mask_cause(a, n, m));
	if (a->order.foreign_event > n->sequence + 1)
		add_cause(f, SC_RULE_215); /* E-12: the event's record is not seen */
}
