// One kernel of three is launched in another stream than the two that it works with. With -DDEFAULT
// the stream is forgotten: the launch has no third argument.
// expect: SC-106 at=scale proven order=no_event
// expect: SC-106 at=finish proven order=no_event
// expect[DEFAULT]: SC-106 at=forgotten cause=SC-107 proven
// expect[DEFAULT]: SC-106 at=finish cause=SC-107 proven
// expect[FIXED]: clean
#include "testcases/common.h"

static const int N = 1 << 16, threads = 256;

__global__ void add(float *to, const float *from, float value)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = from[i] + value;
}

int main()
{
	const size_t bytes = N * sizeof(float);
	float *d_first = on_device(bytes), *d_second = on_device(bytes), *h_back = pinned(bytes);
	cudaStream_t work, side;

	CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
	CHECK(cudaMemsetAsync(d_first, 0, bytes, work));
#if defined(FIXED)
	add<<<N / threads, threads, 0, work>>>(d_second, d_first, 1);
#elif defined(DEFAULT)
	add<<<N / threads, threads>>>(d_second, d_first, 1); // @forgotten
#else
	add<<<N / threads, threads, 0, side>>>(d_second, d_first, 1); // @scale
#endif
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpyAsync(h_back, d_second, bytes, cudaMemcpyDeviceToHost, work)); // @finish
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	verify_kernel(h_back, 1, N);
#endif
	CHECK(cudaStreamDestroy(side));
	CHECK(cudaStreamDestroy(work));
	CHECK(cudaFree(d_first));
	CHECK(cudaFree(d_second));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
