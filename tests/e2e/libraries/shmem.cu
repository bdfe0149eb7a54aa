// A library with functions of NVSHMEM, for one process, whose peers' memory is its own: one kernel
// does what they are asked for.
#include "tests/e2e/libraries/operands.h"
#include "testcases/common.h"

struct move {
	int64_t numbers[12];
	void *pointer[2];
};

static __global__ void copy(move m)
{
	((char *)m.pointer[1])[threadIdx.x] = ((char *)m.pointer[0])[threadIdx.x];
}

static void launch(void *to, const void *from, cudaStream_t stream)
{
	move m = {};

	m.pointer[0] = (void *)from;
	m.pointer[1] = to;
	copy<<<1, 1, 0, stream>>>(m);
}

void nvshmemx_putmem_on_stream(void *to, const void *from, size_t bytes, int process,
			       cudaStream_t stream)
{
	launch(to, from, stream);
}

void nvshmemx_float_put_signal_nbi_on_stream(float *to, const float *from, size_t count,
					     uint64_t *signal, uint64_t value, int operation,
					     int process, cudaStream_t stream)
{
	launch(to, from, stream);
}

void nvshmemx_get32_on_stream(void *to, const void *from, size_t count, int process,
			      cudaStream_t stream)
{
	launch(to, from, stream);
}
