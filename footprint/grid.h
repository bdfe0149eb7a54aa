/* Where a kernel waits for the grids that it depends on (griddepcontrol.wait, specification L-2).
 *
 * Naive form: for each access all paths from the entry to it, and which of them pass a wait. Here
 * two bits go through the control flow: a path without a wait leads here, one with a wait does. A
 * wait under a guard, and a call of a function without a body, may be a wait or not.
 */
#pragma once

#include <stdbool.h>
#include "footprint/flow.h"
#include "footprint/footprint.h"

enum sc_grid_waited { SC_GRID_NOT_WAITED = 1, SC_GRID_WAITED = 2 };

struct sc_grid_waits {
	uint8_t *at_entry; /* owned: of each block, enum sc_grid_waited bits */
	bool has_wait;
	bool has_early_trigger; /* on some path, without a wait before it */
};

void sc_grid_waits_make(struct sc_grid_waits *w, const struct sc_ptx *m, const struct sc_flat *flat,
			const struct sc_flow *flow);
void sc_grid_waits_fini(struct sc_grid_waits *w);
/* What holds after an instruction, from what holds before it. */
uint8_t sc_grid_pass(const struct sc_ptx *m, const struct sc_instruction *in, uint8_t waited);

/* True if an instruction of this name is a load or store of system scope, which the host may
 * answer. */
bool sc_grid_is_for_host(const char *name);
/* How early an access is at a place where that holds. */
static inline uint8_t sc_grid_early(const struct sc_grid_waits *w, uint8_t waited)
{
	if (!w->has_wait || !(waited & SC_GRID_NOT_WAITED))
		return SC_EARLY_NO;
	return waited & SC_GRID_WAITED ? SC_EARLY_MAYBE : SC_EARLY_SURELY;
}
