/* Runs the kernels of a PTX text on the device that libcuda.so.1 is, and keeps what they compute.
 *
 * usage: run_kernels KERNELS.ptx KERNELS.txt OPERANDS RESULTS
 * Files as kernels.py writes them. A kernel gets the addresses of the operands and of its results,
 * which begin as bytes of 0xA5; RESULTS gets all of them, in their order.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/executor/driver.h"

#define THREADS	   256
#define MARK_BYTES 8 /* after the results */

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
	driver_check(cuda.get_function(&function, r->module, name), name);
	driver_check(cuda.fill(r->results, 0xA5, bytes), name);
	driver_check(cuda.launch(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL), name);
	driver_check(cuda.synchronize(), name);
	driver_check(cuda.to_host(host, r->results, bytes), name);
	if (fwrite(host, 1, bytes, r->out) != bytes)
		exit(1);
	free(host);
}

static void set_up(struct run *r, char **paths)
{
	driver_open();
	r->module = driver_load_file(paths[0]);
	r->operands = driver_upload_file(paths[2]);
	driver_check(cuda.allocate(&r->results, r->capacity_bytes), "cuMemAlloc");
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
