/* What the program hands to an agent, and how that ends: `value` of the ops AGENT and AGENT_END.
 *
 * An operation of MPI is most often one message as well, and has one record then: an AGENT with an
 * `object` stands for the MESSAGE before it (trace/message.h), too. Its `object` and `peer` are
 *that one's, its `value` has in
 *
 *	bits 0 to 7	enum sc_agent_ability
 *	bits 8 to 31	the `value` of the MESSAGE
 *	bits 32 to 63	the `src` of the MESSAGE: its tag
 *
 * and the bytes of the MESSAGE are those of the accesses: of the linear one, or of those attached
 *all that are only read, of a message that is sent, or only written. Likewise an AGENT_END stands
 *for a MESSAGE_END if it has the bit SC_AGENT_ENDS_MESSAGE.
 */
#pragma once

#include <stddef.h>
#include "base/assert.h"
#include "trace/op.h"

enum sc_agent_ability {
	SC_AGENT_ANY_MEMORY,	 /* or it did not say */
	SC_AGENT_HOST_ONLY,	 /* it said that it cannot use device memory */
	SC_AGENT_SEEN_BY_KERNELS /* a kernel may wait for its end, which is not seen */
};

enum sc_agent_end {
	SC_AGENT_COMPLETE,
	SC_AGENT_GIVEN_UP, /* the request was freed: when it is complete nobody is told */
	SC_AGENT_LEFT,	   /* MPI_Finalize: of all */
	SC_AGENT_DESTROYED /* who works on it was destroyed, and nobody asked whether it is complete
			    */
};

#define SC_AGENT_ENDS_MESSAGE  (1u << 8)
#define SC_AGENT_MESSAGE_SHIFT 8
#define SC_AGENT_TAG_SHIFT     32

static inline enum sc_agent_ability sc_agent_ability(const struct sc_op *op)
{
	return (enum sc_agent_ability)(op->value & 0xff);
}

static inline enum sc_agent_end sc_agent_how(const struct sc_op *op)
{
	return (enum sc_agent_end)(op->value & 0xff);
}

/* Makes an AGENT stand for a MESSAGE with these fields, too. */
static inline void sc_agent_add_message(struct sc_op *op, uint32_t group, uint32_t peer,
					uint32_t value, uint32_t tag)
{
	sc_assert(op->kind == SC_OP_AGENT &&
		  value >> (SC_AGENT_TAG_SHIFT - SC_AGENT_MESSAGE_SHIFT) == 0);
	op->object = group;
	op->peer = peer;
	op->value |= (uint64_t)value << SC_AGENT_MESSAGE_SHIFT;
	op->value |= (uint64_t)tag << SC_AGENT_TAG_SHIFT;
}

/* And an AGENT_END for a MESSAGE_END. */
static inline void sc_agent_add_end(struct sc_op *op, uint32_t peer, uint32_t tag)
{
	sc_assert(op->kind == SC_OP_AGENT_END);
	op->peer = peer;
	op->value |= SC_AGENT_ENDS_MESSAGE | (uint64_t)tag << SC_AGENT_TAG_SHIFT;
}

/* The MESSAGE, or MESSAGE_END, that the op stands for as well; of kind NONE if there is none. */
struct sc_op sc_agent_message(const struct sc_op *op, const struct sc_access *accesses,
			      size_t count);
/* Bytes of a message of that value with these accesses. */
uint64_t sc_agent_message_bytes(uint64_t value, const struct sc_access *accesses, size_t count);
