// What it does on the device, and who does it.
#include "tests/e2e/scenarios/actor/actor.h"
#include <dlfcn.h>
#include <pthread.h>
#include <cuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtPayload.h>

void prepare(struct buffers *b)
{
	b->h_data = pinned(bytes);
	b->h_back = pinned(bytes);
	b->d_data = on_device(bytes);
	fill(b->h_data, 1, N);
	CHECK(cudaStreamCreate(&b->stream));
}

void enqueue(struct buffers *b)
{
	CHECK(cudaMemcpyAsync(b->d_data, b->h_data, bytes, cudaMemcpyHostToDevice, b->stream));
	CHECK(cudaMemcpyAsync(b->h_back, b->d_data, bytes, cudaMemcpyDeviceToHost, b->stream));
}

// Threads that run together free together: a free in between may wait for the device (H-3), and a
// finding that it hides is only a warning.
static pthread_barrier_t *before_frees;

void finish(struct buffers *b)
{
	CHECK(cudaStreamSynchronize(b->stream));
	verify(b->h_back, 1, N);
	if (before_frees)
		pthread_barrier_wait(before_frees);
	CHECK(cudaStreamDestroy(b->stream));
	CHECK(cudaFree(b->d_data));
	CHECK(cudaFreeHost(b->h_data));
	CHECK(cudaFreeHost(b->h_back));
}

float racy(void)
{
	struct buffers b;
	volatile float early;

	prepare(&b);
	enqueue(&b);
	early = b.h_back[0];
	finish(&b);
	return early;
}

void clean(void)
{
	struct buffers b;

	prepare(&b);
	enqueue(&b);
	finish(&b);
}

int run_clean(void)
{
	clean();
	puts("clean");
	return 0;
}

int run_racy(void)
{
	racy();
	puts("racy");
	return 0;
}

static void *thread_clean(void *unused)
{
	clean();
	return unused;
}

static void *thread_racy(void *unused)
{
	racy();
	return unused;
}

int run_threads(void)
{
	pthread_t threads[4];
	pthread_barrier_t together;

	pthread_barrier_init(&together, NULL, 4);
	before_frees = &together;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, i ? thread_clean : thread_racy, NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	before_frees = NULL;
	return 0;
}

// Frees memory directly before pageable memory that a copy reads.
int run_frees(void)
{
	void *volatile small = malloc(100);
	float *h_data = (float *)malloc(bytes), *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	free(small);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	free(h_data);
	return 0;
}

// A graph that the device may launch itself; the host launches it.
int run_launchable(void)
{
	struct buffers b;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	prepare(&b);
	CHECK(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeRelaxed));
	enqueue(&b);
	CHECK(cudaStreamEndCapture(b.stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
	CHECK(cudaGraphUpload(exec, b.stream));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(exec, b.stream));
	finish(&b);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return 0;
}

// The same error as in racy, with everything that takes part in it named by NVTX.
int run_named(void)
{
	nvtxMemVirtualRangeDesc_t range = {};
	nvtxMemRegionHandle_t handle = NULL;
	nvtxMemRegionsRegisterBatch_t regions = {};
	nvtxMemRegionNameDesc_t name = {};
	nvtxMemRegionsNameBatch_t names = {};
	struct buffers b;

	prepare(&b);
	nvtxNameCudaStreamA(b.stream, "uploads");
	nvtxNameOsThreadA((uint32_t)gettid(), "leader");
	range.ptr = b.h_back;
	range.size = bytes;
	regions.extCompatID = NVTX_EXT_COMPATID_MEM;
	regions.structSize = sizeof(regions);
	regions.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
	regions.regionCount = 1;
	regions.regionDescElementSize = sizeof(range);
	regions.regionDescElements = &range;
	regions.regionHandleElementsOut = &handle;
	nvtxMemRegionsRegister(NULL, &regions);
	name.regionRefType = NVTX_MEM_REGION_REF_TYPE_HANDLE;
	name.region.handle = handle;
	name.nameType = NVTX_MESSAGE_TYPE_ASCII;
	name.name.ascii = "weights";
	names.extCompatID = NVTX_EXT_COMPATID_MEM;
	names.structSize = sizeof(names);
	names.regionCount = 1;
	names.regionElementSize = sizeof(name);
	names.regionElements = &name;
	nvtxMemRegionsName(NULL, &names);
	nvtxRangePushA("set-up");
	nvtxRangePopPayload(NULL, NULL, 0); // as NCCL does
	nvtxRangePushA("epoch 3");
	enqueue(&b);
	(void)*(volatile float *)b.h_back;
	nvtxRangePop();
	finish(&b);
	return 0;
}

// The driver found by hand: dlopen and dlsym, no runtime.
int run_dlopen(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	CUcontext context;
	CUdeviceptr d_data;
	volatile char *h_data;
	CUstream stream;

	if (!driver)
		return 1;
#define CALL(name, type, ...)                                                     \
	if (((CUresult(*) type)dlsym(driver, name)) == NULL ||                    \
	    ((CUresult(*) type)dlsym(driver, name))(__VA_ARGS__) != CUDA_SUCCESS) \
	return 1
	CALL("cuInit", (unsigned), 0);
	CALL("cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice), &context, 0);
	CALL("cuCtxSetCurrent", (CUcontext), context);
	CALL("cuMemAlloc_v2", (CUdeviceptr *, size_t), &d_data, bytes);
	CALL("cuMemAllocHost_v2", (void **, size_t), (void **)&h_data, bytes);
	CALL("cuStreamCreate", (CUstream *, unsigned), &stream, 0);
	CALL("cuMemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream), (void *)h_data,
	     d_data, bytes, stream);
	(void)h_data[5];
	CALL("cuStreamSynchronize", (CUstream), stream);
	CALL("cuMemFree_v2", (CUdeviceptr), d_data);
	CALL("cuMemFreeHost", (void *), (void *)h_data);
#undef CALL
	return 0;
}
