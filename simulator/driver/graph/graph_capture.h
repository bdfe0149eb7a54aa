/* Captured work: nodes after the stream's heads, in place of ops (rule G-2). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

#include "simulator/driver/copy/copy.h"
#include "simulator/driver/copy/fill.h"

struct sim_device;
struct sim_semaphores;

CUresult sim_graph_capture_kernel(CUstream stream, const CUDA_KERNEL_NODE_PARAMS *params);
CUresult sim_graph_capture_copy(CUstream stream, const struct sim_copy_spec *spec);
CUresult sim_graph_capture_batch(CUstream stream, const struct sim_copy_spec *specs, size_t count);
CUresult sim_graph_capture_copies(CUstream stream, const CUDA_MEMCPY_BATCH_NODE_PARAMS *params);
CUresult sim_graph_capture_fabric(CUstream stream, const CUDA_FABRIC_CPY_BATCH_NODE_PARAMS *params);
CUresult sim_graph_capture_fill(CUstream stream, const struct sim_fill_spec *spec);
CUresult sim_graph_capture_host(CUstream stream, CUhostFn fn, void *data);
CUresult sim_graph_capture_event(CUstream stream, CUgraphNodeType type, CUevent event);
CUresult sim_graph_capture_child(CUstream stream, CUgraph graph);
CUresult sim_graph_capture_memops(CUstream stream, const CUstreamBatchMemOpParams *params,
				  unsigned int count);

CUresult sim_graph_capture_semaphores(CUstream stream, const struct sim_semaphores *all,
				      bool is_wait);

/* The node allocates at each launch; the address is the same each time (G-13). */
CUresult sim_graph_capture_alloc(CUstream stream, struct sim_device *device, size_t size_bytes,
				 CUdeviceptr *address);
CUresult sim_graph_capture_free(CUstream stream, CUdeviceptr address);
