// What the programs of NIXL need: an agent, buffers as lists of descriptors, and kernels.
//
// All programs run one after the other in one process (all.cu).
#ifndef SC_TESTCASES_NIXL_PROGRAM_H
#define SC_TESTCASES_NIXL_PROGRAM_H

#include "testcases/common.h"
#include "testcases/nixl/nixl.h"

#define COUNT 4096
#define BYTES (COUNT * sizeof(float))

// An address that the other process gave us.
#define THERE ((float *)0x700000000000)

static __global__ void put(float *to, int count, float value)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		to[i] = value;
}

static __global__ void add(float *to, const float *from, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		to[i] += from[i];
}

// One statement, so that a finding is at the line of the program.
#define LAUNCH(kernel, s, count, ...)                                      \
	do {                                                               \
		kernel<<<((count) + 255) / 256, 256, 0, s>>>(__VA_ARGS__); \
	} while (0)
#define PUT(s, to, count, value) LAUNCH(put, s, count, to, count, value)
#define ADD(s, to, from, count)	 LAUNCH(add, s, count, to, from, count)

static inline cudaStream_t stream(void)
{
	cudaStream_t s;

	CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	return s;
}

static inline float *zeros(size_t bytes)
{
	float *data = on_device(bytes);

	CHECK(cudaMemset(data, 0, bytes));
	CHECK(cudaDeviceSynchronize());
	return data;
}

// Ends the program if a status is another one.
static inline void must(nixl_status_t got, nixl_status_t wanted, const char *file, int line)
{
	if (got == wanted)
		return;
	fprintf(stderr, "%s:%d: status %d and not %d\n", file, line, got, wanted);
	exit(1);
}

#define MUST(status, call) must(call, status, __FILE__, __LINE__)

static inline nixlDescList<nixlBasicDesc> list_of(const float *data, size_t count,
						  nixl_mem_t type = VRAM_SEG)
{
	nixlDescList<nixlBasicDesc> list(type);

	list.addDesc({(uintptr_t)data, count * sizeof(float), 0});
	return list;
}

static inline nixlXferReqH *request_of(const nixlAgent &agent, nixl_xfer_op_t operation,
				       const float *local, const float *remote,
				       const char *name = "elsewhere", size_t count = COUNT)
{
	nixlXferReqH *request = nullptr;

	MUST(NIXL_SUCCESS, agent.createXferReq(operation, list_of(local, count),
					       list_of(remote, count), name, request));
	return request;
}

static inline void wait_for(const nixlAgent &agent, nixlXferReqH *request)
{
	nixl_status_t status;

	while ((status = agent.getXferStatus(request)) == NIXL_IN_PROG)
		;
	must(status, NIXL_SUCCESS, __FILE__, __LINE__);
}

static inline void complete(const nixlAgent &agent, nixlXferReqH *request)
{
	wait_for(agent, request);
	MUST(NIXL_SUCCESS, agent.releaseXferReq(request));
}

// Waits for the stream, and ends the program if device memory has not the value. Of a program that
// is wrong nothing is asked.
static inline void finish(cudaStream_t s, const float *data, float value)
{
	float *host = pinned(64 * sizeof(float));

	CHECK(cudaMemcpyAsync(host, data, 64 * sizeof(float), cudaMemcpyDeviceToHost, s));
	CHECK(cudaStreamSynchronize(s));
#ifdef FIXED
	verify_kernel(host, value, 64);
#else
	(void)value;
#endif
}

#endif
