// A pool that NVTX describes hands a buffer to a stream while another one still reads it.
// expect: SC-106 at=next proven order=reused|no_event
// expect[FIXED]: clean
#include <nvtx3/nvToolsExtMem.h>
#include "testcases/common.h"

const size_t bytes = 1 << 16;

// The block is a heap that hands out regions.
static nvtxMemHeapHandle_t describe_heap(void *block, size_t size)
{
	nvtxMemVirtualRangeDesc_t range = {};
	nvtxMemHeapDesc_t heap = {};

	range.ptr = block;
	range.size = size;
	heap.extCompatID = NVTX_EXT_COMPATID_MEM;
	heap.structSize = sizeof(heap);
	heap.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
	heap.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
	heap.typeSpecificDescSize = sizeof(range);
	heap.typeSpecificDesc = &range;
	return nvtxMemHeapRegister(NULL, &heap);
}

static void take(nvtxMemHeapHandle_t heap, void *p)
{
	nvtxMemVirtualRangeDesc_t range = {};
	nvtxMemRegionsRegisterBatch_t regions = {};

	range.ptr = p;
	range.size = bytes;
	regions.extCompatID = NVTX_EXT_COMPATID_MEM;
	regions.structSize = sizeof(regions);
	regions.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
	regions.heap = heap;
	regions.regionCount = 1;
	regions.regionDescElementSize = sizeof(range);
	regions.regionDescElements = &range;
	nvtxMemRegionsRegister(NULL, &regions);
}

static void give(void *p)
{
	nvtxMemRegionRef_t region = {};
	nvtxMemRegionsUnregisterBatch_t regions = {};

	region.pointer = p;
	regions.extCompatID = NVTX_EXT_COMPATID_MEM;
	regions.structSize = sizeof(regions);
	regions.refType = NVTX_MEM_REGION_REF_TYPE_POINTER;
	regions.refCount = 1;
	regions.refElementSize = sizeof(region);
	regions.refElements = &region;
	nvtxMemRegionsUnregister(NULL, &regions);
}

int main()
{
	char *block, *part;
	cudaStream_t first, second;
	cudaEvent_t done;
	nvtxMemHeapHandle_t heap;
	void *back;

	CHECK(cudaMalloc(&block, 4 * bytes));
	CHECK(cudaMallocHost(&back, bytes));
	CHECK(cudaMemset(block, 0, 4 * bytes));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	heap = describe_heap(block, 4 * bytes);
	part = block + bytes;
	take(heap, part);
	CHECK(cudaMemcpyAsync(back, part, bytes, cudaMemcpyDeviceToHost, first));
	give(part);
#ifdef FIXED
	CHECK(cudaEventRecord(done, first));
	CHECK(cudaStreamWaitEvent(second, done, 0));
#endif
	take(heap, part);
	CHECK(cudaMemsetAsync(part, 1, bytes, second)); // @next
	CHECK(cudaDeviceSynchronize());
	nvtxMemHeapUnregister(NULL, heap);
	CHECK(cudaEventDestroy(done));
	CHECK(cudaStreamDestroy(first));
	CHECK(cudaStreamDestroy(second));
	CHECK(cudaFreeHost(back));
	CHECK(cudaFree(block));
	return 0;
}
