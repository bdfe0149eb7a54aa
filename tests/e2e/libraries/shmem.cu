// A library with functions of NVSHMEM, for the first of two processes of which the other one is not
// there: one kernel does what the functions are asked for.
#include "tests/e2e/libraries/opaque.h"
#include "tests/e2e/libraries/shmem.h"

static float number_put;

int nvshmem_my_pe(void)
{
	return 0;
}

int nvshmem_team_my_pe(int team)
{
	return team == OTHER;
}

int nvshmem_team_n_pes(int team)
{
	return 2;
}

int nvshmemid_hostlib_init_attr(unsigned how, void *attributes)
{
	return SUCCESS;
}

int nvshmemx_hostlib_init_attr(unsigned how, void *attributes)
{
	return nvshmemid_hostlib_init_attr(how, attributes);
}

int nvshmemx_cumodule_init(void *module)
{
	return SUCCESS;
}

int nvshmemx_collective_launch(const void *kernel, dim3 grid, dim3 block, void **parameters,
			       size_t shared, cudaStream_t stream)
{
	return cudaLaunchKernel(kernel, grid, block, parameters, shared, stream);
}

float stand_in_number(void)
{
	return number_put;
}

#define MOVES(name)                                        \
	void name MOVE                                     \
	{                                                  \
		CHECK((cudaError_t)run(from, to, stream)); \
	}
MOVES(nvshmemx_putmem_on_stream)
MOVES(nvshmemx_putmem_nbi_on_stream)
MOVES(nvshmemx_getmem_nbi_on_stream)
MOVES(nvshmemx_get32_on_stream)

#define COLLECTS(name)                        \
	int name TOGETHER                     \
	{                                     \
		return run(from, to, stream); \
	}
COLLECTS(nvshmemx_float_sum_reduce_on_stream)
COLLECTS(nvshmemx_int_max_reducescatter_on_stream)
COLLECTS(nvshmemx_alltoallmem_on_stream)
COLLECTS(nvshmemx_fcollectmem_on_stream)

int nvshmemx_broadcastmem_on_stream(int team, void *to, const void *from, size_t count, int root,
				    cudaStream_t stream)
{
	return run(from, to, stream);
}

void nvshmemx_float_put_signal_on_stream(float *to, const float *from, size_t count,
					 uint64_t *signal, uint64_t value, int operation,
					 int process, cudaStream_t stream)
{
	run(from, to, stream);
}

void nvshmemx_float_iput_on_stream(float *to, const float *from, ptrdiff_t to_step,
				   ptrdiff_t from_step, size_t count, int process,
				   cudaStream_t stream)
{
	run(from, to, stream);
}

void nvshmemx_float_p_on_stream(float *to, float number, int process, cudaStream_t stream)
{
	number_put = number;
	run(to, to, stream);
}

float nvshmemx_float_g_on_stream(const float *from, int process, cudaStream_t stream)
{
	run(from, (void *)from, stream);
	return 2.5f;
}

double nvshmem_double_g(const double *from, int process)
{
	return 1.25;
}

void nvshmemx_signal_op_on_stream(uint64_t *signal, uint64_t value, int operation, int process,
				  cudaStream_t stream)
{
	run(signal, signal, stream);
}

void nvshmemx_signal_wait_until_on_stream(uint64_t *signal, int comparison, uint64_t value,
					  cudaStream_t stream)
{
	run(signal, signal, stream);
}

void nvshmemx_int_wait_until_all_on_stream(int *words, size_t count, const int *status,
					   int comparison, int value, cudaStream_t stream)
{
	run(words, words, stream);
}

void nvshmemx_quiet_on_stream(cudaStream_t stream)
{
}

void nvshmemx_barrier_all_on_stream(cudaStream_t stream)
{
}

void nvshmem_putmem(void *to, const void *from, size_t bytes, int process)
{
	CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

void nvshmem_putmem_nbi(void *to, const void *from, size_t bytes, int process)
{
	CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault));
}

void nvshmem_getmem(void *to, const void *from, size_t bytes, int process)
{
	CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

int nvshmem_float_sum_reduce(int team, void *to, const void *from, size_t count)
{
	return cudaMemcpy(to, from, count * sizeof(float), cudaMemcpyDefault);
}

// A part of one block; nothing is handed out twice.
void *nvshmem_malloc(size_t bytes)
{
	static float *heap = on_device(1 << 20);
	static size_t used;
	char *memory = (char *)heap + used;

	used += bytes;
	return memory;
}

void nvshmem_free(void *memory)
{
}

void nvshmemx_flush(void)
{
}

// Jumps to a function that is served, too, as NVSHMEM's own functions do: who calls that one is
// then the caller of this one.
__attribute__((optimize("O2"))) void nvshmem_quiet(void)
{
	nvshmemx_flush();
}
