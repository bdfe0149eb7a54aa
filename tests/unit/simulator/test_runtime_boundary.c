/* Checks which driver calls each runtime call makes, against what a genuine runtime was seen to do.
 */
#include "tests/unit/unit.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulator/runtime/api.h"
#include "tests/unit/runtime_programs/recorder.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define STREAM ((cudaStream_t)0x5000)
#define EVENT  ((cudaEvent_t)0x6000)
#define DEVICE ((void *)0x7000)
#define ARRAY  ((cudaArray_t)0x8000)

/* Makes the call and expects its result and the driver calls that it made. */
#define EXPECT(call, result, driver_calls)                          \
	do {                                                        \
		recorder_take();                                    \
		assert_int_equal(call, result);                     \
		assert_string_equal(recorder_take(), driver_calls); \
		cudaGetLastError();                                 \
	} while (0)

/* The forms with a thread's own default stream, which the header only declares on demand. */
__typeof__(cudaMemcpyAsync) cudaMemcpyAsync_ptsz;
__typeof__(cudaMemcpy) cudaMemcpy_ptds;
__typeof__(cudaEventRecord) cudaEventRecord_ptsz;
__typeof__(cudaMallocAsync) cudaMallocAsync_ptsz;
__typeof__(cudaStreamSynchronize) cudaStreamSynchronize_ptsz;

static char host[4096];

/* Runs a check in a forked child, where nothing of the runtime has run yet. */
static void in_child(int (*check)(void))
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		_exit(check());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int old_driver_is_insufficient(void)
{
	int count = 0, version = -1;

	recorder_pretend(12090, 2, 0);
	return cudaGetDeviceCount(&count) != cudaErrorInsufficientDriver ||
	       cudaFree(NULL) != cudaErrorInsufficientDriver ||
	       cudaGetLastError() != cudaErrorInsufficientDriver ||
	       cudaDriverGetVersion(&version) != cudaSuccess || version != 12090;
}

static int no_device_is_an_error(void)
{
	int count = 0, version = 0;

	recorder_pretend(CUDA_VERSION, 0, 0);
	return cudaGetDeviceCount(&count) != cudaErrorNoDevice ||
	       cudaSetDevice(0) != cudaErrorNoDevice ||
	       cudaRuntimeGetVersion(&version) != cudaSuccess || version != CUDART_VERSION;
}

static int refused_start_is_reported(void)
{
	recorder_fail("cuInit", CUDA_ERROR_SYSTEM_NOT_READY);
	return cudaFree(NULL) != cudaErrorSystemNotReady ||
	       cudaFree(NULL) != cudaErrorSystemNotReady;
}

/* Eagerly, a module is loaded when the driver is started, before any context exists. */
static int eager_modules_come_first(void)
{
	const char *calls, *load;
	int count = 0;

	recorder_pretend(CUDA_VERSION, 1, 1);
	__cudaRegisterFatBinaryEnd(__cudaRegisterFatBinary(host));
	if (*recorder_take() || cudaGetDeviceCount(&count) != cudaSuccess)
		return 1;
	calls = recorder_take();
	load = strstr(calls, " cuDeviceGetUuid cuLibraryLoadData");
	if (!load || strstr(calls, "Ctx"))
		return 2;
	__cudaRegisterFatBinaryEnd(__cudaRegisterFatBinary(host));
	return strcmp(recorder_take(), " cuLibraryLoadData") != 0;
}

TEST(starts_that_need_a_fresh_process)
{
	in_child(old_driver_is_insufficient);
	in_child(no_device_is_an_error);
	in_child(refused_start_is_reported);
	in_child(eager_modules_come_first);
}

/* The first test that uses the runtime in this process itself. */
TEST(start_asks_before_any_context)
{
	int count = 0;
	const char *calls;

	assert_int_equal(cudaGetDeviceCount(&count), cudaSuccess);
	assert_int_equal(count, 2);
	calls = recorder_take();
	assert_ptr_equal(strstr(calls, " cuDriverGetVersion cuInit cuModuleGetLoadingMode"
				       " cuDeviceGetCount cuDeviceGet cuDeviceGetName"),
			 calls);
	assert_null(strstr(calls, "Ctx"));
}

TEST(first_use_binds_once)
{
	EXPECT(cudaFree(NULL), cudaSuccess,
	       " cuCtxGetCurrent cuDevicePrimaryCtxRetain cuCtxSetCurrent cuMemFree");
	EXPECT(cudaFree(NULL), cudaSuccess, " cuMemFree");
}

