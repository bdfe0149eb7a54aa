// The host copies a flag of device memory until a kernel has set it, and then copies what the
// kernel wrote, in another stream: legal (M-4), and nothing but the flag orders the two. A kernel
// without a fence publishes nothing, nor does a word that it does not write.
// env: CUDA_MODULE_LOADING=EAGER
// expect: SC-106 at=flag possible doubt=signal_in_memory
// expect: SC-106 at=data possible doubt=signal_in_memory
// expect[NO_FENCE]: SC-106 at=flag proven order=no_event
// expect[NO_FENCE]: SC-106 at=data proven order=other_work
// expect[OTHER_WORD]: SC-106 at=data proven order=other_work
// expect[FIXED]: clean
// options: advice=no
#include "testcases/common.h"

static const int N = 1 << 12;

static __global__ void produce(float *data, int *flag)
{
	for (int i = 0; i < N; i++)
		data[i] = i;
#ifdef NO_FENCE
	*flag = 1;
#else
	__threadfence();
	atomicExch(flag, 1);
#endif
}

int main()
{
	const size_t bytes = N * sizeof(float);
	float *d_data = on_device(bytes), *h_data = pinned(bytes);
	int *d_flag = (int *)on_device(2 * sizeof(int)), *h_flag = (int *)pinned(sizeof(int));
	int looks = 0, word = 0;
	cudaStream_t producing, out;

	CHECK(cudaStreamCreateWithFlags(&producing, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
	CHECK(cudaMemset(d_flag, 0, 2 * sizeof(int)));
	CHECK(cudaDeviceSynchronize());
#ifdef OTHER_WORD
	word = 1;
#endif
	produce<<<1, 1, 0, producing>>>(d_data, d_flag);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(producing));
#endif
	do {
		CHECK(cudaMemcpyAsync(h_flag, d_flag + word, 4, cudaMemcpyDefault, out)); // @flag
		CHECK(cudaStreamSynchronize(out));
	} while (!*h_flag && ++looks < 3);
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, out)); // @data
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(producing));
	CHECK(cudaStreamDestroy(out));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_flag));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFreeHost(h_flag));
	return 0;
}
