// Functions of the runtime that came after CUDA 13.0, with whose headers the test cases are
// compiled: found by their names in the shared runtime. A runtime without them ends the program as
// skipped.
#ifndef SC_TESTCASES_NEWER_H
#define SC_TESTCASES_NEWER_H

#include <dlfcn.h>
#include "testcases/common.h"

template <typename F> F *newer(const char *name)
{
	void *function = dlsym(RTLD_DEFAULT, name);

	if (function)
		return (F *)function;
	printf("this runtime has no %s\n", name);
	exit(EXIT_SKIPPED);
}

// NEWER(cudaGraphGetId)(…) calls it; its type is newer_cudaGraphGetId, declared beside.
#define NEWER(name) (newer<newer_##name>(#name))

#endif
