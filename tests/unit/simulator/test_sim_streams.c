/* Streams, events and host functions of the simulated driver: what holds under every schedule. */
#include "tests/unit/simulator/sim_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#define BYTES 4096

struct streams {
	CUstream blocking[2];
	CUstream free; /* non-blocking */
	CUdeviceptr memory;
	unsigned char *host; /* pinned */
	struct gate gate;
};

static int setup(void **state)
{
	static struct streams streams;

	if (sim_setup(NULL) || cuStreamCreate(&streams.blocking[0], CU_STREAM_DEFAULT) ||
	    cuStreamCreate(&streams.blocking[1], CU_STREAM_DEFAULT) ||
	    cuStreamCreate(&streams.free, CU_STREAM_NON_BLOCKING) ||
	    cuMemAlloc(&streams.memory, BYTES) || cuMemAllocHost((void **)&streams.host, BYTES))
		return -1;
	memset(streams.host, 0, BYTES);
	*state = &streams;
	return 0;
}

static int teardown(void **state)
{
	struct streams *streams = *state;

	if (cuCtxSynchronize() || cuStreamDestroy(streams->blocking[0]) ||
	    cuStreamDestroy(streams->blocking[1]) || cuStreamDestroy(streams->free) ||
	    cuMemFree(streams->memory) || cuMemFreeHost(streams->host))
		return -1;
	return sim_teardown(NULL);
}

EACH_TEST(setup, teardown)

TEST(stream_runs_in_order)
{
	struct streams *s = *state;

	OK(cuMemsetD8Async(s->memory, 1, BYTES, s->free));
	OK(cuMemsetD8Async(s->memory + 1, 2, 1, s->free));
	OK(cuMemcpyDtoHAsync(s->host, s->memory, BYTES, s->free));
	OK(cuStreamSynchronize(s->free));
	assert_int_equal(s->host[0], 1);
	assert_int_equal(s->host[1], 2);
	assert_int_equal(s->host[2], 1);
}

/* S-3: legacy waits for blocking stream 0, blocking stream 1 waits for legacy. */
TEST(legacy_is_a_barrier_between_blocking_streams)
{
	struct streams *s = *state;
	int i;

	gate_close(&s->gate, s->blocking[0]);
	OK(cuMemsetD8Async(s->memory, 5, BYTES, NULL));
	OK(cuMemcpyDtoHAsync(s->host, s->memory, BYTES, s->blocking[1]));
	for (i = 0; i < 10; i++)
		FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(s->blocking[1]));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(CU_STREAM_LEGACY));
	gate_open(&s->gate);
	OK(cuStreamSynchronize(s->blocking[1]));
	assert_int_equal(s->host[BYTES - 1], 5);
}

/* S-6 */
TEST(non_blocking_stream_passes_legacy)
{
	struct streams *s = *state;

	gate_close(&s->gate, NULL);
	OK(cuMemsetD8Async(s->memory, 6, BYTES, s->free));
	OK(cuMemcpyDtoHAsync(s->host, s->memory, BYTES, s->free));
	OK(cuStreamSynchronize(s->free));
	assert_int_equal(s->host[0], 6);
	gate_open(&s->gate);
}

/* S-4: legacy covers the blocking streams; a blocking stream does not cover its siblings. */
TEST(sync_covers_what_it_should)
{
	struct streams *s = *state;

	gate_close(&s->gate, s->blocking[0]);
	OK(cuStreamSynchronize(s->blocking[1]));
	OK(cuStreamSynchronize(s->free));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
	gate_open(&s->gate);
	OK(cuStreamSynchronize(NULL));
	OK(cuStreamQuery(s->blocking[0]));
}

static void *get_thread_stream(void *data)
{
	unsigned long long *id = data;
	CUcontext context;

	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuStreamGetId(CU_STREAM_PER_THREAD, id));
	OK(cuDevicePrimaryCtxRelease(0));
	return NULL;
}

