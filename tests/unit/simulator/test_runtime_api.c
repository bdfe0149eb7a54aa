/* Checks the runtime on the simulated driver: threads, errors, streams, events and memory. */
#include <stdbool.h>
#include "tests/unit/unit.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8

/* Calls the runtime while that context is current, then gives the primary one up; is that active?
 */
static bool stays_active(CUcontext current)
{
	unsigned int flags;
	int is_active = -1;

	if (cuCtxPushCurrent(current) || cudaFree(NULL) || cuCtxPopCurrent(&current) ||
	    cuDevicePrimaryCtxRelease(0) || cuDevicePrimaryCtxGetState(0, &flags, &is_active))
		_exit(2);
	return is_active;
}

static int primary_context_stays(void)
{
	CUcontext primary;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&primary, 0))
		return 2;
	return !stays_active(primary);
}

static int other_context_leaves_the_primary_one(void)
{
	CUcontext primary, own;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&primary, 0) || cuCtxCreate(&own, NULL, 0, 0) ||
	    cuCtxPopCurrent(&own))
		return 2;
	return stays_active(own);
}

static cudaError_t take_device(void **memory, size_t bytes)
{
	return cudaMalloc(memory, bytes);
}

static cudaError_t take_managed(void **memory, size_t bytes)
{
	return cudaMallocManaged(memory, bytes, cudaMemAttachGlobal);
}

static cudaError_t take_pinned(void **memory, size_t bytes)
{
	return cudaMallocHost(memory, bytes);
}

static cudaError_t take_from_pool(void **memory, size_t bytes)
{
	struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
					 .location.type = cudaMemLocationTypeHost};
	cudaMemPool_t pool;
	cudaError_t err = cudaMemPoolCreate(&pool, &props);

	return err ? err : cudaMallocFromPoolAsync(memory, bytes, pool, 0);
}

static cudaError_t (*take)(void **memory, size_t bytes);

/* Memory that fits under a limit of the address space is there; of other memory the reason is said.
 */
static int limited_address_space_serves(void)
{
	struct rlimit limit = {(rlim_t)2 << 30, (rlim_t)2 << 30};
	char said[512] = "";
	int ends[2];
	void *memory;

	if (pipe(ends) || setrlimit(RLIMIT_AS, &limit) || take(&memory, 1 << 20))
		return 2;
	dup2(ends[1], STDERR_FILENO);
	if (take(&memory, (size_t)3 << 30) != cudaErrorMemoryAllocation)
		return 3;
	close(ends[1]);
	close(STDERR_FILENO);
	return read(ends[0], said, sizeof(said) - 1) <= 0 || !strstr(said, "limited to 2048 MiB");
}

static void in_child(int (*check)(void))
{
	pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(check());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* In processes of their own: the runtime retains the primary context once. */
TEST(primary_context_is_retained)
{
	in_child(primary_context_stays);
	in_child(other_context_leaves_the_primary_one);
}

TEST(limited_address_space)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* their shadow memory is larger */
#endif
	cudaError_t (*const all[])(void **, size_t) = {take_device, take_managed, take_pinned,
						       take_from_pool};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		take = all[i];
		in_child(limited_address_space_serves);
	}
}

static pthread_barrier_t barrier;

/* All threads make the process's first CUDA call at once. */
static void *use_at_once(void *data)
{
	cudaError_t *result = data;
	void *memory = NULL;
	int device = -1;

	pthread_barrier_wait(&barrier);
	*result = cudaMalloc(&memory, 64);
	if (!*result)
		*result = cudaMemset(memory, 1, 64);
	if (!*result)
		*result = cudaGetDevice(&device);
	if (!*result && device)
		*result = cudaErrorUnknown;
	if (!*result)
		*result = cudaFree(memory);
	return NULL;
}

