/* Pairs of operations whose order is imposed on top of the schedule.
 *
 *	STREAMCHECK_SIM_PAIR=FIRST,THEN[,MEMORY][;FIRST,THEN[,MEMORY]]...
 *
 * FIRST and THEN are each STREAM.NUMBER, an operation by the id of its stream (or of its executable
 * graph) and its number among the operations there, or `host`: an access of the host's, after the
 * call that enqueues the other one of the pair; host@STREAM.NUMBER: after the call that enqueues
 * this operation. MEMORY is a range of bytes, ID+OFFSET+BYTES in the allocation of that id, or
 * dst+OFFSET+BYTES and src+OFFSET+BYTES in the operand of the one operation that is not the host's.
 * The ids are those of an earlier run (notes.h), in which the program made the same calls.
 *
 * THEN is held back until FIRST is complete; with FIRST a `host`, until somebody waits for it; with
 * THEN a `host`, the call after which that comes returns when FIRST is complete. What CUDA demands
 * goes before: THEN is let go when it cannot wait any longer, because FIRST comes after it, or is
 * not there when THEN is waited for, or nothing happens for a while. Notes say how it went, and
 * which bytes the range had before and after each of the two.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simulator/driver/schedule/op.h"

/* Reads the environment. A value that is no list of pairs is reported once and means none. */
void sim_pair_init(void);

/* True if there is a pair. */
bool sim_pair_is_on(void);

/* An op is about to be submitted; notes its name. */
void sim_pair_submit(struct sim_op *op);

/* Must the op wait? `is_busy`: some op runs. If so, *wake_ns becomes at most when to look again. */
bool sim_pair_holds(const struct sim_op *op, uint64_t now, bool is_busy, uint64_t *wake_ns);

/* The next of what must be demanded if the op is, or NULL; *position is 0 at first. */
struct sim_op *sim_pair_needs(const struct sim_op *op, size_t *position);

/* The call that would submit this op must not make the host wait for it. */
bool sim_pair_defers(uint64_t stream_id, uint64_t number);

/* The call that will submit this op is about to read the op's source: returns when its turn has
 * come; drops the lock. */
void sim_pair_await(uint64_t stream_id, uint64_t number);

/* The op with this name may begin early, where CUDA permits that, so that either order can be made.
 */
bool sim_pair_begins_early(uint64_t stream_id, uint64_t number);

/* The op begins, the op has ended. */
void sim_pair_begin(const struct sim_op *op);
void sim_pair_end(const struct sim_op *op);

/* The allocation ends, the process ends: notes what is left in memory of pairs. */
void sim_pair_leave(const struct sim_alloc *alloc);
void sim_pair_exit(void);

/* At the end of a call: returns when what it enqueued has run, if it must; drops the lock. */
void sim_pair_settle(void);