/* S-5: one per thread, blocking, and what the _ptsz forms call stream 0. */
TEST(per_thread_stream)
{
	CUresult (*get_id)(CUstream, unsigned long long *);
	unsigned long long mine, others, legacy, twin;
	CUdriverProcAddressQueryResult status;
	pthread_t thread;
	unsigned int flags;

	OK(cuStreamGetId(CU_STREAM_PER_THREAD, &mine));
	OK(cuStreamGetId(NULL, &legacy));
	assert_int_equal(pthread_create(&thread, NULL, get_thread_stream, &others), 0);
	pthread_join(thread, NULL);
	OK(cuGetProcAddress("cuStreamGetId", (void **)&get_id, 13000,
			    CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
	OK(get_id(NULL, &twin));
	assert_int_equal(mine, twin);
	assert_int_not_equal(mine, others);
	assert_int_not_equal(mine, legacy);
	OK(cuStreamGetFlags(CU_STREAM_PER_THREAD, &flags));
	assert_int_equal(flags, CU_STREAM_DEFAULT);
}

/* E-4: the wait keeps the record that it saw, whatever is recorded later. */
TEST(wait_binds_at_the_call)
{
	struct streams *s = *state;
	CUevent event;

	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK(cuEventRecord(event, s->blocking[0]));
	OK(cuStreamWaitEvent(s->free, event, 0));
	gate_close(&s->gate, s->blocking[0]);
	OK(cuEventRecord(event, s->blocking[0]));
	OK(cuStreamSynchronize(s->free));
	FAILS(CUDA_ERROR_NOT_READY, cuEventQuery(event));
	gate_open(&s->gate);
	OK(cuEventSynchronize(event));
	OK(cuEventDestroy(event));
}

TEST(wait_orders_streams)
{
	struct streams *s = *state;
	CUevent event;

	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	gate_close(&s->gate, s->blocking[0]);
	OK(cuMemsetD8Async(s->memory, 9, BYTES, s->blocking[0]));
	OK(cuEventRecord(event, s->blocking[0]));
	OK(cuStreamWaitEvent(s->free, event, 0));
	OK(cuEventDestroy(event)); /* E-7: the wait stays */
	OK(cuMemcpyDtoHAsync(s->host, s->memory, BYTES, s->free));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(s->free));
	gate_open(&s->gate);
	OK(cuStreamSynchronize(s->free));
	assert_int_equal(s->host[7], 9);
}

/* E-3, E-10 */
TEST(event_that_was_never_recorded)
{
	struct streams *s = *state;
	CUevent never, recorded, untimed;
	float ms;

	OK(cuEventCreate(&never, CU_EVENT_DEFAULT));
	OK(cuEventCreate(&recorded, CU_EVENT_DEFAULT));
	OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
	OK(cuEventQuery(never));
	OK(cuEventSynchronize(never));
	OK(cuStreamWaitEvent(s->free, never, 0));
	OK(cuEventRecord(recorded, s->free));
	OK(cuEventRecord(untimed, s->free));
	OK(cuStreamSynchronize(s->free));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, never, recorded));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, untimed, recorded));
	OK(cuEventElapsedTime(&ms, recorded, recorded));
	gate_close(&s->gate, s->free);
	OK(cuEventRecord(recorded, s->free));
	FAILS(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&ms, recorded, recorded));
	gate_open(&s->gate);
	OK(cuEventDestroy(never));
	OK(cuEventDestroy(recorded));
	OK(cuEventDestroy(untimed));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&never, CU_EVENT_INTERPROCESS));
}

/* S-12: asking often enough obliges the device to get on. */
TEST(query_loop_ends)
{
	struct streams *s = *state;
	CUevent event;

	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK(cuMemsetD8Async(s->memory, 3, BYTES, s->free));
	while (cuStreamQuery(s->free) == CUDA_ERROR_NOT_READY)
		sched_yield();
	OK(cuMemcpyDtoHAsync(s->host, s->memory, BYTES, s->free));
	OK(cuEventRecord(event, s->free));
	while (cuEventQuery(event) == CUDA_ERROR_NOT_READY)
		sched_yield();
	assert_int_equal(s->host[0], 3);
	OK(cuEventDestroy(event));
}

