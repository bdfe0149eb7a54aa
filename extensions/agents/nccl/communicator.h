/* Communicators of NCCL: what this process says of them to the processes that it works with.
 *
 * Each communicator is a group (trace/message.h), under a name that all of its ranks make alike: of
 * the bytes of the unique id, or, of one that is made of another, of that one's name and how it was
 * made. Its calls are messages of that group, in the order in which they are enqueued: those of
 * ncclGroupStart to ncclGroupEnd at the outermost end. A message is written before the real call,
 * so that one that never returns is there, too.
 *
 * Calls that make communicators wait for the other ranks in the host, not on the device: they are
 * messages of a second group of the same ranks. What cannot be told is said (SC_MESSAGE_LOSE): a
 * call that failed, was captured into a graph or was too much for a group.
 */
#pragma once

#include <stddef.h>
#include "extensions/agents/nccl/collective.h"
#include "extensions/agents/operands/vendor.h"

/* A call that makes a communicator: what is known of it before it returns. */
struct sc_communicator_birth {
	void *const *place;  /* where its handle will stand; NULL: nothing is followed */
	uint64_t name;	     /* 0: not known */
	uint32_t rank, size; /* size 0: to be asked */
	uint32_t host;	     /* id of the second group, or 0 */
	uint64_t calls;	     /* in there */
	uint64_t sequence;   /* of the message, or SC_NOT_WRITTEN */
	const void *ask[2];  /* ncclCommCount, ncclCommUserRank of the library; or NULL */
};

/* What a call is, before it is enqueued. */
struct sc_communicator_call {
	struct sc_collective call;
	const void *communicator;
	uint32_t stream, stack; /* ids */
	bool is_captured;
};

/* ncclInProgress counts: the call goes on without the thread. */
static inline bool sc_communicator_has_worked(int status)
{
	return !status || status == 7;
}

/* Writes the message of a call, with its result pending. Returns its sequence number, or
 * SC_NOT_WRITTEN. With sc_self.busy raised. */
uint64_t sc_communicator_put(const struct sc_communicator_call *k);
/* What was enqueued with this message, and with those of its thread before it, is: the call
 * returned. With sc_self.busy raised. */
void sc_communicator_returned(uint64_t sequence);
/* Not all that is enqueued there will be written. */
void sc_communicator_lose(const void *communicator);

/* Before the real call; what they return is for sc_communicator_born. */
struct sc_communicator_birth sc_communicator_make(void *const *place, int size, int rank,
						  const struct sc_nccl_id *ids, int count);
struct sc_communicator_birth sc_communicator_split(const void *of, int color, void *const *place,
						   void *real);
struct sc_communicator_birth sc_communicator_shrink(const void *of, const int *without, int count,
						    void *const *place, void *real);
void sc_communicator_born(const struct sc_communicator_birth *b, int status);
/* One process made one for each device. */
void sc_communicator_born_together(void *const *places, int count);
/* Before a call after which this process enqueues no more there; flags of SC_MESSAGE_PART. */
void sc_communicator_part(struct sc_library_function *function, const void *communicator,
			  unsigned flags, bool is_freed);
