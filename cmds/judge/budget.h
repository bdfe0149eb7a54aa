/* Budget: what a run used, counted over its traces, and what it may use (option budget). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "trace/reader.h"

enum sc_budget_row {
#define SC_BUDGET(id, name, what, count) SC_BUDGET_##id,
#include "cmds/judge/budget.def"
#undef SC_BUDGET
	SC_BUDGET_ROWS
};

struct sc_budget {
	uint64_t limit[SC_BUDGET_ROWS]; /* UINT64_MAX: none */
	uint64_t used[SC_BUDGET_ROWS];
	bool is_set; /* any limit */
};

/* Reads "pageable-bytes=0,device-syncs=10"; numbers may end in k, m, g. Returns 0 or -EINVAL with
 * a message. */
int sc_budget_parse(struct sc_budget *b, const char *text, char *message, size_t bytes);
/* Adds what a trace used; walks it from its start to its end. */
void sc_budget_count(struct sc_budget *b, struct sc_reader *r);
/* Appends a line for each limit that is passed; returns how many are. */
unsigned sc_budget_print_passed(struct sc_buf *out, const struct sc_budget *b);
/* Appends the table of names, for the help. */
void sc_budget_print_table(struct sc_buf *out);
