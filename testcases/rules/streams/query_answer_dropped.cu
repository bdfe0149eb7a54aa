// A query stands where a wait should: nobody looks at its answer, or the program goes on alike
// after "complete" and "not ready", so it orders nothing, whatever it is. A loop until it succeeds,
// or a branch on it, does (E-6).
// expect: SC-106 at=read at=fill likely doubt=lucky_query order=lucky_query
// expect[STREAM]: SC-106 at=read at=fill likely doubt=lucky_query order=lucky_query
// expect[WRAPPED]: SC-106 at=read at=fill likely doubt=lucky_query order=lucky_query
// expect[HANDED_ON]: SC-106 at=read at=fill likely doubt=lucky_query order=lucky_query
// expect[PLAIN_CODE]: SC-106 at=read at=fill likely doubt=lucky_query order=lucky_query
// expect[FAST_CODE]: SC-106 at=read at=fill likely doubt=lucky_query order=lucky_query
// expect[TOLERANT]: SC-106 at=read at=fill likely doubt=lucky_query order=lucky_query
// expect[REPORTED]: SC-106 at=read at=fill likely doubt=lucky_query order=lucky_query
// expect[HOST]: SC-101 at=fill at=sum likely doubt=lucky_query order=lucky_query
// expect[HOST_LATE]: SC-101 at=fill at=sum likely doubt=lucky_query order=lucky_query
// expect[FIXED]: clean
// expect[BRANCH]: clean
// expect[TOLERANT_LOOP]: clean
// expect[HANDED_ON_LOOP]: clean
// expect[CHECKED_LOOP]: clean
// expect[PLAIN_LOOP]: clean
// expect[STREAM_LOOP]: clean
#include "testcases/common.h"

#define APART static __attribute__((noinline, unused))

// Its last call is a jump, and nobody gets the answer.
APART void ask(cudaEvent_t event)
{
	cudaEventQuery(event);
}

// The same, as a function that has something left to do.
APART void ask_and_count(cudaEvent_t event, volatile int *count)
{
	cudaEventQuery(event);
	++*count;
}

// Here the answer goes out: the caller decides.
APART cudaError_t answer(cudaEvent_t event)
{
	return cudaEventQuery(event);
}

APART __attribute__((optimize("O0"))) void ask_slowly(cudaEvent_t event, volatile int *count)
{
	(void)cudaEventQuery(event);
	++*count;
}

APART __attribute__((optimize("O3"))) void ask_fast(cudaEvent_t event, volatile int *count)
{
	cudaError_t unused = cudaEventQuery(event);

	(void)unused;
	++*count;
}

// As programs check all their calls, with one error that is none.
#define TOLERATE(call)                                                                 \
	do {                                                                           \
		cudaError_t error = (call);                                            \
		if (error != cudaSuccess && error != cudaErrorNotReady) {              \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

[[maybe_unused]] static inline void report(cudaError_t error, const char *file, int line)
{
	if (error == cudaErrorNotReady)
		return;
	if (error != cudaSuccess) {
		fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
		exit(error);
	}
}

APART __attribute__((optimize("O0"))) void loop_slowly(cudaEvent_t event)
{
	while (cudaEventQuery(event) != cudaSuccess)
		;
}

APART void query(cudaEvent_t event, cudaStream_t stream, volatile int *count)
{
	(void)stream;
	(void)count;
#if defined(STREAM)
	cudaStreamQuery(stream);
#elif defined(HOST_LATE)
	for (; *count < 3000; ++*count) // the device is done by then, in most schedules
		cudaEventQuery(event);
#elif defined(WRAPPED)
	ask(event);
	ask_and_count(event, count);
#elif defined(HANDED_ON)
	answer(event);
#elif defined(PLAIN_CODE)
	ask_slowly(event, count);
#elif defined(FAST_CODE)
	ask_fast(event, count);
#elif defined(TOLERANT)
	TOLERATE(cudaEventQuery(event));
	++*count;
#elif defined(REPORTED)
	report(cudaEventQuery(event), __FILE__, __LINE__);
	++*count;
#elif defined(TOLERANT_LOOP)
	cudaError_t answer;

	do
		TOLERATE(answer = cudaEventQuery(event));
	while (answer == cudaErrorNotReady);
#elif defined(FIXED)
	while (cudaEventQuery(event) != cudaSuccess)
		;
#elif defined(BRANCH)
	if (cudaEventQuery(event) != cudaSuccess)
		CHECK(cudaEventSynchronize(event));
#elif defined(HANDED_ON_LOOP)
	while (answer(event) != cudaSuccess)
		;
#elif defined(CHECKED_LOOP)
	for (cudaError_t error = cudaErrorNotReady; error == cudaErrorNotReady;) {
		error = cudaEventQuery(event);
		if (error != cudaErrorNotReady)
			CHECK(error);
	}
#elif defined(PLAIN_LOOP)
	loop_slowly(event);
#elif defined(STREAM_LOOP)
	do
		++*count;
	while (cudaStreamQuery(stream) == cudaErrorNotReady);
#else
	cudaEventQuery(event);
#endif
}

int main()
{
	const int N = 1 << 16;
	const size_t bytes = N * sizeof(float);
	float *h_data = pinned(bytes), *d_from = on_device(bytes), *d_to = on_device(bytes);
	volatile int count = 0;
	cudaStream_t fills, reads;
	cudaEvent_t filled;

	CHECK(cudaStreamCreate(&fills));
	CHECK(cudaStreamCreate(&reads));
	CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	CHECK(cudaMemset(d_from, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpyAsync(h_data, d_from, bytes, cudaMemcpyDeviceToHost, fills)); // @fill
	CHECK(cudaEventRecord(filled, fills));
	query(filled, fills, &count);
#if defined(HOST) || defined(HOST_LATE)
	printf("%g\n", sum(h_data, N)); // @sum
#else
	CHECK(cudaMemcpyAsync(d_to, h_data, bytes, cudaMemcpyHostToDevice, reads)); // @read
#endif
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventDestroy(filled));
	CHECK(cudaStreamDestroy(fills));
	CHECK(cudaStreamDestroy(reads));
	CHECK(cudaFree(d_from));
	CHECK(cudaFree(d_to));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
