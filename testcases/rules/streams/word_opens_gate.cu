// A kernel waits for a word in memory, and what comes after it in its stream reads what another
// stream copies. Who writes the word comes after the copy, and most of them are enqueued after both
// (M-4, D-7, W-1): legal, and nobody sees the order. Who writes it before the copy orders nothing.
// env: CUDA_MODULE_LOADING=EAGER
// expect: SC-106 at=copy possible doubt=signal_in_memory
// expect[FUNCTION]: SC-106 at=copy possible doubt=signal_in_memory
// expect[KERNEL]: SC-106 at=copy possible doubt=signal_in_memory
// expect[STREAM]: SC-106 at=copy possible doubt=signal_in_memory
// expect[ONE_WAIT]: SC-106 at=copy proven order=no_event
// expect[KERNEL_BEFORE]: SC-106 at=copy proven order=no_event
// expect[OTHER_WORD]: SC-106 at=copy proven order=no_event
// expect[FIXED]: clean
#include "testcases/common.h"
#include "testcases/driver.h"
#include <atomic>

static __global__ void gate(const volatile int *flag)
{
	while (!*flag)
		;
	__threadfence_system();
}

static __global__ void open_gate(int *flag)
{
	__threadfence_system();
	atomicExch_system(flag, 1);
}

static __global__ void use(const float *data, float *sum)
{
	*sum = data[0] + data[1];
}

static void CUDART_CB set(void *flag)
{
	reinterpret_cast<std::atomic<int> *>(flag)->store(1, std::memory_order_release);
}

static void open_by(int *flag, int *d_flag, cudaStream_t copying)
{
#if defined(FUNCTION)
	CHECK(cudaLaunchHostFunc(copying, set, flag));
#elif defined(KERNEL)
	open_gate<<<1, 1, 0, copying>>>(d_flag);
#elif defined(STREAM)
	DRIVER_CHECK(DRIVER(cuStreamWriteValue32)(copying, (CUdeviceptr)d_flag, 1, 0));
#elif defined(ONE_WAIT) || defined(KERNEL_BEFORE)
	(void)copying;
#elif defined(OTHER_WORD)
	open_gate<<<1, 1, 0, copying>>>(d_flag + 2);
	set(flag);
#else
	CHECK(cudaStreamSynchronize(copying));
	set(flag);
#endif
	(void)flag;
	(void)d_flag;
}

int main()
{
	const size_t bytes = 2 * sizeof(float);
	float *h_data = pinned(bytes), *d_data = on_device(bytes);
	float *d_sum = on_device(sizeof(float));
	int *flag, *d_flag;
	cudaStream_t waiting, copying;

	CHECK(cudaHostAlloc(&flag, 4 * sizeof(*flag), cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer(&d_flag, flag, 0));
	CHECK(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&copying, cudaStreamNonBlocking));
	h_data[0] = h_data[1] = 1;
	*flag = flag[2] = 0;
	CHECK(cudaMemset(d_data, 0, bytes));
	CHECK(cudaDeviceSynchronize());
#ifdef FIXED
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, copying));
	CHECK(cudaStreamSynchronize(copying));
	set(flag);
#endif
#ifdef ONE_WAIT
	set(flag);
#endif
	gate<<<1, 1, 0, waiting>>>(d_flag);
	use<<<1, 1, 0, waiting>>>(d_data, d_sum);
#ifdef KERNEL_BEFORE
	open_gate<<<1, 1, 0, copying>>>(d_flag);
#endif
#ifndef FIXED
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, copying)); // @copy
	open_by(flag, d_flag, copying);
#endif
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(waiting));
	CHECK(cudaStreamDestroy(copying));
	CHECK(cudaFreeHost(flag));
	CHECK(cudaFreeHost(h_data));
	CHECK(cudaFree(d_data));
	CHECK(cudaFree(d_sum));
	return 0;
}
