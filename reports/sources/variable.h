/* Variable: what the source calls an object (stream, event, graph, memory) where it was made.
 *
 * Read from the lines of the stack at which it was made: the variable whose address the call gets,
 * or, further out, the one whose constructor that is in (`Stream up;`), that is set to what a
 * function returns (`up = make_stream();`) or that a function gets to fill (`make_stream(&up);`).
 * Nothing is guessed: each step has to be in the source, the source must not be newer than the
 * program, and no other object of the kind may come from that line.
 */
#pragma once

#include "base/arena.h"
#include "base/map.h"
#include "reports/report.h"

/* What was read already. Empty if all zero. */
struct sc_variable_names {
	struct sc_arena arena;
	struct sc_u64_map known; /* address of the name, 1: none; by kind and stack */
};

void sc_variable_names_fini(struct sc_variable_names *v);
/* The variable of an object of a kind (enum sc_op_kind) made at a stack, fit for a terminal; NULL
 * if not exactly one fits. Lives as long as the variables. */
const char *sc_variable_of(const struct sc_report *r, unsigned kind, uint32_t stack);
/* Appends " (`up`)", or nothing. */
void sc_variable_add(struct sc_buf *out, const struct sc_report *r, unsigned kind, uint32_t stack);
