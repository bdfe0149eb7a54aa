/* Every function that cuda.h declares exists, by symbol and through cuGetProcAddress. */
#include "tests/unit/simulator/sim_fixture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include <cudaProfiler.h>

static const char *const names[] = {
#define NAME(symbol) #symbol,
#include "sim_api_names.def"
#undef NAME
};

#define COUNT (sizeof(names) / sizeof(names[0]))

static void *driver;

static int setup(void **state)
{
	(void)state;
	driver = dlopen("libcuda.so.1", RTLD_NOW);
	return driver ? 0 : -1;
}

ALL_TESTS(setup, NULL)

TEST(every_name_is_exported)
{
	size_t i;

	assert_true(COUNT > 600);
	for (i = 0; i < COUNT; i++)
		if (!dlsym(driver, names[i]))
			fail_msg("%s is not exported", names[i]);
}

/* The name that cuGetProcAddress takes: without version and without the per-thread suffix. */
static void base_name(const char *symbol, char *base, size_t size)
{
	char *end;

	snprintf(base, size, "%s", symbol);
	end = strstr(base, "_pt");
	if (end)
		*end = 0;
	end = strstr(base, "_v");
	if (end)
		*end = 0;
}

TEST(every_name_resolves)
{
	CUdriverProcAddressQueryResult status;
	void *function;
	char base[128];
	size_t i;

	for (i = 0; i < COUNT; i++) {
		base_name(names[i], base, sizeof(base));
		status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
		OK(cuGetProcAddress(base, &function, CUDA_VERSION, 0, &status));
		if (status != CU_GET_PROC_ADDRESS_SUCCESS || !function)
			fail_msg("%s does not resolve", base);
	}
}

static void *resolve(const char *name, int version, cuuint64_t flags)
{
	CUdriverProcAddressQueryResult status;
	void *function = NULL;

	OK(cuGetProcAddress(name, &function, version, flags, &status));
	return status == CU_GET_PROC_ADDRESS_SUCCESS ? function : NULL;
}

TEST(versions_and_twins)
{
	const cuuint64_t per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

#define SYMBOL(name) dlsym(driver, name)
	assert_ptr_equal(resolve("cuMemAlloc", 3020, 0), SYMBOL("cuMemAlloc_v2"));
	assert_ptr_equal(resolve("cuMemAlloc", 13000, 0), SYMBOL("cuMemAlloc_v2"));
	assert_ptr_equal(resolve("cuMemAlloc", 2000, 0), SYMBOL("cuMemAlloc"));
	assert_ptr_equal(resolve("cuCtxSynchronize", 12000, 0), SYMBOL("cuCtxSynchronize"));
	assert_ptr_equal(resolve("cuCtxSynchronize", 13000, 0), SYMBOL("cuCtxSynchronize_v2"));
	assert_ptr_equal(resolve("cuMemcpyHtoD", 7000, per_thread), SYMBOL("cuMemcpyHtoD_v2_ptds"));
	assert_ptr_equal(resolve("cuMemcpyHtoD", 3020, per_thread), SYMBOL("cuMemcpyHtoD_v2"));
	assert_ptr_equal(resolve("cuLaunchKernel", 7000, per_thread),
			 SYMBOL("cuLaunchKernel_ptsz"));
	assert_ptr_equal(resolve("cuMemAlloc", 7000, per_thread), SYMBOL("cuMemAlloc_v2"));
}

/* A function of this program with a driver's name, as a preloaded tool has them. */
__attribute__((visibility("default"))) CUresult cuProfilerStop(void)
{
	return CUDA_ERROR_UNKNOWN;
}

TEST(entry_points_are_the_drivers_own)
{
	CUresult (*stop)(void);

	assert_ptr_equal(dlsym(RTLD_DEFAULT, "cuProfilerStop"), cuProfilerStop);
	stop = (CUresult(*)(void))resolve("cuProfilerStop", 13000, 0);
	assert_ptr_not_equal(stop, cuProfilerStop);
}

