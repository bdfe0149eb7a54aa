/* The lazy schedule: without a sync the host always sees stale data, and still nothing hangs. */
#define UNIT_OWN_MAIN
#include "tests/unit/simulator/sim_fixture.h"

#include <sys/wait.h>
#include <unistd.h>

#define BYTES 4096
#define STALE 0x11
#define FRESH 0x22

struct lazy {
	CUstream stream;
	CUdeviceptr memory;
	unsigned char *host;
};

static int setup(void **state)
{
	static struct lazy lazy;

	if (sim_setup(NULL) || cuStreamCreate(&lazy.stream, CU_STREAM_NON_BLOCKING) ||
	    cuMemAlloc(&lazy.memory, BYTES) || cuMemAllocHost((void **)&lazy.host, BYTES) ||
	    cuMemsetD8(lazy.memory, FRESH, BYTES) || cuCtxSynchronize())
		return -1;
	memset(lazy.host, STALE, BYTES);
	*state = &lazy;
	return 0;
}

static int teardown(void **state)
{
	struct lazy *lazy = *state;

	if (cuCtxSynchronize() || cuStreamDestroy(lazy->stream) || cuMemFree(lazy->memory) ||
	    cuMemFreeHost(lazy->host))
		return -1;
	return sim_teardown(NULL);
}

/* Plenty of other calls, none of which is a reason for the op to run. */
static void do_something_else(CUstream stream)
{
	unsigned long long id;
	CUstream other;
	CUevent event;
	int i;

	for (i = 0; i < 1000; i++)
		OK(cuStreamGetId(stream, &id));
	OK(cuEventCreate(&event, 0));
	OK(cuEventRecord(event, stream));
	OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	OK(cuStreamSynchronize(other));
	OK(cuStreamDestroy(other));
	OK(cuEventDestroy(event));
}

EACH_TEST(setup, teardown)

TEST(copy_waits_for_the_sync)
{
	struct lazy *lazy = *state;

	OK(cuMemcpyDtoHAsync(lazy->host, lazy->memory, BYTES, lazy->stream));
	do_something_else(lazy->stream);
	assert_int_equal(lazy->host[0], STALE);
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(lazy->stream));
	assert_int_equal(lazy->host[0], STALE);
	OK(cuStreamSynchronize(lazy->stream));
	assert_int_equal(lazy->host[0], FRESH);
}

/* C-A2: "might be synchronous" is no promise. */
TEST(pageable_copy_waits_as_well)
{
	struct lazy *lazy = *state;
	volatile unsigned char pageable[64] = {STALE};

	OK(cuMemcpyDtoHAsync((void *)pageable, lazy->memory, sizeof(pageable), lazy->stream));
	do_something_else(lazy->stream);
	assert_int_equal(pageable[0], STALE);
	OK(cuStreamSynchronize(lazy->stream));
	assert_int_equal(pageable[0], FRESH);
}

/* C-A1: the source is read at the last moment. */
TEST(pageable_source_is_read_late)
{
	struct lazy *lazy = *state;
	volatile unsigned char pageable[64] = {FRESH};

	OK(cuMemcpyHtoDAsync(lazy->memory, (const void *)pageable, sizeof(pageable), lazy->stream));
	pageable[0] = 0x33;
	OK(cuMemcpyDtoHAsync(lazy->host, lazy->memory, 1, lazy->stream));
	OK(cuStreamSynchronize(lazy->stream));
	assert_int_equal(lazy->host[0], 0x33);
}

/* C-S1: the source may be reused at once, but the destination is not complete on return. */
TEST(synchronous_pageable_upload_is_not_complete)
{
	struct lazy *lazy = *state;
	unsigned char pageable[64];

	memset(pageable, 0x44, sizeof(pageable));
	OK(cuMemcpyHtoD(lazy->memory, pageable, sizeof(pageable)));
	memset(pageable, 0, sizeof(pageable));
	OK(cuMemcpyDtoHAsync(lazy->host, lazy->memory, 1, lazy->stream));
	OK(cuStreamSynchronize(lazy->stream));
	assert_int_equal(lazy->host[0], FRESH);
	OK(cuStreamSynchronize(NULL));
	OK(cuMemcpyDtoHAsync(lazy->host, lazy->memory, 1, lazy->stream));
	OK(cuStreamSynchronize(lazy->stream));
	assert_int_equal(lazy->host[0], 0x44);
}

/* C-S1 again: it waits for the default stream before it reads its source. */
TEST(synchronous_pageable_upload_drains_the_stream)
{
	struct lazy *lazy = *state;
	unsigned char pageable[64] = {0};
	CUdeviceptr other;

	OK(cuMemAlloc(&other, sizeof(pageable)));
	OK(cuMemcpyDtoHAsync(lazy->host, lazy->memory, BYTES, NULL));
	assert_int_equal(lazy->host[0], STALE);
	OK(cuMemcpyHtoD(other, pageable, sizeof(pageable)));
	assert_int_equal(lazy->host[0], FRESH);
	OK(cuMemFree(other));
}

