// Probe 18 (L-4): does a launch-completion event fire while its kernel still runs?
#include "probe.h"

int main()
{
	cudaStream_t stream;
	cudaEvent_t event;
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};
	Hold hold;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
	attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
	attribute.val.launchCompletionEvent.event = event;
	attribute.val.launchCompletionEvent.flags = 0;
	config.gridDim = config.blockDim = dim3(1);
	config.stream = stream;
	config.attrs = &attribute;
	config.numAttrs = 1;
	*hold.flag = 0;
	*hold.running = 0;
	CHECK(cudaLaunchKernelEx(&config, spin, hold.flag, hold.running));
	while (!*hold.running)
		;
	double start = now_ms();
	cudaError_t result = cudaErrorNotReady;
	while (result == cudaErrorNotReady && now_ms() - start < 100)
		result = cudaEventQuery(event);
	printf("fact: launch-completion event queried while its kernel runs = %s\n",
	       cudaGetErrorName(result));
	hold.release();
	CHECK(cudaDeviceSynchronize());
	return 0;
}