TEST(documented_errors)
{
	CUdriverProcAddressQueryResult status;
	void *function = &status;

	OK(cuGetProcAddress("cuNoSuchThing", &function, 13000, 0, &status));
	assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	assert_null(function);
	OK(cuGetProcAddress("cuLibraryLoadData", &function, 11000, 0, &status));
	assert_int_equal(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	assert_null(function);
	FAILS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("", &function, 0, 0, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuGetProcAddress("cuInit", &function, CUDA_VERSION + 10, 0, &status));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuInit", &function, 13000, 8, &status));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress(NULL, &function, 13000, 0, &status));
}

/* Nothing silently succeeds: what is missing says so, once a name. */
TEST(missing_functions_say_so)
{
	char text[256] = "";
	int saved = dup(STDERR_FILENO), ends[2];
	CUmulticastObjectProp prop = {0};
	size_t granularity;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	FAILS(CUDA_ERROR_NOT_SUPPORTED, cuMulticastGetGranularity(&granularity, &prop, 0));
	FAILS(CUDA_ERROR_NOT_SUPPORTED, cuMulticastGetGranularity(&granularity, &prop, 0));
	dup2(saved, STDERR_FILENO);
	close(ends[1]);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "simulated device: cuMulticastGetGranularity is not supported\n");
	assert_int_equal(read(ends[0], text, sizeof(text)), 0);
	close(ends[0]);
	close(saved);
}

TEST(before_init)
{
	CUdevice device;
	int version = 0;
	const char *text;

	FAILS(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(&device, 0));
	FAILS(CUDA_ERROR_NOT_INITIALIZED, cuCtxSynchronize());
	OK(cuDriverGetVersion(&version));
	assert_int_equal(version, CUDA_VERSION);
	OK(cuGetErrorName(CUDA_ERROR_NOT_READY, &text));
	assert_string_equal(text, "CUDA_ERROR_NOT_READY");
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGetErrorString((CUresult)12345, &text));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuInit(1));
}

TEST(devices)
{
	CUdevice_attribute attribute;
	CUuuid first, second;
	int value, count;
	CUdevice device;
	char name[64];

	OK(cuInit(0));
	OK(cuDeviceGetCount(&count));
	assert_int_equal(count, 2);
	FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 2));
	FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, -1));
	for (attribute = 1; attribute < CU_DEVICE_ATTRIBUTE_MAX; attribute++)
		OK(cuDeviceGetAttribute(&value, attribute, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, attribute, 1));
	OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0));
	assert_int_equal(value, 0);
	OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0));
	assert_int_equal(value, 1);
	OK(cuDeviceGetUuid(&first, 0));
	OK(cuDeviceGetUuid(&second, 1));
	assert_memory_not_equal(&first, &second, sizeof(first));
	OK(cuDeviceGetName(name, sizeof(name), 0));
	assert_non_null(strstr(name, "simulated"));
	OK(cuDeviceGetPCIBusId(name, sizeof(name), 1));
	OK(cuDeviceGetByPCIBusId(&device, name));
	assert_int_equal(device, 1);
}

TEST(contexts)
{
	CUcontext primary, again, own, current;
	unsigned int flags;
	int active;

	FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
	OK(cuDevicePrimaryCtxRetain(&primary, 0));
	OK(cuDevicePrimaryCtxRetain(&again, 0));
	assert_ptr_equal(primary, again);
	OK(cuCtxCreate(&own, NULL, 0, 1));
	OK(cuCtxPushCurrent(primary));
	OK(cuCtxGetCurrent(&current));
	assert_ptr_equal(current, primary);
	OK(cuCtxPopCurrent(&current));
	OK(cuCtxDestroy(own));
	OK(cuCtxGetCurrent(&current));
	assert_null(current);
	FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(own));
	FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(primary));
	OK(cuDevicePrimaryCtxRelease(0));
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	assert_int_equal(active, 1);
	OK(cuDevicePrimaryCtxRelease(0));
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	assert_int_equal(active, 0);
	FAILS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
	FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(NULL));
}
