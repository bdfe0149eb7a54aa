// Probe 12 (S-9): what does the NULL stream wait for while a green context is current?
#include "probe.h"

int main()
{
	CUdevice device;
	CUdevResource all, part;
	CUdevResourceDesc description;
	CUgreenCtx green;
	CUcontext context;
	cudaStream_t blocking;
	unsigned int groups = 1;
	int *mark;
	Hold hold;

	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaMallocHost(&mark, sizeof(int)));
	*mark = 0;
	CHECK_DRIVER(cuDeviceGet(&device, 0));
	CHECK_DRIVER(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
	CHECK_DRIVER(cuDevSmResourceSplitByCount(&part, &groups, &all, nullptr, 0, 16));
	CHECK_DRIVER(cuDevResourceGenerateDesc(&description, &part, 1));
	CHECK_DRIVER(cuGreenCtxCreate(&green, description, device, CU_GREEN_CTX_DEFAULT_STREAM));
	CHECK_DRIVER(cuCtxFromGreenCtx(&context, green));
	hold.start(blocking);
	CHECK_DRIVER(cuCtxPushCurrent(context));
	CHECK_DRIVER(cuMemsetD32Async((CUdeviceptr)mark, 1, 1, nullptr));
	std::this_thread::sleep_for(std::chrono::milliseconds(50));
	(void)cuStreamQuery(nullptr);
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	fact("NULL stream under a green context, a blocking stream of the primary context busy",
	     *(volatile int *)mark ? "runs beside it" : "waits for it");
	hold.release();
	CHECK_DRIVER(cuCtxSynchronize());
	return 0;
}
