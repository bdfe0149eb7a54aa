// Driver functions for test cases, found through the runtime, so that nothing links libcuda.
#ifndef SC_TESTCASES_DRIVER_H
#define SC_TESTCASES_DRIVER_H

#include <cuda.h>
#include "testcases/common.h"

#define DRIVER_VERSION 13000

HOST_LOOP void *driver_function(const char *name, unsigned int version = DRIVER_VERSION)
{
	enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	void *function = NULL;
	cudaError_t result = cudaGetDriverEntryPointByVersion(name, &function, version,
							      cudaEnableDefault, &found);

	// A driver that is older than the version says so.
	if (result == cudaErrorInvalidValue && version > DRIVER_VERSION)
		cudaGetLastError();
	else
		check(result, "cudaGetDriverEntryPointByVersion", __FILE__, __LINE__);
	if (result == cudaSuccess && found == cudaDriverEntryPointSuccess && function)
		return function;
	printf("this driver has no %s\n", name);
	exit(EXIT_SKIPPED);
}

// DRIVER(cuMemMap)(…) calls it. The macros of cuda.h give the type of the newest version.
#define DRIVER(name) ((decltype(&name))driver_function(#name))

// NEWER_DRIVER(cuGraphNodeGetParams, 13020)(…) calls one that came after CUDA 13.0, with whose
// headers the test cases are compiled; its type is newer_cuGraphNodeGetParams, declared beside.
#define NEWER_DRIVER(name, version) ((newer_##name *)driver_function(#name, version))

#define DRIVER_CHECK(call) check((cudaError_t)(call), #call, __FILE__, __LINE__)

#endif