TEST(first_calls_may_come_together)
{
	pthread_t threads[THREADS];
	cudaError_t results[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, use_at_once, &results[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(results[i], cudaSuccess);
	}
	pthread_barrier_destroy(&barrier);
}

static void *fail_alone(void *data)
{
	cudaError_t *seen = data;

	seen[0] = cudaPeekAtLastError();
	seen[1] = cudaSetDevice(-1);
	seen[2] = cudaGetLastError();
	return NULL;
}

TEST(errors_belong_to_their_thread)
{
	cudaError_t seen[3];
	pthread_t thread;

	assert_int_equal(cudaFree(&thread), cudaErrorInvalidValue);
	pthread_create(&thread, NULL, fail_alone, seen);
	pthread_join(thread, NULL);
	assert_int_equal(seen[0], cudaSuccess);
	assert_int_equal(seen[1], cudaErrorInvalidDevice);
	assert_int_equal(seen[2], cudaErrorInvalidDevice);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
	assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void *choose_other_device(void *data)
{
	int *seen = data;

	cudaGetDevice(&seen[0]);
	cudaSetDevice(1);
	cudaGetDevice(&seen[1]);
	return NULL;
}

TEST(devices_belong_to_their_thread)
{
	int seen[2] = {-1, -1}, mine = -1, count = 0;
	pthread_t thread;

	assert_int_equal(cudaGetDeviceCount(&count), cudaSuccess);
	if (count < 2)
		skip();
	pthread_create(&thread, NULL, choose_other_device, seen);
	pthread_join(thread, NULL);
	assert_int_equal(seen[0], 0);
	assert_int_equal(seen[1], 1);
	assert_int_equal(cudaGetDevice(&mine), cudaSuccess);
	assert_int_equal(mine, 0);
}

/* A host function that ends on request, and records what CUDA passed to it. */
struct held {
	sem_t go;
	cudaError_t inside;
	cudaError_t count_inside;
};

static void CUDART_CB hold(void *data)
{
	struct held *held = data;
	int count = 0;

	sem_wait(&held->go);
	held->inside = cudaFree(NULL);
	held->count_inside = cudaGetDeviceCount(&count);
}

TEST(query_reports_pending_work)
{
	struct held held = {.inside = cudaSuccess, .count_inside = cudaErrorUnknown};
	cudaStream_t stream = NULL;
	cudaEvent_t event = NULL;

	sem_init(&held.go, 0, 0);
	assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), 0);
	assert_int_equal(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), 0);
	assert_int_equal(cudaEventQuery(event), cudaSuccess);
	assert_int_equal(cudaLaunchHostFunc(stream, hold, &held), cudaSuccess);
	assert_int_equal(cudaEventRecord(event, stream), cudaSuccess);
	assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
	assert_int_equal(cudaEventQuery(event), cudaErrorNotReady);
	assert_int_equal(cudaGetLastError(), cudaSuccess);
	sem_post(&held.go);
	assert_int_equal(cudaEventSynchronize(event), cudaSuccess);
	assert_int_equal(held.inside, cudaErrorNotPermitted);
	assert_int_equal(held.count_inside, cudaSuccess);
	assert_int_equal(cudaStreamQuery(stream), cudaSuccess);
	assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
	assert_int_equal(cudaEventDestroy(event), cudaSuccess);
	sem_destroy(&held.go);
}

TEST(streams_have_what_they_were_given)
{
	int least = 0, greatest = 0, priority = 1, device = -1;
	unsigned long long id = 0, other_id = 0;
	cudaStream_t stream = NULL, other = NULL;
	unsigned int flags = 0;

	assert_int_equal(cudaDeviceGetStreamPriorityRange(&least, &greatest), 0);
	assert_true(greatest <= least);
	assert_int_equal(
		cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 100), 0);
	assert_int_equal(cudaStreamGetPriority(stream, &priority), 0);
	assert_int_equal(priority, greatest);
	assert_int_equal(cudaStreamGetFlags(stream, &flags), 0);
	assert_int_equal(flags, cudaStreamNonBlocking);
	assert_int_equal(cudaStreamGetDevice(stream, &device), 0);
	assert_int_equal(device, 0);
	assert_int_equal(cudaStreamCreate(&other), 0);
	assert_int_equal(cudaStreamGetId(stream, &id), 0);
	assert_int_equal(cudaStreamGetId(other, &other_id), 0);
	assert_true(id != other_id);
	assert_int_equal(cudaStreamCreateWithFlags(&other, 7), cudaErrorInvalidValue);
	assert_int_equal(cudaStreamDestroy(stream), 0);
	assert_int_equal(cudaStreamDestroy(NULL), cudaErrorInvalidResourceHandle);
	cudaGetLastError();
}

