/* Implements the remembering driver: one function for every row of the runtime's driver table. */
#include "tests/unit/runtime_programs/recorder.h"

#include <cuda.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

struct request {
	char name[64];
	int version;
	unsigned long long flags;
};

static struct request requests[2048];
static size_t request_count;
static char called[1 << 14];
static const char *failing;
static int failure;
static int driver_version = CUDA_VERSION;
static int device_count = 2;
static CUmoduleLoadingMode loading_mode = CU_MODULE_LAZY_LOADING;

static CUresult note(const char *name, const char *mark)
{
	size_t used = strlen(called);

	snprintf(called + used, sizeof(called) - used, " %s%s", name, mark);
	return failing && !strcmp(failing, name) ? (CUresult)failure : CUDA_SUCCESS;
}

/* Whatever its true parameters are, a function of the table only leaves its name. */
#define DRIVER(name, version, per_thread_version)                       \
	static CUresult plain_##name(void)                              \
	{                                                               \
		return note(#name, "");                                 \
	}                                                               \
	static __attribute__((unused)) CUresult per_thread_##name(void) \
	{                                                               \
		return note(#name, "+");                                \
	}
#include "simulator/runtime/driver.def"
#undef DRIVER

static const struct {
	const char *name;
	CUresult (*plain)(void);
	CUresult (*per_thread)(void);
} functions[] = {
#define DRIVER(name, version, per_thread_version) {#name, plain_##name, per_thread_##name},
#include "simulator/runtime/driver.def"
#undef DRIVER
};

/* The few functions whose answers decide how the runtime goes on. */
static CUresult answer_version(int *version)
{
	*version = driver_version;
	return note("cuDriverGetVersion", "");
}

static CUresult answer_count(int *count)
{
	*count = device_count;
	return note("cuDeviceGetCount", "");
}

static CUresult answer_mode(CUmoduleLoadingMode *mode)
{
	*mode = loading_mode;
	return note("cuModuleGetLoadingMode", "");
}

static CUresult answer_device(CUdevice *device, int ordinal)
{
	*device = ordinal;
	return note("cuDeviceGet", "");
}

static CUresult answer_retain(CUcontext *context, CUdevice device)
{
	*context = (CUcontext)(uintptr_t)(0x1000 + device);
	return note("cuDevicePrimaryCtxRetain", "");
}

static CUresult answer_descriptor(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array)
{
	(void)array;
	*descriptor = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = 16, .Height = 4, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
	return note("cuArray3DGetDescriptor", "");
}

static CUresult answer_library(CUlibrary *library)
{
	*library = (CUlibrary)(uintptr_t)0x2000;
	return note("cuLibraryLoadData", "");
}

static CUresult answer_kernel(CUkernel *kernel)
{
	*kernel = (CUkernel)(uintptr_t)0x3000;
	return note("cuLibraryGetKernel", "");
}

/* NVIDIA's runtime leaves the size out. */
static CUresult answer_global(CUdeviceptr *address, const size_t *size)
{
	*address = 0x4000;
	return note("cuLibraryGetGlobal", size ? "(size)" : "");
}

static const struct {
	const char *name;
	void *function;
} answers[] = {
	{"cuDriverGetVersion", (void *)answer_version},
	{"cuDeviceGetCount", (void *)answer_count},
	{"cuModuleGetLoadingMode", (void *)answer_mode},
	{"cuDeviceGet", (void *)answer_device},
	{"cuDevicePrimaryCtxRetain", (void *)answer_retain},
	{"cuArray3DGetDescriptor", (void *)answer_descriptor},
	{"cuLibraryLoadData", (void *)answer_library},
	{"cuLibraryGetKernel", (void *)answer_kernel},
	{"cuLibraryGetGlobal", (void *)answer_global},
};

static void *find(const char *name, cuuint64_t flags)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		if (!strcmp(answers[i].name, name))
			return answers[i].function;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!strcmp(functions[i].name, name))
			return flags ? (void *)functions[i].per_thread : (void *)functions[i].plain;
	}
	return NULL;
}

VISIBLE CUresult cuGetProcAddress_v2(const char *name, void **function, int version,
				     cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
	struct request *request = &requests[request_count++ % 2048];

	snprintf(request->name, sizeof(request->name), "%s", name);
	request->version = version;
	request->flags = flags;
	*function = find(name, flags);
	if (status)
		*status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
				    : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

VISIBLE const char *recorder_take(void)
{
	static char taken[sizeof(called)];

	memcpy(taken, called, sizeof(taken));
	called[0] = '\0';
	return taken;
}

VISIBLE int recorder_was_requested(const char *name, int version, unsigned long long flags)
{
	for (size_t i = 0; i < request_count && i < 2048; i++) {
		if (!strcmp(requests[i].name, name) && requests[i].version == version &&
		    requests[i].flags == flags)
			return 1;
	}
	return 0;
}

VISIBLE void recorder_pretend(int version, int devices, int is_eager)
{
	driver_version = version;
	device_count = devices;
	loading_mode = is_eager ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
}

VISIBLE void recorder_fail(const char *name, int error)
{
	failing = name;
	failure = error;
}
