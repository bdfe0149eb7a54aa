/* Runs the kernels of a PTX text on the device that libcuda.so.1 is, and keeps what they compute.
 *
 * usage: run_kernels KERNELS.ptx KERNELS.txt OPERANDS RESULTS
 * Files as kernels.py writes them. A kernel gets the addresses of the operands and of its results,
 * which begin as bytes of 0xA5; RESULTS gets all of them, in their order.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS	   256
#define MARK_BYTES 8 /* after the results */

/* Driver functions: their types are those of cuda.h. */
#define EACH_FUNCTION(DO)                     \
	DO(init, cuInit)                      \
	DO(device_get, cuDeviceGet)           \
	DO(retain, cuDevicePrimaryCtxRetain)  \
	DO(set_current, cuCtxSetCurrent)      \
	DO(synchronize, cuCtxSynchronize)     \
	DO(load, cuModuleLoadData)            \
	DO(get_function, cuModuleGetFunction) \
	DO(allocate, cuMemAlloc_v2)           \
	DO(to_device, cuMemcpyHtoD_v2)        \
	DO(to_host, cuMemcpyDtoH_v2)          \
	DO(fill, cuMemsetD8_v2)               \
	DO(launch, cuLaunchKernel)            \
	DO(error_name, cuGetErrorName)

struct driver {
#define MEMBER(id, name) __typeof__(name) *id;
	EACH_FUNCTION(MEMBER)
#undef MEMBER
};

static struct driver cuda;

static void *find(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function) {
		fprintf(stderr, "run_kernels: %s\n", dlerror());
		exit(1);
	}
	return function;
}

static void open_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW), *function;

	if (!library) {
		fprintf(stderr, "run_kernels: %s\n", dlerror());
		exit(77);
	}
#define FIND(id, name)                   \
	function = find(library, #name); \
	memcpy(&cuda.id, &function, sizeof(function));
	EACH_FUNCTION(FIND)
#undef FIND
}

static void check(CUresult result, const char *what)
{
	const char *name = "?";

	if (result == CUDA_SUCCESS)
		return;
	cuda.error_name(result, &name);
	fprintf(stderr, "run_kernels: %s: %s\n", what, name);
	exit(1);
}

static char *read_file(const char *path, size_t *bytes)
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
		fprintf(stderr, "run_kernels: cannot read %s\n", path);
		exit(1);
	}
	fclose(file);
	text[*bytes] = 0;
	return text;
}

struct run {
	CUmodule module;
	CUdeviceptr operands, results;
	size_t capacity_bytes; /* of `results` */
	FILE *out;
};

/* One block of a kernel, from its line in the list. */
static void run_kernel(struct run *r, const char *name, size_t bytes)
{
	void *params[] = {&r->operands, &r->results};
	char *host = malloc(bytes);
	CUfunction function;

	if (!host || bytes > r->capacity_bytes) {
		fprintf(stderr, "run_kernels: %s has too many results\n", name);
		exit(1);
	}
	check(cuda.get_function(&function, r->module, name), name);
	check(cuda.fill(r->results, 0xA5, bytes), name);
	check(cuda.launch(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL), name);
	check(cuda.synchronize(), name);
	check(cuda.to_host(host, r->results, bytes), name);
	if (fwrite(host, 1, bytes, r->out) != bytes)
		exit(1);
	free(host);
}

static void set_up(struct run *r, char **paths)
{
	size_t bytes;
	char *text = read_file(paths[0], &bytes), *operands = read_file(paths[2], &bytes);
	CUdevice device;
	CUcontext context;

	open_driver();
	check(cuda.init(0), "cuInit");
	check(cuda.device_get(&device, 0), "cuDeviceGet");
	check(cuda.retain(&context, device), "cuDevicePrimaryCtxRetain");
	check(cuda.set_current(context), "cuCtxSetCurrent");
	check(cuda.load(&r->module, text), "cuModuleLoadData");
	check(cuda.allocate(&r->operands, bytes), "cuMemAlloc");
	check(cuda.to_device(r->operands, operands, bytes), "cuMemcpyHtoD");
	check(cuda.allocate(&r->results, r->capacity_bytes), "cuMemAlloc");
	free(text);
	free(operands);
}

int main(int argc, char **argv)
{
	struct run r = {.capacity_bytes = 1 << 20};
	char name[64];
	size_t bytes;
	FILE *list;

	if (argc != 5) {
		fprintf(stderr, "usage: run_kernels KERNELS.ptx KERNELS.txt OPERANDS RESULTS\n");
		return 2;
	}
	set_up(&r, argv + 1);
	list = fopen(argv[2], "r");
	r.out = fopen(argv[4], "wb");
	if (!list || !r.out)
		return 1;
	while (fscanf(list, "%63s %zu", name, &bytes) == 2)
		run_kernel(&r, name, bytes + MARK_BYTES);
	fclose(list);
	return fclose(r.out) ? 1 : 0;
}
