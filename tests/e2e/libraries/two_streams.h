// What users of stand-ins for libraries share: two streams, an order between them, and statuses
// that are no errors of CUDA's.
#ifndef SC_E2E_LIBRARIES_TWO_STREAMS_H
#define SC_E2E_LIBRARIES_TWO_STREAMS_H

#include "testcases/common.h"

static cudaStream_t a, b;

static void must(int status)
{
	if (!status)
		return;
	fprintf(stderr, "the library answered %d\n", status);
	exit(1);
}

// What b does from now on comes after what a did.
static void order(void)
{
	cudaEvent_t done;

	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaEventRecord(done, a));
	CHECK(cudaStreamWaitEvent(b, done, 0));
	CHECK(cudaEventDestroy(done));
}

#endif
