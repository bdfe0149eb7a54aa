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
