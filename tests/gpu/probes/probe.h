/* What the probes (docs/ordering.md, appendix C) share: a kernel that holds a stream, a stop-watch.
 *
 * A probe asks the driver one question and prints `fact: QUESTION = ANSWER` lines. Facts tune
 * severities and notes; they never become ordering rules.
 */
#ifndef PROBE_H
#define PROBE_H

#include <cuda.h>
#include <cuda_runtime.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(call)                                                                 \
	do {                                                                        \
		cudaError_t check_ = (call);                                        \
		if (check_ != cudaSuccess) {                                        \
			printf("broken: %s:%d %s: %s\n", __FILE__, __LINE__, #call, \
			       cudaGetErrorName(check_));                           \
			exit(1);                                                    \
		}                                                                   \
	} while (0)
#define CHECK_DRIVER(call)                                                                   \
	do {                                                                                 \
		CUresult check_ = (call);                                                    \
		if (check_ != CUDA_SUCCESS) {                                                \
			printf("broken: %s:%d %s: %d\n", __FILE__, __LINE__, #call, check_); \
			exit(1);                                                             \
		}                                                                            \
	} while (0)

static inline double now_ms()
{
	using namespace std::chrono;
	return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

static __global__ void store(volatile int *where, int value)
{
	*where = value;
	__threadfence_system();
}

template <typename... Types, typename... Arguments>
static inline void launch_programmatic(cudaStream_t stream, void (*kernel)(Types...),
				       Arguments... arguments)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};

	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = 1;
	config.gridDim = config.blockDim = dim3(1);
	config.stream = stream;
	config.attrs = &attribute;
	config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

#include "hold.h"

static inline const char *waited(double ms)
{
	return ms > 40 ? "waits" : "returns at once";
}

static inline void fact(const char *question, const char *answer)
{
	printf("fact: %s = %s\n", question, answer);
}

static inline void fact_timed(const char *question, double ms)
{
	printf("fact: %s = %s (%.2f ms)\n", question, waited(ms), ms);
}

#endif
