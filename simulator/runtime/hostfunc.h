/*
 * Host functions and stream callbacks, wrapped so that CUDA calls inside them are refused (S-8).
 *
 * The driver is handed a trampoline and a record of the program's function. A record that runs once
 * is freed after its run; one that a graph may run again is shared by all nodes with the same
 * function and argument, and kept.
 */
#ifndef SIMULATOR_RUNTIME_HOSTFUNC_H
#define SIMULATOR_RUNTIME_HOSTFUNC_H

#include "simulator/runtime/driver.h"

CUresult rt_launch_host_func(const struct rt_calls *cu, cudaStream_t stream, cudaHostFn_t function,
			     void *argument);
CUresult rt_add_callback(const struct rt_calls *cu, cudaStream_t stream,
			 cudaStreamCallback_t function, void *argument, unsigned int flags);

/* What a graph's host node gets in the place of the program's function. */
CUresult rt_host_node_wrap(const struct cudaHostNodeParams *wanted, CUDA_HOST_NODE_PARAMS *node);

/* The program's function again, from what the driver says of a node. */
void rt_host_node_unwrap(const CUDA_HOST_NODE_PARAMS *node, struct cudaHostNodeParams *wanted);

#endif
