/* Python: stacks of lines, each kept once and given an id, like the stacks of return addresses.
 *
 * A stack of lines belongs to the C stack below it. Its text is written to the trace before its id
 * is given out; a known one costs a comparison a frame. Safe in any thread and in signal handlers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/python/text.h"

#define SC_PYTHON_SLOTS (1u << 15)

struct sc_python_depot {
	void *_Atomic slot[SC_PYTHON_SLOTS];
};

/* What one line is known by: two words that no other line has. */
struct sc_python_key {
	uint64_t what, where;
};

/* Innermost first. */
struct sc_python_stack {
	uint32_t count;
	struct sc_python_key key[SC_PYTHON_DEPTH];
};

/* The calling thread's room for a text, empty: its stack may be small. NULL if there is none. */
struct sc_python_text *sc_python_depot_text(void);
/* The id of a stack of lines above the C stack `below`. A new one is printed by `print`; if that
 * answers false there is none. Returns `below` if none is kept. */
uint32_t sc_python_depot_find(struct sc_python_depot *d, const struct sc_python_stack *stack,
			      uint32_t below, bool (*print)(void *context, struct sc_python_text *),
			      void *context);
