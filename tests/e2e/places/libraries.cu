// Launches that CUB and Thrust make in their headers, and copies that nothing orders with
// them. The lines that a report has to name are marked as in shapes.cu.
#include <cub/device/device_for.cuh>
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>

#include <stdio.h>
#include <stdlib.h>

static const int N = 256;

#define CHECK(call)                                                                \
	do {                                                                       \
		if (call) {                                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #call); \
			exit(1);                                                   \
		}                                                                  \
	} while (0)

#define APART __attribute__((noinline))
#define COPY  CHECK(cudaMemcpyAsync(here, data, sizeof(here), cudaMemcpyDeviceToHost, then))

struct set {
	float *data;

	__device__ void operator()(int i) const
	{
		data[i] = 3;
	}
};

static cudaStream_t first, then;
static float here[N];

APART void by_cub(float *data)
{
	cub::DeviceFor::Bulk(N, set{data}, first); // @cub
}

APART void by_thrust(float *data)
{
	thrust::fill(thrust::cuda::par_nosync.on(first), data, data + N, 4.f); // @thrust
}

static float *fresh(void)
{
	float *data;

	CHECK(cudaMalloc((void **)&data, sizeof(here)));
	CHECK(cudaMemset(data, 0, sizeof(here)));
	CHECK(cudaDeviceSynchronize());
	return data;
}

int main()
{
	float *data;

	CHECK(cudaStreamCreate(&first));
	CHECK(cudaStreamCreate(&then));
	data = fresh();
	by_cub(data); // @cub.from
	COPY;	      // @cub.copy
	data = fresh();
	by_thrust(data); // @thrust.from
	COPY;		 // @thrust.copy
	CHECK(cudaDeviceSynchronize());
	return 0;
}