/* C-S2, C-S3: these two are complete. */
TEST(synchronous_pinned_copies_are_complete)
{
	struct lazy *lazy = *state;
	unsigned char pageable[64];

	lazy->host[0] = 0x55;
	OK(cuMemcpyHtoD(lazy->memory, lazy->host, 1));
	OK(cuMemcpyDtoHAsync(lazy->host + 1, lazy->memory, 1, lazy->stream));
	OK(cuStreamSynchronize(lazy->stream));
	assert_int_equal(lazy->host[1], 0x55);
	OK(cuMemcpyDtoH(pageable, lazy->memory, sizeof(pageable)));
	assert_int_equal(pageable[0], 0x55);
}

/* C-S4 */
TEST(synchronous_device_copy_is_not_complete)
{
	struct lazy *lazy = *state;
	CUdeviceptr other;

	OK(cuMemAlloc(&other, BYTES));
	OK(cuMemsetD8Async(other, STALE, BYTES, lazy->stream));
	OK(cuStreamSynchronize(lazy->stream));
	OK(cuMemcpyDtoD(other, lazy->memory, BYTES));
	OK(cuMemcpyDtoHAsync(lazy->host, other, 1, lazy->stream));
	OK(cuStreamSynchronize(lazy->stream));
	assert_int_equal(lazy->host[0], STALE);
	OK(cuMemFree(other));
}

static void post(void *data)
{
	sem_post(data);
}

/* C-1: waiting for a host function without any CUDA call is documented to work. */
TEST(host_function_runs_by_itself)
{
	struct lazy *lazy = *state;
	sem_t done;

	sem_init(&done, 0, 0);
	OK(cuMemcpyDtoHAsync(lazy->host, lazy->memory, BYTES, lazy->stream));
	OK(cuLaunchHostFunc(lazy->stream, post, &done));
	while (sem_wait(&done))
		;
	assert_int_equal(lazy->host[0], FRESH);
}

/* Freed memory in flight: no crash, no hang, and the address may be used again. */
TEST(free_in_front_of_pending_work)
{
	struct lazy *lazy = *state;
	CUdeviceptr memory;
	void *pinned;

	OK(cuMemAlloc(&memory, BYTES));
	OK(cuMemAllocHost(&pinned, BYTES));
	OK(cuMemsetD8Async(memory, 1, BYTES, lazy->stream));
	OK(cuMemcpyDtoHAsync(pinned, memory, BYTES, lazy->stream));
	OK(cuMemFree(memory));
	OK(cuMemFreeHost(pinned));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(lazy->stream));
	OK(cuStreamSynchronize(lazy->stream));
}

/* The exit code of this program when it does only that. */
static int run_alone(const char *what)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		execl("/proc/self/exe", "test_sim_lazy", what, (char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Rules H-3 and SC-401: nothing waits at the end of a process, and nothing may hang there. */
TEST(exit_with_pending_work)
{
	assert_int_equal(run_alone("exit"), 7);
}

static int exit_with_pending_work(void)
{
	struct gate *gate = malloc(sizeof(*gate));
	void *state = NULL;
	struct lazy *lazy;

	if (!gate || setup(&state))
		return 1;
	lazy = state;
	sem_init(&gate->entered, 0, 0);
	sem_init(&gate->release, 0, 0);
	if (cuLaunchHostFunc(lazy->stream, gate_run, gate) ||
	    cuMemcpyDtoHAsync(lazy->host, lazy->memory, BYTES, lazy->stream))
		return 2;
	return 7;
}

/* P-3: cuMemFree does not wait for work in a pool's memory. An H100 now and then ended a copy there
 * by an error that stays. */
TEST(pool_memory_is_freed_in_use)
{
	assert_int_equal(run_alone("free"), 7);
}

static int free_pool_memory_in_use(void)
{
	CUdeviceptr memory;
	void *state = NULL;
	struct lazy *lazy;

	if (setup(&state))
		return 1;
	lazy = state;
	if (cuMemAllocAsync(&memory, BYTES, lazy->stream) ||
	    cuMemcpyDtoHAsync(lazy->host, memory, BYTES, lazy->stream) ||
	    cuStreamSynchronize(lazy->stream) ||
	    cuMemcpyDtoHAsync(lazy->host, memory, BYTES, lazy->stream) || cuMemFree(memory))
		return 2;
	if (cuStreamSynchronize(lazy->stream) != CUDA_ERROR_LAUNCH_FAILED)
		return 3;
	return cuCtxSynchronize() == CUDA_ERROR_LAUNCH_FAILED ? 7 : 4;
}

/* A child of an initialized process has no driver. */
TEST(fork)
{
	int status = 0;
	pid_t child;

	child = fork();
	if (child == 0)
		_exit(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED &&
				      cuInit(0) == CUDA_ERROR_NOT_INITIALIZED
			      ? 5
			      : 6);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
	OK(cuCtxSynchronize());
}

int main(int argc, char **argv)
{
	setenv("STREAMCHECK_SIM_SCHEDULE", "lazy", 1);
	if (argc == 2 && strcmp(argv[1], "exit") == 0)
		return exit_with_pending_work();
	if (argc == 2 && strcmp(argv[1], "free") == 0)
		return free_pool_memory_in_use();
	return unit_run();
}
