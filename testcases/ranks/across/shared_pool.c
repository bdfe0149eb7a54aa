// Memory of a pool, whose handle another node could open, too: so nothing is proven by the clock.
// Rank 0 fills it and sends a message, and its kernel may run when that arrives.
// expect: SC-175 at=fill possible doubt=other_node
// expect: SC-175 at=read possible doubt=other_node
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
					 .handleTypes = cudaMemHandleTypeFabric,
					 .location.type = cudaMemLocationTypeDevice};
	struct ranks r = begin(&argc, &argv);
	float *data = NULL, *copy = on_device(BYTES);
	struct cudaMemPoolPtrExportData pointer;
	cudaStream_t s = stream();
	unsigned char handle[64];
	cudaMemPool_t pool;

	if (r.rank == 0) {
		CHECK(cudaMemPoolCreate(&pool, &props));
		CHECK(cudaMallocFromPoolAsync((void **)&data, BYTES, pool, s));
		CHECK(cudaStreamSynchronize(s));
		CHECK(cudaMemPoolExportToShareableHandle(handle, pool, cudaMemHandleTypeFabric, 0));
		CHECK(cudaMemPoolExportPointer(&pointer, data));
	}
	MPI_Bcast(handle, sizeof(handle), MPI_BYTE, 0, MPI_COMM_WORLD);
	MPI_Bcast(&pointer, sizeof(pointer), MPI_BYTE, 0, MPI_COMM_WORLD);
	if (r.rank == 1) {
		CHECK(cudaMemPoolImportFromShareableHandle(&pool, handle, cudaMemHandleTypeFabric,
							   0));
		CHECK(cudaMemPoolImportPointer((void **)&data, pool, &pointer));
	}
	if (r.rank == 0) {
		PUT(s, data, COUNT, 3); // @fill
#ifdef FIXED
		CHECK(cudaStreamSynchronize(s));
#endif
		tell(1);
	} else {
		hear_from(0);
		CHECK(cudaMemcpyAsync(copy, data, BYTES, cudaMemcpyDeviceToDevice, s)); // @read
	}
	MPI_Barrier(MPI_COMM_WORLD);
	on_device(sizeof(float));
	MPI_Barrier(MPI_COMM_WORLD);
	return end();
}
