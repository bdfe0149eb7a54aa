// Physical memory that two ranks have mapped by a handle of the type FABRIC, which another node
// could open, too: so nothing is proven by the clock. The second half is used by one rank alone.
// expect: SC-175 at=fill possible doubt=other_node
// expect: SC-175 at=read possible doubt=other_node
// expect[FIXED]: clean
#include <cuda.h>

#include "testcases/ranks/shared.h"

// A function of the driver, which the program is not linked with.
#define DRIVER(name, ...)                                                                          \
	do {                                                                                       \
		enum cudaDriverEntryPointQueryResult found;                                        \
		void *function = NULL;                                                             \
                                                                                                   \
		CHECK(cudaGetDriverEntryPointByVersion(#name, &function, 12030, cudaEnableDefault, \
						       &found));                                   \
		if (((__typeof__(&(name)))function)(__VA_ARGS__) != CUDA_SUCCESS) {                \
			fprintf(stderr, "%s failed\n", #name);                                     \
			give_up(1);                                                                \
		}                                                                                  \
	} while (0)

#define SIZE ((size_t)2 << 20)

int main(int argc, char **argv)
{
	CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
				    .requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC,
				    .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
	CUmemAccessDesc access = {.location.type = CU_MEM_LOCATION_TYPE_DEVICE,
				  .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	struct ranks r = begin(&argc, &argv);
	float *data, *copy = on_device(BYTES);
	CUmemGenericAllocationHandle memory = 0;
	cudaStream_t s = stream();
	CUmemFabricHandle handle;
	CUdeviceptr address = 0;

	if (r.rank == 0) {
		DRIVER(cuMemCreate, &memory, SIZE, &prop, 0);
		DRIVER(cuMemExportToShareableHandle, &handle, memory, CU_MEM_HANDLE_TYPE_FABRIC, 0);
	}
	MPI_Bcast(&handle, sizeof(handle), MPI_BYTE, 0, MPI_COMM_WORLD);
	if (r.rank == 1)
		DRIVER(cuMemImportFromShareableHandle, &memory, &handle, CU_MEM_HANDLE_TYPE_FABRIC);
	DRIVER(cuMemAddressReserve, &address, SIZE, 0, 0, 0);
	DRIVER(cuMemMap, address, SIZE, 0, memory, 0);
	DRIVER(cuMemSetAccess, address, SIZE, &access, 1);
	data = (float *)address;
	if (r.rank == 0) {
		PUT(s, data, COUNT / 2, 3); // @fill
#ifdef FIXED
		CHECK(cudaStreamSynchronize(s));
#endif
		tell(1);
		PUT(s, data + COUNT / 2, COUNT / 2, 4);
	} else {
		hear_from(0);
		CHECK(cudaMemcpyAsync(copy, data, BYTES / 2, cudaMemcpyDeviceToDevice, s)); // @read
	}
	MPI_Barrier(MPI_COMM_WORLD);
	on_device(sizeof(float));
	MPI_Barrier(MPI_COMM_WORLD);
	return end();
}
