/* Edits: the table of their kinds. */
#include "extensions/repair/planner/edit.h"

static const struct {
	const char *id;
	bool is_host;
} rows[] = {
#define SC_EDIT(constant, id, is_host, meaning) {id, is_host},
#include "extensions/repair/planner/edit.def"
#undef SC_EDIT
};

const char *sc_edit_kind_id(enum sc_edit_kind kind)
{
	return rows[kind].id;
}

bool sc_edit_kind_is_host(enum sc_edit_kind kind)
{
	return rows[kind].is_host;
}

bool sc_edit_is_before_calls(const struct sc_edit *e)
{
	switch ((enum sc_edit_kind)e->kind) {
	case SC_EDIT_WAIT:
	case SC_EDIT_EVENT:
	case SC_EDIT_EVENT_EACH: return e->before.is_outer;
	case SC_EDIT_FRAME:
	case SC_EDIT_WAIT_MOVE:
	case SC_EDIT_SYNC_AFTER: return 0;
	default: return e->before.is_outer && sc_edit_kind_is_host((enum sc_edit_kind)e->kind);
	}
}

bool sc_edit_is_after_calls(const struct sc_edit *e)
{
	switch ((enum sc_edit_kind)e->kind) {
	case SC_EDIT_RECORD:
	case SC_EDIT_MOVE:
	case SC_EDIT_EVENT:
	case SC_EDIT_HOST_EVENT:
	case SC_EDIT_SYNC_AFTER: return e->first.is_outer;
	case SC_EDIT_MOVE_CALL: /* a call may be several records */
	case SC_EDIT_WAIT_MOVE: return e->first.frames != 0;
	default: return 0;
	}
}

bool sc_edit_moves_call(const struct sc_edit *e)
{
	return e->kind == SC_EDIT_MOVE_CALL || e->kind == SC_EDIT_WAIT_MOVE;
}
