/* Turns: NCCL's calls of a thread, in the order in which they are enqueued.
 *
 * Between ncclGroupStart and the outermost ncclGroupEnd nothing is enqueued, nothing waits for
 * other ranks, and handles of new communicators may not be there: what is called is kept, and said
 * at the end. NCCL's own calls of its functions count for nothing.
 */
#pragma once

#include "extensions/agents/nccl/communicator.h"

/* A call of the wrapper with this frame begins; false if it is made by NCCL itself, or by the
 * recorder. All that follows is for calls of which this said true. */
bool sc_turn_enter(const void *frame);
void sc_turn_leave(void);

/* Before and after the real call of what other ranks answer. All of these keep errno. */
uint64_t sc_turn_call(const struct sc_collective *c, const void *communicator, const void *stream);
void sc_turn_called(const struct sc_collective *c, const void *communicator, const void *stream,
		    uint64_t sequence, int status);
/* A call that makes a communicator returned. */
void sc_turn_born(const struct sc_communicator_birth *b, int status);

/* A group began; the outermost one is about to end, and has ended. */
void sc_turn_begin(void);
void sc_turn_end(void);
void sc_turn_ended(int status);
/* It has ended, and nothing of it was enqueued. */
void sc_turn_drop(void);
