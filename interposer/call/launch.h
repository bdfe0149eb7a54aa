/* Kernel launches: which kernel, its shape, and an image of its parameters. */
#pragma once

#include "interposer/call/call.h"

#define SC_LAUNCH_COOPERATIVE (1u << CU_LAUNCH_ATTRIBUTE_COOPERATIVE)

#define SC_LAUNCH_EARLY (1u << 31) /* with the bits of attributes: it may begin early */

/* All that the attributes of a launch put into its record, unless one of them names an event. */
static inline uint32_t sc_launch_attributes(const CUlaunchConfig *config)
{
	uint32_t bits = 0;

	for (unsigned i = 0; config->attrs && i < config->numAttrs; i++) {
		const CUlaunchAttribute *a = &config->attrs[i];

		if ((unsigned)a->id < 31)
			bits |= 1u << a->id;
		if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
		    a->value.programmaticStreamSerializationAllowed)
			bits |= SC_LAUNCH_EARLY;
	}
	return bits;
}

static inline bool sc_launch_has_event(uint32_t attributes)
{
	return attributes & (1u << CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT |
			     1u << CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
}

/* The kernel's record, also of one that was looked up by a call which we do not know. */
struct sc_handle *sc_launch_see(const void *function);
/* Attaches a launch to an op: its kernel, shape, and the values of its parameters. */
void sc_launch_attach(struct sc_call *call, const void *function, const struct sc_launch *shape,
		      void **params, void **extra);

/* A kernel node as a launch; `known`: the kernel of the captured launch that made it, or NULL, and
 * its handle then. */
void sc_launch_node(struct sc_call *call, const CUDA_KERNEL_NODE_PARAMS_v3 *node,
		    struct sc_handle_ref known, const void *raw);
