// Device code and memory for programs of a C compiler: checked calls, buffers, kernels that C can
// launch (kernels.cu). Who includes this has a function give_up(), which ends all that belongs to
// the program.
#ifndef SC_TESTCASES_RANKS_DEVICE_H
#define SC_TESTCASES_RANKS_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void give_up(int code);

#define COUNT 4096
#define BYTES (COUNT * sizeof(float))

#define CHECK(call)                                                                   \
	do {                                                                          \
		cudaError_t error = (call);                                           \
                                                                                      \
		if (error != cudaSuccess) {                                           \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
				cudaGetErrorName(error));                             \
			give_up(1);                                                   \
		}                                                                     \
	} while (0)

// Kernels: put writes `value`, add adds the elements of `from` to those of `to`.
extern void put(float *to, int count, float value);
extern void add(float *to, const float *from, int count);

// One statement, so that a finding is at the line of the program.
#define LAUNCH(kernel, stream, ...)                                                       \
	CHECK(cudaLaunchKernel((const void *)(kernel), (dim3){(COUNT + 255) / 256, 1, 1}, \
			       (dim3){256, 1, 1}, (void *[]){__VA_ARGS__}, 0, (stream)))
#define PUT(stream, to, count, value) \
	LAUNCH(put, stream, &(float *){to}, &(int){count}, &(float){value})
#define ADD(stream, to, from, count) \
	LAUNCH(add, stream, &(float *){to}, &(const float *){from}, &(int){count})

static inline float *on_device(size_t bytes)
{
	float *data = NULL;

	CHECK(cudaMalloc((void **)&data, bytes));
	CHECK(cudaMemset(data, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	return data;
}

static inline float *pinned(size_t bytes)
{
	float *data = NULL;

	CHECK(cudaMallocHost((void **)&data, bytes));
	memset(data, 0, bytes);
	return data;
}

static inline cudaStream_t stream(void)
{
	cudaStream_t s;

	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	return s;
}

static inline void use_device(void)
{
	CHECK(cudaFree(NULL));
}

// Waits for the stream, and ends the program if an element in device memory is not what it must be.
// Of a program that is wrong nothing is asked.
static inline void finish(cudaStream_t s, const float *data, float value)
{
	float *host = pinned(64 * sizeof(float));

	CHECK(cudaMemcpyAsync(host, data, 64 * sizeof(float), cudaMemcpyDeviceToHost, s));
	CHECK(cudaStreamSynchronize(s));
#ifdef FIXED
	for (int i = 0; i < 64; i++)
		if (host[i] != value) {
			fprintf(stderr, "element %d is %g and not %g\n", i, host[i], value);
			give_up(2);
		}
#else
	(void)value;
#endif
}

#endif
