/* The CUDA driver that libcuda.so.1 is. */
#include "tests/executor/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct driver cuda;

static void *find(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function) {
		fprintf(stderr, "driver: %s\n", dlerror());
		exit(1);
	}
	return function;
}

static void load(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *function;

	if (!library) {
		fprintf(stderr, "driver: %s\n", dlerror());
		exit(77);
	}
#define FIND(id, name)                   \
	function = find(library, #name); \
	memcpy(&cuda.id, &function, sizeof(function));
	EACH_FUNCTION(FIND)
#undef FIND
}

void driver_check(CUresult result, const char *what)
{
	const char *name = "?";

	if (result == CUDA_SUCCESS)
		return;
	cuda.error_name(result, &name);
	fprintf(stderr, "driver: %s: %s\n", what, name);
	exit(1);
}

char *driver_read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t capacity = 1 << 16, got;

	*bytes = 0;
	for (; file; capacity *= 2) {
		text = realloc(text, capacity + 1);
		if (!text)
			break;
		got = fread(text + *bytes, 1, capacity - *bytes, file);
		*bytes += got;
		if (*bytes < capacity)
			break;
	}
	if (!file || !text) {
		fprintf(stderr, "driver: cannot read %s\n", path);
		exit(1);
	}
	fclose(file);
	text[*bytes] = 0;
	return text;
}

void driver_open(void)
{
	CUdevice device;
	CUcontext context;

	load();
	driver_check(cuda.init(0), "cuInit");
	driver_check(cuda.device_get(&device, 0), "cuDeviceGet");
	driver_check(cuda.retain(&context, device), "cuDevicePrimaryCtxRetain");
	driver_check(cuda.set_current(context), "cuCtxSetCurrent");
}

CUdeviceptr driver_upload_file(const char *path)
{
	size_t bytes;
	char *host = driver_read_file(path, &bytes);
	CUdeviceptr device;

	driver_check(cuda.allocate(&device, bytes), "cuMemAlloc");
	driver_check(cuda.to_device(device, host, bytes), "cuMemcpyHtoD");
	free(host);
	return device;
}

CUmodule driver_load_file(const char *path)
{
	size_t bytes;
	char *text = driver_read_file(path, &bytes);
	CUmodule module;

	driver_check(cuda.load(&module, text), "cuModuleLoadData");
	free(text);
	return module;
}
