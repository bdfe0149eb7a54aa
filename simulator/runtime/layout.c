/* Asserts that what exports.def hands to the driver as it is has the driver's size and alignment.
 */
#include "simulator/runtime/driver.h"

#define SAME(ours, drivers)                                                                    \
	_Static_assert(sizeof(ours) == sizeof(drivers) && _Alignof(ours) == _Alignof(drivers), \
		       #ours " differs from " #drivers)

SAME(cudaLaunchAttribute, CUlaunchAttribute);
SAME(cudaLaunchAttributeValue, CUlaunchAttributeValue);
SAME(cudaGraphEdgeData, CUgraphEdgeData);
SAME(cudaGraphInstantiateParams, CUDA_GRAPH_INSTANTIATE_PARAMS);
SAME(cudaGraphExecUpdateResultInfo, CUgraphExecUpdateResultInfo);
SAME(struct cudaGraphNodeParams, CUgraphNodeParams);
SAME(struct cudaMemsetParams, CUDA_MEMSET_NODE_PARAMS_v1);
SAME(struct cudaMemAllocNodeParams, CUDA_MEM_ALLOC_NODE_PARAMS);
SAME(struct cudaHostNodeParams, CUDA_HOST_NODE_PARAMS);
SAME(struct cudaMemPoolProps, CUmemPoolProps);
SAME(struct cudaMemAccessDesc, CUmemAccessDesc);
SAME(struct cudaMemLocation, CUmemLocation);
SAME(struct cudaMemPoolPtrExportData, CUmemPoolPtrExportData);
SAME(struct cudaMemcpyAttributes, CUmemcpyAttributes);
SAME(struct cudaMemcpy3DBatchOp, CUDA_MEMCPY3D_BATCH_OP);
SAME(struct cudaArraySparseProperties, CUDA_ARRAY_SPARSE_PROPERTIES);
SAME(struct cudaArrayMemoryRequirements, CUDA_ARRAY_MEMORY_REQUIREMENTS);
SAME(struct cudaResourceViewDesc, CUDA_RESOURCE_VIEW_DESC);
SAME(cudaIpcEventHandle_t, CUipcEventHandle);
SAME(cudaIpcMemHandle_t, CUipcMemHandle);
SAME(struct cudaExternalMemoryHandleDesc, CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
SAME(struct cudaExternalMemoryBufferDesc, CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
SAME(struct cudaExternalSemaphoreHandleDesc, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC);
SAME(struct cudaExternalSemaphoreSignalParams, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS);
SAME(struct cudaExternalSemaphoreWaitParams, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS);
SAME(struct cudaExternalSemaphoreSignalNodeParams, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS);
SAME(struct cudaExternalSemaphoreWaitNodeParams, CUDA_EXT_SEM_WAIT_NODE_PARAMS);
SAME(struct cudaAsyncNotificationInfo, CUasyncNotificationInfo);
