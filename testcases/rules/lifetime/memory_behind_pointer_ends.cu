// The host frees registered memory of the heap that a kernel reads only by a pointer that it loads.
// expect: SC-104 at=end proven order=none when=executed
// expect: SC-104 at=end possible doubt=footprint when=unexecuted
// expect[FIXED]: clean
#include "testcases/common.h"

struct string {
	int length;
	float *data;
};

static __global__ void add_up(const struct string *s, float *total)
{
	float all = 0;

	for (int i = threadIdx.x; i < s->length; i += blockDim.x)
		all += s->data[i];
	atomicAdd(total, all);
}

int main()
{
	const int N = 1 << 14;
	const size_t bytes = N * sizeof(float);
	float *data, *behind, *total = on_device(sizeof(*total));
	struct string *s;

	CHECK(cudaMemset(total, 0, sizeof(*total)));
	CHECK(cudaMallocManaged(&s, sizeof(*s)));
	s->length = N;
	data = (float *)aligned_alloc(4096, bytes);
	behind = (float *)aligned_alloc(4096, bytes); // the heap keeps what lies before it
	CHECK(cudaHostRegister(data, bytes, cudaHostRegisterMapped));
	CHECK(cudaHostGetDevicePointer(&s->data, data, 0));
	fill(data, 0, N);
	CHECK(cudaDeviceSynchronize());
	add_up<<<1, 256>>>(s, total);
	CHECK(cudaGetLastError());
#ifdef FIXED
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaHostUnregister(data));
#endif
	free(data); // @end
#ifndef FIXED
	CHECK(cudaDeviceSynchronize());
#endif
	free(behind);
	return 0;
}
