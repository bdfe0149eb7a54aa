// What every test case needs: checked calls, host loops, and whether kernels run here.
//
// Head comment of a test case, read by tests/e2e/expectation.py and by testcases/CMakeLists.txt:
//
//   // What the program is, and where it is wrong.
//   // expect: SC-101 at=read proven order=none one line for each finding of the plain build
//   // expect[FIXED]: clean                     the same of the build with -DFIXED
//   // expect[EARLY]: SC-105|SC-209 cause=SC-112 possible doubt=footprint
//   // exit: SIGSEGV                            how the program itself ends, if not with 0; a|b
//   // options: profile=strict               options of streamcheck, as after --
//   // env: CUDA_LAUNCH_BLOCKING=1           more environment of the program
//   // nvcc: --default-stream per-thread        more arguments of the compiler
//
// at=NAME: a side is in the statement that ends with the comment `@NAME`. What is possible has its
// doubt, a proven collision its cause or order (finding/verdict.def). All else fails, advice too.
#ifndef SC_TESTCASES_COMMON_H
#define SC_TESTCASES_COMMON_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_WRONG   2	// the program computed something wrong
#define EXIT_SKIPPED 77 // this machine has not what the program needs

#define HOST_LOOP static __attribute__((noinline, unused))

static inline void check(cudaError_t error, const char *call, const char *file, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorName(error));
	exit(1);
}

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

HOST_LOOP bool is_simulated(void)
{
	struct cudaDeviceProp prop;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	return strcasestr(prop.name, "simulated");
}

// The simulated device executes kernels unless it was told not to.
HOST_LOOP bool runs_kernels(void)
{
	const char *kernels = getenv("STREAMCHECK_SIM_KERNELS");

	return !is_simulated() || !kernels || strcmp(kernels, "skip") != 0;
}

HOST_LOOP void need_devices(int wanted)
{
	int count = 0;

	CHECK(cudaGetDeviceCount(&count));
	if (count >= wanted)
		return;
	printf("needs %d devices, has %d\n", wanted, count);
	exit(EXIT_SKIPPED);
}

HOST_LOOP void fill(float *data, float value, int n)
{
	for (int i = 0; i < n; i++)
		data[i] = value;
}

HOST_LOOP float sum(const float *data, int n)
{
	float total = 0;

	for (int i = 0; i < n; i++)
		total += data[i];
	return total;
}

// Ends the program if one element is not what it must be.
HOST_LOOP void verify(const float *data, float value, int n)
{
	for (int i = 0; i < n; i++) {
		if (data[i] == value)
			continue;
		fprintf(stderr, "element %d is %g and not %g\n", i, data[i], value);
		exit(EXIT_WRONG);
	}
}

// The same for what a kernel computed.
HOST_LOOP void verify_kernel(const float *data, float value, int n)
{
	if (runs_kernels())
		verify(data, value, n);
}

static inline float *pinned(size_t bytes)
{
	float *data = NULL;

	CHECK(cudaMallocHost(&data, bytes));
	memset(data, 0, bytes);
	return data;
}

static inline float *on_device(size_t bytes)
{
	float *data = NULL;

	CHECK(cudaMalloc(&data, bytes));
	return data;
}

#endif
