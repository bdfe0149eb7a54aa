// A kernel writes the elements of a table that a list names: many thousand pieces of memory at no
// equal distances. A kernel of another stream writes elements between them, and one of the same, or
// none of the same (-DFIXED).
// expect: SC-105 at=write proven order=no_event when=executed
// expect: SC-209 at=write possible doubt=footprint when=unexecuted
// expect[FIXED]: SC-209 at=write possible doubt=footprint when=unexecuted
#include "testcases/compute.h"

#define NONE (~0U)

/* Half of the numbers below the table's length, in an order of their own. */
__global__ void choose(unsigned *index, unsigned mask)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, hash = i * 2654435761U;

	hash = (hash ^ hash >> 13) * 1540483477U;
	index[i] = (hash ^ hash >> 15) & mask;
}

/* One element of each pair. */
__global__ void scatter(float *table, const unsigned *index, unsigned which, unsigned stranger)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	table[2 * index[i] + (i == stranger ? !which : which)] = 3;
}

int main()
{
#ifdef FIXED
	const unsigned stranger = NONE;
#else
	const unsigned stranger = 77;
#endif
	const unsigned N = 1 << 16, THREADS = 256;
	float *table = device_zeros<float>(4 * N);
	unsigned *index = device_array<unsigned>(N);
	cudaStream_t stream, other;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamCreate(&other));
	choose<<<N / THREADS, THREADS>>>(index, 2 * N - 1);
	CHECK(cudaDeviceSynchronize());
	scatter<<<N / THREADS, THREADS, 0, stream>>>(table, index, 0, NONE);
	scatter<<<N / THREADS, THREADS, 0, other>>>(table, index, 1, stranger); // @write
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaStreamDestroy(other));
	free_device(table, index);
	return 0;
}
