/* Launches in the forms that newer ones replaced.
 *
 * CUDA 2: a kernel keeps its shape and parameters, set one by one, until it is launched into the
 * legacy stream or a given one. On several devices at once (L-5): a launch for each, and records
 * and waits that say what the call orders among the streams.
 */
#pragma once

#include "interposer/call/call.h"

/* AFTER functions of the rows that set something. */
void sc_launch_old_block(struct sc_call *call);
void sc_launch_old_shared(struct sc_call *call);
void sc_launch_old_size(struct sc_call *call);
void sc_launch_old_int(struct sc_call *call);
void sc_launch_old_float(struct sc_call *call);
void sc_launch_old_bytes(struct sc_call *call);

/* HAND functions of the rows that launch. */
void sc_launch_old_single(struct sc_call *call);
void sc_launch_old_grid(struct sc_call *call);
void sc_launch_old_grid_async(struct sc_call *call);
void sc_launch_old_devices(struct sc_call *call);
