/* Clusters: blocks of a launch that run beside each other and reach each other's shared memory. */
#ifndef SIM_CLUSTER_H
#define SIM_CLUSTER_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

/* The blocks of a launch's clusters: those that its kernel demands, or else an attribute; 0:
 * neither. INVALID_CLUSTER_SIZE if the device, or the grid, cannot have them. */
CUresult sim_cluster_of(const CUDA_KERNEL_NODE_PARAMS *params, const CUlaunchAttribute *attrs,
			size_t attr_count, uint32_t cluster[3]);

#endif
