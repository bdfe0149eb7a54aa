// The host spins on a flag in mapped or managed memory that a kernel writes, without a call: legal
// between a device and a host that see each other's writes, but nothing says when the kernel runs.
// A loop that asks the stream in between knows; a loop over results is not a poll. How long a loop
// asks is up to the machine, so there is no advice here (SC-309).
// expect: SC-216 at=poll possible doubt=signal_in_memory
// expect[UNIFIED]: SC-216 at=poll possible doubt=signal_in_memory
// expect[TWO_FLAGS]: SC-216 at=one possible doubt=signal_in_memory
// expect[TWO_FLAGS]: SC-216 at=other_one possible doubt=signal_in_memory
// expect[SEVERAL]: SC-216 at=one possible doubt=signal_in_memory
// expect[AT_ONCE]: SC-101 at=look possible doubt=signal_in_memory
// expect[RESULTS]: SC-101 at=sum proven order=none
// expect[QUERIES]: clean
// expect[ANOTHER]: clean
// expect[FIXED]: clean
// options: advice=no
#include "testcases/common.h"

static const int N = 1 << 12, turns = 1000000;

// Volatile stores are what a host may wait for; the host must have the time to look more than once.
static __global__ void produce(volatile int *flag)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	long long start = clock64();

	while (clock64() - start < 50000000)
		;
	if (i < N)
		flag[i] = 1;
}

// A wait for plain stores is not possible.
static __global__ void fill(int *results)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < N)
		results[i] = 1;
}

// A simulated device that skips kernels never sets the flag; the host then looks as often and goes
// on. The compiler makes two reads of it, one before the loop.
static __attribute__((unused)) int spin(const volatile int *flag)
{
	int looks = 0;

	while (!*flag && looks < turns) // @poll
		looks++;
	return looks;
}

// One instruction each, whatever the compiler makes of the loops.
HOST_LOOP int one(const volatile int *flag)
{
	return *flag; // @one
}

HOST_LOOP int other_one(const volatile int *flag)
{
	return *flag; // @other_one
}

HOST_LOOP int spin_on_both(const volatile int *flag, const volatile int *second)
{
	int looks = 0;

	while (!(one(flag) & other_one(second)) && looks < turns)
		looks++;
	return looks;
}

HOST_LOOP int spin_on_several(const volatile int *flag)
{
	int looks = 0, set = 0;

	while (set < 3 && looks++ < turns) {
		set = 0;
		for (int i = 0; i < 3; i++)
			set += one(flag + i);
	}
	return looks;
}

static void use(volatile int *flag, const volatile int *other, cudaStream_t stream)
{
	(void)flag;
	(void)other;
#if defined(RESULTS)
	int total = 0;

	for (int i = 0; i < N; i++)
		total += flag[i]; // @sum
	printf("%d\n", total);
#elif defined(TWO_FLAGS)
	spin_on_both(flag, flag + N / 2);
#elif defined(SEVERAL)
	spin_on_several(flag);
#elif defined(AT_ONCE)
	int first = *flag; // @look

	printf(first ? "already\n" : "not yet\n");
#elif defined(QUERIES)
	while (cudaStreamQuery(stream) == cudaErrorNotReady)
		;
	spin(flag);
	return;
#elif defined(ANOTHER)
	spin(other);
#elif defined(FIXED)
	CHECK(cudaStreamSynchronize(stream));
	spin(flag);
	return;
#else
	spin(flag);
#endif
	CHECK(cudaStreamSynchronize(stream));
}

int main()
{
	const size_t bytes = N * sizeof(int);
	cudaStream_t stream;
	int *flag, *other = (int *)pinned(bytes), *device;

	CHECK(cudaStreamCreate(&stream));
#ifdef UNIFIED
	CHECK(cudaMallocManaged(&flag, bytes));
	device = flag;
#else
	CHECK(cudaHostAlloc(&flag, bytes, cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer(&device, flag, 0));
#endif
	for (int i = 0; i < 3; i++) {
		memset(flag, 0, bytes);
#ifdef RESULTS
		fill<<<N / 256, 256, 0, stream>>>(device);
#else
		produce<<<N / 256, 256, 0, stream>>>(device);
#endif
		CHECK(cudaGetLastError());
		use(flag, other, stream);
	}
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(other));
	return 0;
}