/* S-8: the work of a destroyed stream still runs, and the context still waits for it. */
TEST(destroyed_stream_finishes)
{
	struct streams *s = *state;
	CUstream stream;

	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemsetD8Async(s->memory, 11, BYTES, stream));
	OK(cuMemcpyDtoHAsync(s->host, s->memory, BYTES, stream));
	OK(cuStreamDestroy(stream));
	OK(cuCtxSynchronize());
	assert_int_equal(s->host[0], 11);
}

struct visit {
	CUresult in_callback;
	CUresult queried;
	CUresult status;
	CUstream stream;
	int data;
};

static void visit_host(void *data)
{
	struct visit *visit = data;

	visit->in_callback = cuCtxSynchronize();
	visit->data = 1;
}

static void CUDA_CB visit_stream(CUstream stream, CUresult status, void *data)
{
	struct visit *visit = data;

	visit->in_callback = cuStreamSynchronize(stream);
	visit->queried = cuStreamQuery(stream);
	visit->status = status;
	visit->stream = stream;
}

/* C-4; queries of streams and events are permitted all the same. */
TEST(no_calls_in_host_functions)
{
	struct streams *s = *state;
	struct visit host = {0}, callback = {.status = CUDA_ERROR_UNKNOWN};

	OK(cuLaunchHostFunc(s->free, visit_host, &host));
	OK(cuStreamAddCallback(s->free, visit_stream, &callback, 0));
	OK(cuStreamSynchronize(s->free));
	assert_int_equal(host.in_callback, CUDA_ERROR_NOT_PERMITTED);
	assert_int_equal(host.data, 1);
	assert_int_equal(callback.in_callback, CUDA_ERROR_NOT_PERMITTED);
	assert_int_equal(callback.queried, CUDA_ERROR_NOT_READY);
	assert_int_equal(callback.status, CUDA_SUCCESS);
	assert_ptr_equal(callback.stream, s->free);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(s->free, visit_stream, NULL, 1));
}

static void raise_value(void *data)
{
	unsigned char *value = data;

	*value += 1;
}

/* C-1: it sees what came before, and what comes after sees it. */
TEST(host_function_is_in_order)
{
	struct streams *s = *state;

	s->host[1] = 0;
	OK(cuMemsetD8Async(s->memory, 20, BYTES, s->free));
	OK(cuMemcpyDtoHAsync(s->host, s->memory, 1, s->free));
	OK(cuLaunchHostFunc(s->free, raise_value, s->host));
	OK(cuMemcpyHtoDAsync(s->memory, s->host, 1, s->free));
	OK(cuMemcpyDtoHAsync(s->host + 1, s->memory, 1, s->free));
	OK(cuStreamSynchronize(s->free));
	assert_int_equal(s->host[1], 21);
}

/* What one thread uses; nothing orders the streams of two. */
struct part {
	struct streams *streams;
	size_t at, bytes;
};

static void *enqueue_elsewhere(void *data)
{
	const struct part *p = data;
	CUdeviceptr memory = p->streams->memory + p->at;
	CUcontext context;

	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuMemsetD8Async(memory, 30, p->bytes, CU_STREAM_PER_THREAD));
	OK(cuMemcpyDtoHAsync(p->streams->host + p->at, memory, p->bytes, CU_STREAM_PER_THREAD));
	OK(cuDevicePrimaryCtxRelease(0));
	return NULL;
}

/* H-1: all streams of all host threads, even of threads that are gone. */
TEST(context_sync_covers_other_threads)
{
	struct streams *s = *state;
	struct part all = {s, 0, BYTES};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, enqueue_elsewhere, &all), 0);
	pthread_join(thread, NULL);
	OK(cuCtxSynchronize());
	assert_int_equal(s->host[BYTES - 1], 30);
}

