/* Runs random kernels on the device that libcuda.so.1 is, and keeps their results.
 *
 * usage: run_random KERNELS.ptx LIST OPERANDS RESULTS
 * Files as random_run.py writes them. Each line of LIST is a kernel: its name, its grid and its
 * block, the bytes of its results (zero at first), the first of its salts, and the number of its
 * launches, each with the next salt. RESULTS gets the results of all launches in their order.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/executor/driver.h"

#define WORK_BYTES (1 << 16) /* that a kernel may use, whatever is there */

struct kernel {
	char name[64];
	unsigned grid[3];
	unsigned block[3];
	size_t bytes;
	unsigned salt;
	unsigned launches;
};

struct run {
	CUmodule module;
	CUdeviceptr operands, work;
	FILE *list, *out;
};

static bool read_kernel(FILE *list, struct kernel *k)
{
	return fscanf(list, "%63s %u %u %u %u %u %u %zu %u %u", k->name, &k->grid[0], &k->grid[1],
		      &k->grid[2], &k->block[0], &k->block[1], &k->block[2], &k->bytes, &k->salt,
		      &k->launches) == 10;
}

static void launch(const struct run *r, const struct kernel *k, CUdeviceptr results)
{
	CUfunction function;

	driver_check(cuda.get_function(&function, r->module, k->name), k->name);
	for (unsigned i = 0; i < k->launches; i++) {
		unsigned salt = (k->salt + i) * 0x9E3779B1u;
		CUdeviceptr result = results + i * k->bytes, operands = r->operands, work = r->work;
		void *params[] = {&operands, &result, &work, &salt};

		driver_check(cuda.launch(function, k->grid[0], k->grid[1], k->grid[2], k->block[0],
					 k->block[1], k->block[2], 0, NULL, params, NULL),
			     k->name);
	}
	driver_check(cuda.synchronize(), k->name);
}

static void run_kernel(const struct run *r, const struct kernel *k)
{
	size_t bytes = k->bytes * k->launches;
	char *host = malloc(bytes);
	CUdeviceptr results;

	if (!host)
		exit(1);
	driver_check(cuda.allocate(&results, bytes), k->name);
	driver_check(cuda.fill(results, 0, bytes), k->name);
	launch(r, k, results);
	driver_check(cuda.to_host(host, results, bytes), k->name);
	driver_check(cuda.release(results), k->name);
	if (fwrite(host, 1, bytes, r->out) != bytes)
		exit(1);
	free(host);
}

int main(int argc, char **argv)
{
	struct run r = {0};
	struct kernel k;

	if (argc != 5) {
		fprintf(stderr, "usage: run_random KERNELS.ptx LIST OPERANDS RESULTS\n");
		return 2;
	}
	r.list = fopen(argv[2], "r");
	r.out = fopen(argv[4], "wb");
	if (!r.list || !r.out) {
		fprintf(stderr, "run_random: cannot open %s or %s\n", argv[2], argv[4]);
		exit(1);
	}
	driver_open();
	r.module = driver_load_file(argv[1]);
	r.operands = driver_upload_file(argv[3]);
	driver_check(cuda.allocate(&r.work, WORK_BYTES), "cuMemAlloc");
	while (read_kernel(r.list, &k))
		run_kernel(&r, &k);
	fclose(r.list);
	return fclose(r.out) ? 1 : 0;
}