TEST(events_measure_time)
{
	cudaEvent_t start = NULL, end = NULL, untimed = NULL;
	float time_ms = -1;

	assert_int_equal(cudaEventCreate(&start), 0);
	assert_int_equal(cudaEventCreate(&end), 0);
	assert_int_equal(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), 0);
	assert_int_equal(cudaEventCreateWithFlags(&untimed, 0xff), cudaErrorInvalidValue);
	assert_int_equal(cudaEventElapsedTime(&time_ms, start, end),
			 cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaEventRecord(start, 0), 0);
	assert_int_equal(cudaEventRecord(end, 0), 0);
	assert_int_equal(cudaEventSynchronize(end), 0);
	assert_int_equal(cudaEventElapsedTime(&time_ms, start, end), 0);
	assert_true(time_ms >= 0);
	assert_int_equal(cudaEventElapsedTime(&time_ms, start, untimed),
			 cudaErrorInvalidResourceHandle);
	assert_int_equal(cudaEventRecord(NULL, 0), cudaErrorInvalidResourceHandle);
	cudaGetLastError();
}

static struct cudaPointerAttributes attributes_of(const void *pointer)
{
	struct cudaPointerAttributes attributes;

	memset(&attributes, 0x55, sizeof(attributes));
	assert_int_equal(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
	return attributes;
}

TEST(pointers_are_known)
{
	char *device = NULL, *pinned = NULL, *managed = NULL, *plain = malloc(4096);
	struct cudaPointerAttributes a;
	unsigned int flags = 0;

	assert_int_equal(cudaMalloc((void **)&device, 64), 0);
	assert_int_equal(cudaMallocHost((void **)&pinned, 64), 0);
	assert_int_equal(cudaMallocManaged((void **)&managed, 64, cudaMemAttachGlobal), 0);
	a = attributes_of(device + 8);
	assert_int_equal(a.type, cudaMemoryTypeDevice);
	assert_ptr_equal(a.devicePointer, device + 8);
	assert_null(a.hostPointer);
	assert_int_equal(a.device, 0);
	a = attributes_of(pinned);
	assert_int_equal(a.type, cudaMemoryTypeHost);
	assert_ptr_equal(a.hostPointer, pinned);
	assert_int_equal(cudaHostGetFlags(&flags, pinned), 0);
	assert_true(flags & cudaHostAllocMapped);
	a = attributes_of(managed);
	assert_int_equal(a.type, cudaMemoryTypeManaged);
	assert_ptr_equal(a.hostPointer, managed);
	assert_ptr_equal(a.devicePointer, managed);
	a = attributes_of(plain);
	assert_int_equal(a.type, cudaMemoryTypeUnregistered);
	assert_int_equal(a.device, cudaInvalidDeviceId);
	assert_null(a.devicePointer);
	assert_ptr_equal(a.hostPointer, plain);
	assert_int_equal(cudaFree(device), 0);
	assert_int_equal(cudaFree(managed), 0);
	assert_int_equal(cudaFreeHost(pinned), 0);
	free(plain);
}

TEST(registered_memory)
{
	char *memory = aligned_alloc(4096, 8192);
	void *device = NULL;

	assert_int_equal(cudaHostRegister(memory, 8192, cudaHostRegisterMapped), 0);
	assert_int_equal(attributes_of(memory).type, cudaMemoryTypeHost);
	assert_int_equal(cudaHostGetDevicePointer(&device, memory, 0), 0);
	assert_non_null(device);
	assert_int_equal(cudaHostRegister(memory, 8192, 0), cudaErrorHostMemoryAlreadyRegistered);
	assert_int_equal(cudaHostUnregister(memory), 0);
	assert_int_equal(cudaHostUnregister(memory), cudaErrorHostMemoryNotRegistered);
	cudaGetLastError();
	free(memory);
}

TEST(pools_allocate_in_stream_order)
{
	struct cudaMemPoolProps wanted = {.allocType = cudaMemAllocationTypePinned};
	unsigned char sent[64], found[64] = {0};
	cudaMemPool_t pool = NULL, found_pool = NULL;
	cudaStream_t stream = NULL;
	void *memory = NULL;

	memset(sent, 0x5a, sizeof(sent));
	wanted.location = (struct cudaMemLocation){.type = cudaMemLocationTypeDevice, .id = 0};
	assert_int_equal(cudaStreamCreate(&stream), 0);
	assert_int_equal(cudaMallocAsync(&memory, 64, stream), 0);
	assert_int_equal(cudaMemcpyAsync(memory, sent, 64, cudaMemcpyHostToDevice, stream), 0);
	assert_int_equal(cudaMemcpyAsync(found, memory, 64, cudaMemcpyDeviceToHost, stream), 0);
	assert_int_equal(cudaFreeAsync(memory, stream), 0);
	assert_int_equal(cudaStreamSynchronize(stream), 0);
	assert_memory_equal(sent, found, 64);
	assert_int_equal(cudaMemPoolCreate(&pool, &wanted), 0);
	assert_int_equal(cudaMallocFromPoolAsync(&memory, 64, pool, stream), 0);
	assert_int_equal(cudaFreeAsync(memory, stream), 0);
	assert_int_equal(cudaStreamSynchronize(stream), 0);
	assert_int_equal(cudaMemPoolTrimTo(pool, 0), 0);
	assert_int_equal(cudaDeviceGetMemPool(&found_pool, 0), 0);
	assert_non_null(found_pool);
	assert_int_equal(cudaMemPoolDestroy(pool), 0);
	assert_int_equal(cudaStreamDestroy(stream), 0);
}

TEST(entry_points_are_found_in_both_flavours)
{
	enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	void *plain = NULL, *per_thread = NULL, *nothing = state;

	assert_int_equal(cudaGetDriverEntryPointByVersion("cuMemcpyAsync", &plain, 12000,
							  cudaEnableLegacyStream, &found),
			 0);
	assert_int_equal(found, cudaDriverEntryPointSuccess);
	assert_int_equal(cudaGetDriverEntryPointByVersion("cuMemcpyAsync", &per_thread, 12000,
							  cudaEnablePerThreadDefaultStream, &found),
			 0);
	assert_non_null(plain);
	assert_non_null(per_thread);
	assert_ptr_not_equal(plain, per_thread);
	assert_int_equal(
		cudaGetDriverEntryPointByVersion("cuNoSuchName", &nothing, 12000, 0, &found), 0);
	assert_int_equal(found, cudaDriverEntryPointSymbolNotFound);
	assert_null(nothing);
}

TEST(properties_agree_with_attributes)
{
	struct cudaDeviceProp properties;
	int value = 0;

	assert_int_equal(cudaGetDeviceProperties(&properties, 0), 0);
	assert_true(properties.name[0] && properties.totalGlobalMem && properties.major >= 7);
	assert_int_equal(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), 0);
	assert_int_equal(value, properties.multiProcessorCount);
	assert_int_equal(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0), 0);
	assert_int_equal(value, 32);
	assert_int_equal(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99),
			 cudaErrorInvalidDevice);
	assert_int_equal(cudaGetDeviceProperties(&properties, -1), cudaErrorInvalidDevice);
	cudaGetLastError();
}

TEST(every_error_has_a_name_and_a_meaning)
{
	for (int error = 0; error <= (int)cudaErrorUnknown; error++) {
		const char *name = cudaGetErrorName((cudaError_t)error);
		const char *meaning = cudaGetErrorString((cudaError_t)error);

		assert_true(*name && *meaning);
		assert_int_equal(!strncmp(name, "cuda", 4),
				 strcmp(meaning, "unrecognized error code") != 0);
	}
	assert_string_equal(cudaGetErrorName(cudaErrorNotPermitted), "cudaErrorNotPermitted");
	assert_string_equal(cudaGetErrorString((cudaError_t)123456), "unrecognized error code");
}