TEST(many_threads_feed_streams)
{
	struct streams *s = *state;
	struct part parts[4];
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++) {
		parts[i] = (struct part){s, (size_t)i * BYTES / 4, BYTES / 4};
		assert_int_equal(pthread_create(&threads[i], NULL, enqueue_elsewhere, &parts[i]),
				 0);
	}
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	OK(cuCtxSynchronize());
	for (i = 0; i < BYTES; i++)
		assert_int_equal(s->host[i], 30);
}

TEST(wrong_handles)
{
	struct streams *s = *state;
	int not_a_stream = 0;
	unsigned int flags;
	CUevent event;

	FAILS(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize((CUstream)&not_a_stream));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventQuery((CUevent)s->free));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamGetFlags(s->free, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(NULL, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&s->free, 77));
	OK(cuStreamGetFlags(s->free, &flags));
	assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
	OK(cuEventCreate(&event, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitEvent(s->free, event, 8));
	OK(cuEventDestroy(event));
}

/* Attributes that change nothing here are kept, and copied to another stream. */
TEST(hints_are_kept)
{
	CUstreamAttrValue window = {.accessPolicyWindow = {.num_bytes = 4096, .hitRatio = 0.5f}};
	CUstreamAttrValue value;
	CUstream from, to;

	OK(cuStreamCreate(&from, 0));
	OK(cuStreamCreate(&to, 0));
	OK(cuStreamGetAttribute(to, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
	assert_int_equal(value.accessPolicyWindow.num_bytes, 0);
	OK(cuStreamGetAttribute(to, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value));
	assert_int_equal(value.memSyncDomainMap.default_, 0);
	assert_int_equal(value.memSyncDomainMap.remote, 1);
	OK(cuStreamSetAttribute(from, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &window));
	value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
	OK(cuStreamSetAttribute(from, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &value));
	OK(cuStreamCopyAttributes(to, from));
	OK(cuStreamGetAttribute(to, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
	assert_int_equal(value.accessPolicyWindow.num_bytes, 4096);
	OK(cuStreamGetAttribute(to, CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN, &value));
	assert_int_equal(value.memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
	OK(cuStreamDestroy(from));
	OK(cuStreamDestroy(to));
}

TEST(priorities_are_clamped)
{
	int least, greatest, priority;
	CUstream stream;

	OK(cuCtxGetStreamPriorityRange(&least, &greatest));
	assert_true(greatest < least);
	OK(cuStreamCreateWithPriority(&stream, CU_STREAM_DEFAULT, greatest - 100));
	OK(cuStreamGetPriority(stream, &priority));
	assert_int_equal(priority, greatest);
	OK(cuStreamDestroy(stream));
}

TEST(errno_is_kept)
{
	struct streams *s = *state;

	errno = 4711;
	OK(cuMemcpyDtoH(s->host, s->memory, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(s->host, 1, 1));
	assert_int_equal(errno, 4711);
}

/* S-7, D-3: contexts of two devices are independent; an event orders them. */
TEST(two_devices)
{
	struct streams *s = *state;
	CUcontext first, second;
	CUdeviceptr there;
	CUevent event;

	OK(cuCtxGetCurrent(&first));
	OK(cuDevicePrimaryCtxRetain(&second, 1));
	gate_close(&s->gate, NULL);
	OK(cuMemsetD8Async(s->memory, 40, BYTES, NULL));
	OK(cuEventCreate(&event, 0));
	OK(cuEventRecord(event, NULL));
	OK(cuCtxSetCurrent(second));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, NULL));
	OK(cuMemAlloc(&there, BYTES));
	OK(cuStreamSynchronize(NULL));
	OK(cuStreamWaitEvent(NULL, event, 0));
	OK(cuMemcpyPeerAsync(there, second, s->memory, first, BYTES, NULL));
	OK(cuMemcpyDtoHAsync(s->host, there, BYTES, NULL));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
	gate_open(&s->gate);
	OK(cuStreamSynchronize(NULL));
	assert_int_equal(s->host[0], 40);
	OK(cuMemFree(there));
	OK(cuCtxSetCurrent(first));
	OK(cuEventDestroy(event));
	OK(cuDevicePrimaryCtxRelease(1));
}
