/* A race of kernels whose module is loaded as the CUDA runtimes before 12 load it: by a call that
 * no tool sees. Whoever includes this defines WRAPPERS fatbins in the file's own data, as nvcc's
 * code does, of which the first is loaded. */
#ifndef SC_TESTS_UNSEEN_H
#define SC_TESTS_UNSEEN_H

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS	4
#define THREADS 256
#define BYTES	(BLOCKS * THREADS * sizeof(int))

typedef void *look_up(void *library, const char *name);

static void need(int is_so, const char *what)
{
	if (is_so)
		return;
	printf("%s failed\n", what);
	exit(1);
}

/* The look-up in libc itself: a tool that stands in for dlsym does not see it. */
static look_up *unseen_look_up(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), *found = NULL;

	need(libc != NULL, "dlopen of libc");
	found = dlvsym(libc, "dlsym", "GLIBC_2.34");
	if (!found)
		found = dlvsym(libc, "dlsym", "GLIBC_2.2.5");
	need(found != NULL, "dlvsym");
	return (look_up *)found;
}

/* Calls a function of the driver by its name, as it is found by that look-up. */
#define CALL_BY(find, name, ...)                                          \
	do {                                                              \
		typeof(&name) call_ = (typeof(&name))find(driver, #name); \
		need(call_ &&call_(__VA_ARGS__) == CUDA_SUCCESS, #name);  \
	} while (0)
#define SEEN(name, ...)	  CALL_BY(dlsym, name, __VA_ARGS__)
#define UNSEEN(name, ...) CALL_BY(unseen_look_up(), name, __VA_ARGS__)

static void *driver;

static void begin(void)
{
	CUcontext context;

	driver = dlopen("libcuda.so.1", RTLD_NOW);
	need(driver != NULL, "dlopen of the driver");
	SEEN(cuInit, 0);
	SEEN(cuDevicePrimaryCtxRetain, &context, 0);
	SEEN(cuCtxSetCurrent, context);
}

static void launch(CUfunction kernel, CUdeviceptr memory, CUstream stream)
{
	void *arguments[] = {&memory};

	SEEN(cuLaunchKernel, kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, stream, arguments, NULL);
}

/* Two kernels in two streams, on the same memory. */
static void race(const void *wrapper)
{
	CUfunction produce, consume;
	CUstream first, second;
	CUdeviceptr memory;
	CUmodule module;

	begin();
	UNSEEN(cuModuleLoadData, &module, wrapper);
	UNSEEN(cuModuleGetFunction, &produce, module, "produce");
	UNSEEN(cuModuleGetFunction, &consume, module, "consume");
	SEEN(cuMemAlloc, &memory, 2 * BYTES);
	SEEN(cuStreamCreate, &first, CU_STREAM_NON_BLOCKING);
	SEEN(cuStreamCreate, &second, CU_STREAM_NON_BLOCKING);
	launch(produce, memory, first);
	launch(consume, memory, second);
	SEEN(cuCtxSynchronize);
	SEEN(cuMemFree, memory);
	UNSEEN(cuModuleUnload, module);
}

#endif
