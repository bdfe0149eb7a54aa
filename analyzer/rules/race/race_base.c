/* The base rule of a race: what collides (15.0). Rules 101 to 106, 113 to 115, 124, 125, 134, 135,
 * 139, 153, 160 to 164, 201, 203, 204, 209, 216. */
#include <stdbool.h>
#include "analyzer/rules/race/race.h"

/* The beginning of stream-ordered memory is a touch of all of it (P-1). */
static bool is_beginning(const struct sc_touch *t)
{
	return sc_touch_op(t)->kind == SC_OP_ALLOC_ASYNC;
}

static bool is_discard(const struct sc_touch *t)
{
	return sc_touch_op(t)->kind == SC_OP_DISCARD;
}

static unsigned base_of_end(const struct sc_touch *earlier, enum sc_race_end end)
{
	if (is_beginning(earlier))
		return SC_RULE_113;
	if (sc_note_is_agent(earlier->note))
		return SC_RULE_164;
	switch (end) {
	case SC_END_IN_STREAM: return SC_RULE_114;
	case SC_END_MAY_WAIT: return SC_RULE_204;
	case SC_END_NEVER_WAITS: return SC_RULE_115;
	case SC_END_UNMAPPED: return SC_RULE_142;
	case SC_END_PEER: return SC_RULE_128;
	case SC_END_ATTACHED: return SC_RULE_131;
	case SC_END_GRAPHICS: return SC_RULE_132;
	case SC_END_PIECE: return SC_RULE_153;
	default: return sc_touch_is_staged(earlier) ? SC_RULE_201 : SC_RULE_104;
	}
}

/* One side is the host's. */
static unsigned base_of_host(const struct sc_touch *device, const struct sc_touch *host)
{
	if (sc_race_is_poll(device, host))
		return SC_RULE_216;
	if (host->mode == SC_READ)
		return sc_touch_is_waited(device) ? SC_RULE_203 : SC_RULE_101;
	if (sc_mode_writes(device->mode))
		return SC_RULE_103;
	return sc_touch_is_staged(device) ? SC_RULE_201 : SC_RULE_102;
}

/* One side is an agent's (B-8); of two, the earlier one is in flight. */
static unsigned base_of_agent(const struct sc_touch *a, const struct sc_touch *b)
{
	if (sc_note_is_agent(a->note))
		return sc_mode_writes(a->mode) ? SC_RULE_162 : SC_RULE_163;
	return sc_mode_writes(b->mode) ? SC_RULE_161 : SC_RULE_160;
}

/* SC-139: the source of a batch is read before the earlier work of its stream is complete. */
static bool is_hasty(const struct sc_touch *earlier, const struct sc_touch *later)
{
	return sc_op_is_batch(&later->note->op) && sc_note_is_host(later->note) &&
	       !sc_note_is_host(earlier->note);
}

unsigned sc_race_base(const struct sc_touch *a, const struct sc_touch *b, enum sc_race_end end)
{
	bool host_a = sc_note_is_host(a->note), host_b = sc_note_is_host(b->note);

	if (end == SC_END_IN_STREAM && b->note->op.kind == SC_OP_GRAPH_LAUNCH)
		return SC_RULE_135; /* AUTO_FREE_ON_LAUNCH */
	if (sc_touch_is_end(a) || sc_touch_is_end(b) || (a->note->is_replay && is_beginning(a)) ||
	    is_beginning(b))
		return SC_RULE_135;
	if (end != SC_END_NONE)
		return base_of_end(a, end);
	if (is_beginning(a))
		return SC_RULE_113;
	if (sc_touch_op(a)->kind == SC_OP_GRAPHICS_MAP)
		return SC_RULE_132;
	if (is_discard(a) || is_discard(b))
		return SC_RULE_138;
	if (sc_note_is_agent(a->note) || sc_note_is_agent(b->note))
		return base_of_agent(a, b);
	if (sc_touch_same_launch(a, b))
		return sc_race_is_early_pair(a, b) ? SC_RULE_125 : SC_RULE_134;
	if (is_hasty(a, b))
		return SC_RULE_139;
	if (host_a && host_b)
		return SC_RULE_124;
	if (host_a || host_b)
		return base_of_host(host_a ? b : a, host_a ? a : b);
	if (sc_race_is_early_pair(a, b))
		return SC_RULE_125;
	if (a->known == SC_KNOWN_PARAMETER && b->known == SC_KNOWN_PARAMETER)
		return SC_RULE_209;
	/* A kernel that may read or write at least reads or writes. */
	if (a->known == SC_KNOWN_PARAMETER || b->known == SC_KNOWN_PARAMETER)
		return SC_RULE_106;
	return sc_mode_writes(a->mode) && sc_mode_writes(b->mode) ? SC_RULE_105 : SC_RULE_106;
}
