/* Kernels that wait: what edits do that let a kernel wait before all else for those that it may
 * begin before (SC_EDIT_KERNEL_WAIT). */
#pragma once

#include "extensions/repair/planner/applied_state.h"

/* Takes each launch of a kernel, and each node that is one, once the node is noted. A kernel that
 * waits is as one that begins after all that comes before, if what it waits for is complete only
 * after that: else that may still run, and nothing changes. */
void sc_kernel_wait_act(struct sc_applied *a, struct sc_record *r);
