/* Kernel launches: which kernel, its shape, and an image of its parameters. */
#ifndef SC_INTERPOSER_CALL_LAUNCH_H
#define SC_INTERPOSER_CALL_LAUNCH_H

#include "interposer/call/call.h"

#define SC_LAUNCH_COOPERATIVE (1u << CU_LAUNCH_ATTRIBUTE_COOPERATIVE)

/* A launch that cuLaunchKernel could make as well. */
static inline bool sc_launch_is_plain(const CUlaunchConfig *config)
{
	return config && !config->numAttrs;
}

/* The kernel's record, also of one that was looked up by a call which we do not know. */
struct sc_handle *sc_launch_see(const void *function);
/* Attaches a launch to an op: its kernel, shape, and the values of its parameters. */
void sc_launch_attach(struct sc_call *call, const void *function, const struct sc_launch *shape,
		      void **params, void **extra);

/* HAND functions of the launch rows. */
void sc_launch_plain(struct sc_call *call);
void sc_launch_ex(struct sc_call *call);
void sc_launch_cooperative(struct sc_call *call);
/* A kernel node as a launch; `known`: the kernel of the captured launch that made it, or NULL, and
 * its handle then. */
void sc_launch_node(struct sc_call *call, const CUDA_KERNEL_NODE_PARAMS_v3 *node,
		    struct sc_handle_ref known, const void *raw);
/* AFTER functions of the rows that look a kernel up: the rows give the kernel's name. */
void sc_launch_function_named(struct sc_call *call);
void sc_launch_kernel_named(struct sc_call *call);
void sc_launch_functions_listed(struct sc_call *call);
void sc_launch_kernels_listed(struct sc_call *call);
void sc_launch_function_of_kernel(struct sc_call *call);
/* AFTER function of the row that gives a library's module. */
void sc_launch_module_of_library(struct sc_call *call);

#endif
