/* Tracking: what a call changes in the recorder's tables of handles, allocations and waits, apart
 * from the op that is written.
 *
 * One row of functions for each kind of op: `prepare` before the op is written (at the call's
 * entry, or at the exit for EXIT rows), `finish` when the call returned.
 */
#pragma once

#include "interposer/call/call.h"

struct sc_tracking {
	void (*prepare)(struct sc_call *call);
	void (*finish)(struct sc_call *call);
};

/* The functions of a kind; members may be NULL. */
const struct sc_tracking *sc_tracking_of(enum sc_op_kind kind);
