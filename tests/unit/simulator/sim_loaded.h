/* A device of the simulated driver with a kernel, a stream and memory, for tests that launch. */
#pragma once

#include "tests/unit/simulator/sim_fixture.h"

#define IMAGE(name) SIM_IMAGES "/" name

struct sim_loaded {
	CUlibrary library;
	CUkernel scale; /* (float *, float, int) */
	CUstream stream;
	CUdeviceptr memory; /* of 1,024 bytes */
};

static inline int sim_loaded_begin(struct sim_loaded *l)
{
	return sim_setup(NULL) ||
	       cuLibraryLoadFromFile(&l->library, IMAGE("default.fatbin"), NULL, NULL, 0, NULL,
				     NULL, 0) ||
	       cuLibraryGetKernel(&l->scale, l->library, "_Z5scalePffi") ||
	       cuStreamCreate(&l->stream, CU_STREAM_NON_BLOCKING) || cuMemAlloc(&l->memory, 1024);
}

static inline int sim_loaded_end(const struct sim_loaded *l)
{
	return cuCtxSynchronize() || cuLibraryUnload(l->library) || cuStreamDestroy(l->stream) ||
	       cuMemFree(l->memory) || sim_teardown(NULL);
}

/* For groups of tests. */
static inline int sim_loaded_setup(void **state)
{
	static struct sim_loaded loaded;

	*state = &loaded;
	return sim_loaded_begin(&loaded) ? -1 : 0;
}

static inline int sim_loaded_teardown(void **state)
{
	return sim_loaded_end(*state) ? -1 : 0;
}
