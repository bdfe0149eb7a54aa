/* Words for findings: the one change that mends it, and where it belongs. */
#include <inttypes.h>
#include "reports/words.h"

void sc_words_add_node(struct sc_buf *out, const struct sc_words *w, uint64_t node_plus)
{
	const struct sc_record *record =
		node_plus ? sc_analysis_record(w->report->analysis, node_plus - 1) : NULL;

	sc_buf_add(out, record ? "node " : "the node");
	if (record)
		sc_buf_printf(out, "%" PRIu32, sc_words_node(record));
	sc_buf_add(out, " (");
	sc_words_place(out, w, node_plus - 1);
	sc_buf_add_char(out, ')');
}

static void add_before(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (!f->fix_before)
		return;
	sc_buf_add(out, "before ");
	sc_words_place(out, w, f->fix_before - 1);
	sc_buf_add(out, ", ");
}

static void add_event_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_buf_printf(out, "record an event behind ");
	if (f->fix_after)
		sc_words_place(out, w, f->fix_after - 1);
	else
		sc_buf_add(out, "the first operation");
	sc_buf_printf(out, " (%s) and let ", w->dialect->record.name);
	sc_words_stream_name(out, w, f->fix_stream);
	sc_buf_add(out, " wait for it before ");
	if (f->fix_before)
		sc_words_place(out, w, f->fix_before - 1);
	else
		sc_buf_add(out, "the second");
	sc_buf_printf(out, " (%s)", w->dialect->wait.name);
}

/* The runtime's call waits for the current device, which has to be the right one. */
static void add_device_wait(struct sc_buf *out, const struct sc_words *w,
			    const struct sc_finding *f)
{
	if (sc_dialect_is_runtime(w->dialect) && w->report->names->devices > 1)
		sc_buf_printf(out, "cudaSetDevice(%d), then ", f->fix_device);
	sc_buf_add(out, w->dialect->device_sync.name);
}

/* The host may be late instead of early: another thread uses the memory again too soon. */
static void add_hand_back(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (f->reach != SC_REACH_BEFORE)
		return;
	sc_buf_printf(out,
		      "; or, if thread %" PRIu32
		      " was still at work on what it had waited for, let it tell "
		      "thread %" PRIu32 " that it is done, before ",
		      f->side[1].thread, f->side[0].thread);
	sc_words_place(out, w, sc_side_position(&f->side[0]));
}

static void add_sync_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	add_before(out, w, f);
	sc_buf_add(out, "wait for ");
	if (f->fix == SC_FIX_SYNC_STREAM) {
		sc_words_stream_name(out, w, f->fix_stream);
		sc_buf_printf(out, ": %s", w->dialect->stream_sync.name);
	} else {
		sc_buf_printf(out, "device %d: ", f->fix_device);
		add_device_wait(out, w, f);
	}
	add_hand_back(out, w, f);
}

static void add_move_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_buf_add(out, "move ");
	sc_words_place(out, w, f->fix_before ? f->fix_before - 1 : 0);
	sc_buf_add(out, " behind ");
	sc_words_place(out, w, f->fix_after ? f->fix_after - 1 : 0);
}

static void add_edge_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	sc_buf_add(out, "let ");
	sc_words_add_node(out, w, f->fix_before);
	sc_buf_add(out, " depend on ");
	sc_words_add_node(out, w, f->fix_after);
	sc_buf_add(out, "; in a capture, record an event behind the first and let the second's "
			"stream wait for it");
}

static void add_callback_fix(struct sc_buf *out, const struct sc_words *w,
			     const struct sc_finding *f)
{
	sc_buf_add(out, "enqueue the callback behind ");
	sc_words_place(out, w, f->fix_after ? f->fix_after - 1 : 0);
	sc_buf_add(out, " in ");
	sc_words_stream_name(out, w, f->fix_stream);
	sc_buf_printf(out,
		      ", or let its own stream wait for an event that is recorded there "
		      "(%s); a callback cannot wait",
		      w->dialect->wait.name);
}

void sc_words_fix(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_rule_row *rule = sc_rule_find(f->rule);

	switch ((enum sc_fix)f->fix) {
	case SC_FIX_SYNC_STREAM:
	case SC_FIX_SYNC_CONTEXT: add_sync_fix(out, w, f); return;
	case SC_FIX_EVENT: add_event_fix(out, w, f); return;
	case SC_FIX_MOVE: add_move_fix(out, w, f); return;
	case SC_FIX_CALLBACK: add_callback_fix(out, w, f); return;
	case SC_FIX_EDGE:
		if (f->fix_before && f->fix_after) {
			add_edge_fix(out, w, f);
			return;
		}
		break;
	case SC_FIX_RULE: break;
	}
	if (f->fix_before || f->sides == 1) {
		sc_words_place(out, w, f->fix_before ? f->fix_before - 1 : f->side[0].op);
		sc_buf_add(out, ": ");
	}
	sc_buf_add(out, rule ? rule->fix : "see the rule");
}
