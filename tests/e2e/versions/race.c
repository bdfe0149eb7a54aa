/* Two kernels in two streams: a race, with the argument "fixed" none. */
#include "kernels.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int is_fixed = argc > 1 && !strcmp(argv[1], "fixed");
	cudaStream_t first, second;
	cudaEvent_t event;
	cudaError_t error;
	int *memory;

	error = cudaMalloc((void **)&memory, BYTES);
	if (error) {
		puts(cudaGetErrorString(error));
		return argc > 1 && !strcmp(argv[1], "calm") ? 0 : 1;
	}
	cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
	cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
	kernels_launch(&produce, memory, first);
	if (is_fixed) {
		cudaEventRecord(event, first);
		cudaStreamWaitEvent(second, event, 0);
	}
	kernels_launch(&consume, memory, second);
	error = cudaDeviceSynchronize();
	cudaEventDestroy(event);
	cudaStreamDestroy(first);
	cudaStreamDestroy(second);
	cudaFree(memory);
	return error != cudaSuccess;
}
