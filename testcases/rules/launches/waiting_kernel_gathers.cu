// A kernel that may start before the previous one is complete waits for it first, and then gathers
// elements of a table that another stream writes: the same elements, or others (-DFIXED). Also
// without the attribute (-DPLAIN, -DPLAIN_FIXED).
// nvcc: -arch=sm_90
// expect: SC-106 at=write proven order=no_event when=executed
// expect: SC-106|SC-209 at=write possible doubt=footprint when=unexecuted
// expect[PLAIN]: SC-106 at=write proven order=no_event when=executed
// expect[PLAIN]: SC-106|SC-209 at=write possible doubt=footprint when=unexecuted
// expect[FIXED]: SC-209 at=others possible doubt=footprint when=unexecuted
// expect[PLAIN_FIXED]: SC-209 at=others possible doubt=footprint when=unexecuted
#include "testcases/compute.h"

__global__ void choose(int *index)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#if __CUDA_ARCH__ >= 900
	cudaTriggerProgrammaticLaunchCompletion();
#endif
	index[i] = 2 * i;
}

__global__ void gather(const float *table, const int *index, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

#if __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
	out[i] = table[index[i]];
}

__global__ void scatter(float *table, const int *index, int offset)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	table[index[i] + offset] = 3;
}

int main()
{
	const int N = 1 << 12, THREADS = 256;
	float *table = device_zeros<float>(2 * N), *out = device_zeros<float>(N);
	int *index = device_array<int>(N), *index_again = device_array<int>(N);
	cudaLaunchAttribute early = {};
	cudaLaunchConfig_t config = {};
	cudaStream_t stream, other;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	choose<<<N / THREADS, THREADS>>>(index_again);
	CHECK(cudaDeviceSynchronize());
	choose<<<N / THREADS, THREADS, 0, stream>>>(index);
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = N / THREADS;
	config.blockDim = THREADS;
	config.stream = stream;
	config.attrs = &early;
#if !defined(PLAIN) && !defined(PLAIN_FIXED)
	config.numAttrs = 1;
#endif
	CHECK(cudaLaunchKernelEx(&config, gather, (const float *)table, (const int *)index, out));
#if defined(FIXED) || defined(PLAIN_FIXED)
	scatter<<<N / THREADS, THREADS, 0, other>>>(table, index_again, 1); // @others
#else
	scatter<<<N / THREADS, THREADS, 0, other>>>(table, index_again, 0); // @write
#endif
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	free_device(table, out);
	free_device(index, index_again);
	return 0;
}