TEST(requests_carry_versions_and_flags)
{
	static const struct {
		const char *name;
		int version;
		unsigned long long flags;
	} wanted[] = {
		{"", 0, 0},
		{"cuInit", 2000, 0},
		{"cuMemAlloc", 3020, 0},
		{"cuMemcpyAsync", 4000, 0},
		{"cuMemcpyAsync", 7000, 2},
		{"cuMemcpyHtoDAsync", 3020, 0},
		{"cuMemcpyHtoDAsync", 7000, 2},
		{"cuLaunchKernel", 4000, 0},
		{"cuLaunchKernel", 7000, 2},
		{"cuMemAllocAsync", 11020, 0},
		{"cuMemAllocAsync", 11020, 2},
		{"cuStreamBeginCapture", 10010, 0},
		{"cuGraphInstantiateWithFlags", 11040, 0},
		{"cuEventElapsedTime", 12080, 0},
		{"cuLibraryLoadData", 12000, 0},
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_true(
			recorder_was_requested(wanted[i].name, wanted[i].version, wanted[i].flags));
	assert_false(recorder_was_requested("cuMemAlloc", 3020, 2));
}

TEST(linear_copies_follow_their_kind)
{
	EXPECT(cudaMemcpy(DEVICE, host, 4, cudaMemcpyHostToDevice), 0, " cuMemcpyHtoD");
	EXPECT(cudaMemcpy(host, DEVICE, 4, cudaMemcpyDeviceToHost), 0, " cuMemcpyDtoH");
	EXPECT(cudaMemcpy(DEVICE, DEVICE, 4, cudaMemcpyDeviceToDevice), 0, " cuMemcpyDtoD");
	EXPECT(cudaMemcpy(host, host, 4, cudaMemcpyHostToHost), 0, " cuMemcpy2DUnaligned");
	EXPECT(cudaMemcpy(host, DEVICE, 4, cudaMemcpyDefault), 0, " cuMemcpy");
	EXPECT(cudaMemcpyAsync(DEVICE, host, 4, cudaMemcpyHostToDevice, STREAM), 0,
	       " cuMemcpyHtoDAsync");
	EXPECT(cudaMemcpyAsync(host, host, 4, cudaMemcpyHostToHost, STREAM), 0, " cuMemcpy2DAsync");
	EXPECT(cudaMemcpyAsync(host, DEVICE, 4, cudaMemcpyDefault, STREAM), 0, " cuMemcpyAsync");
}

TEST(copies_that_reach_no_driver)
{
	const enum cudaMemcpyKind unknown = (enum cudaMemcpyKind)7;

	EXPECT(cudaMemcpy(host, DEVICE, 4, unknown), cudaErrorInvalidMemcpyDirection, "");
	EXPECT(cudaMemcpy(host, DEVICE, 0, unknown), cudaSuccess, "");
	EXPECT(cudaMemcpyAsync(host, DEVICE, 0, cudaMemcpyDeviceToHost, STREAM), cudaSuccess, "");
	EXPECT(cudaMemcpy2D(DEVICE, 8, host, 32, 16, 4, cudaMemcpyHostToDevice),
	       cudaErrorInvalidPitchValue, "");
	EXPECT(cudaMemcpy2D(DEVICE, 64, host, 32, 0, 4, cudaMemcpyHostToDevice), cudaSuccess, "");
	EXPECT(cudaMemset(DEVICE, 0, 0), cudaSuccess, "");
	EXPECT(cudaMemset2DAsync(DEVICE, 64, 0, 0, 2, STREAM), cudaSuccess, "");
}

TEST(rectangles_and_boxes)
{
	struct cudaPitchedPtr box = {.ptr = DEVICE, .pitch = 512, .xsize = 10, .ysize = 4};

	EXPECT(cudaMemcpy2D(DEVICE, 64, host, 32, 16, 4, cudaMemcpyHostToDevice), 0,
	       " cuMemcpy2DUnaligned");
	EXPECT(cudaMemcpy2D(DEVICE, 8, host, 32, 16, 1, cudaMemcpyHostToDevice), 0,
	       " cuMemcpy2DUnaligned");
	EXPECT(cudaMemset3D(box, 0, (struct cudaExtent){10, 4, 3}), 0, " cuMemsetD2D8");
	EXPECT(cudaMemset3D(box, 0, (struct cudaExtent){10, 2, 3}), 0,
	       " cuMemsetD2D8 cuMemsetD2D8 cuMemsetD2D8");
	EXPECT(cudaMemset3D(box, 0, (struct cudaExtent){0, 2, 3}), 0, "");
}

/* The array is 64 bytes wide: 100 bytes are a whole row and the beginning of the next. */
TEST(runs_of_bytes_in_arrays_break_at_rows)
{
	const char *calls;

	recorder_take();
	assert_int_equal(cudaMemcpyToArray(ARRAY, 0, 0, host, 100, cudaMemcpyHostToDevice), 0);
	calls = recorder_take();
	calls = strstr(calls, "cuMemcpy3D");
	assert_non_null(calls);
	calls = strstr(calls + 1, "cuMemcpy3D");
	assert_non_null(calls);
	assert_null(strstr(calls + 1, "cuMemcpy3D"));
}

TEST(empty_allocations_yield_null)
{
	void *memory = host;
	size_t pitch = 1;

	EXPECT(cudaMalloc(&memory, 0), cudaSuccess, "");
	assert_null(memory);
	memory = host;
	EXPECT(cudaMallocHost(&memory, 0), cudaSuccess, "");
	assert_null(memory);
	EXPECT(cudaMallocPitch(&memory, &pitch, 0, 5), cudaSuccess, "");
	EXPECT(cudaMalloc(NULL, 16), cudaErrorInvalidValue, "");
	EXPECT(cudaMallocHost(&memory, 16), cudaSuccess, " cuMemHostAlloc");
}

TEST(per_thread_forms_use_per_thread_calls)
{
	void *memory = NULL;

	EXPECT(cudaMemcpyAsync_ptsz(DEVICE, host, 4, cudaMemcpyHostToDevice, 0), 0,
	       " cuMemcpyHtoDAsync+");
	EXPECT(cudaMemcpy_ptds(host, DEVICE, 4, cudaMemcpyDeviceToHost), 0, " cuMemcpyDtoH+");
	EXPECT(cudaEventRecord_ptsz(EVENT, 0), 0, " cuEventRecord+");
	EXPECT(cudaMallocAsync_ptsz(&memory, 4, 0), 0, " cuMemAllocAsync+");
	EXPECT(cudaStreamSynchronize_ptsz(0), 0, " cuStreamSynchronize+");
	EXPECT(cudaStreamSynchronize(0), 0, " cuStreamSynchronize");
}

TEST(module_is_loaded_just_before_first_use)
{
	static char stub, variable;
	void **module = __cudaRegisterFatBinary(host);
	void *args[1] = {NULL};
	void *address = NULL;

	recorder_take();
	__cudaRegisterFunction(module, &stub, NULL, "kernel", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(module, &variable, NULL, "variable", 0, 16, 0, 0);
	__cudaRegisterFatBinaryEnd(module);
	assert_string_equal(recorder_take(), "");
	EXPECT(cudaLaunchKernel(&stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, STREAM), 0,
	       " cuLibraryLoadData cuLibraryGetKernel cuLaunchKernel");
	EXPECT(cudaLaunchKernel(&stub, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, STREAM), 0,
	       " cuLaunchKernel");
	EXPECT(cudaGetSymbolAddress(&address, &variable), 0, " cuLibraryGetGlobal");
	assert_ptr_equal(address, (void *)0x4000);
	EXPECT(cudaMemcpyToSymbol(&variable, host, 20, 0, cudaMemcpyHostToDevice),
	       cudaErrorInvalidValue, " cuLibraryGetGlobal");
	EXPECT(cudaMemcpyToSymbol(&variable, host, 4, 12, cudaMemcpyHostToDevice), cudaSuccess,
	       " cuLibraryGetGlobal cuMemcpyHtoD");
	EXPECT(cudaGetSymbolAddress(&address, host), cudaErrorInvalidSymbol, "");
	recorder_take();
	__cudaUnregisterFatBinary(module);
	assert_string_equal(recorder_take(), " cuLibraryUnload");
	EXPECT(cudaGetSymbolAddress(&address, &variable), cudaErrorInvalidSymbol, "");
}

/* Inside a host function the driver refuses to return the context; a fresh thread shows the effect.
 */
TEST(refused_context_is_not_permitted)
{
	assert_int_equal(cudaDeviceReset(), cudaSuccess);
	recorder_fail("cuCtxGetCurrent", CUDA_ERROR_NOT_PERMITTED);
	EXPECT(cudaMemset(DEVICE, 0, 4), cudaErrorNotPermitted, " cuCtxGetCurrent");
	EXPECT(cudaStreamQuery(STREAM), cudaErrorNotPermitted, " cuCtxGetCurrent");
	EXPECT(cudaEventQuery(EVENT), cudaSuccess, " cuEventQuery");
	recorder_fail(NULL, 0);
	EXPECT(cudaMemset(DEVICE, 0, 4), cudaSuccess,
	       " cuCtxGetCurrent cuDevicePrimaryCtxRetain cuCtxSetCurrent cuMemsetD8");
}

/* The stand-in has no current context, so a call that misses one is repeated exactly once. */
TEST(lost_context_is_found_again)
{
	recorder_fail("cuStreamQuery", CUDA_ERROR_INVALID_CONTEXT);
	EXPECT(cudaStreamQuery(STREAM), cudaErrorDeviceUninitialized,
	       " cuStreamQuery cuCtxGetCurrent cuCtxSetCurrent cuStreamQuery");
	recorder_fail(NULL, 0);
}

TEST(errors_are_kept_but_not_ready_is_not)
{
	recorder_fail("cuStreamQuery", CUDA_ERROR_NOT_READY);
	assert_int_equal(cudaStreamQuery(STREAM), cudaErrorNotReady);
	assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
	recorder_fail("cuStreamQuery", CUDA_ERROR_ILLEGAL_ADDRESS);
	assert_int_equal(cudaStreamQuery(STREAM), cudaErrorIllegalAddress);
	recorder_fail(NULL, 0);
	assert_int_equal(cudaPeekAtLastError(), cudaErrorIllegalAddress);
	assert_int_equal(cudaGetLastError(), cudaErrorIllegalAddress);
	assert_int_equal(cudaGetLastError(), cudaSuccess);
}

TEST(errno_survives)
{
	int count = 0;

	errno = EXDEV;
	cudaGetDeviceCount(&count);
	cudaMemset(DEVICE, 0, 4);
	cudaSetDevice(99);
	assert_int_equal(errno, EXDEV);
	cudaGetLastError();
}
