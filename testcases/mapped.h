// Memory that is made and mapped by hand.
#ifndef SC_TESTCASES_MAPPED_H
#define SC_TESTCASES_MAPPED_H

#include "testcases/driver.h"

static inline CUmemAllocationProp of_device(int device)
{
	CUmemAllocationProp prop = {};

	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	prop.location.id = device;
	return prop;
}

// The smallest piece of memory of a device that can be mapped.
static inline size_t mapped_bytes(int device)
{
	CUmemAllocationProp prop = of_device(device);
	size_t bytes = 0;

	DRIVER_CHECK(DRIVER(cuMemGetAllocationGranularity)(&bytes, &prop,
							   CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	return bytes;
}

static inline CUmemGenericAllocationHandle make_memory(size_t bytes, int device)
{
	CUmemAllocationProp prop = of_device(device);
	CUmemGenericAllocationHandle memory;

	DRIVER_CHECK(DRIVER(cuMemCreate)(&memory, bytes, &prop, 0));
	return memory;
}

// Maps the memory at a new address, which may not be used yet.
static inline CUdeviceptr map_memory(CUmemGenericAllocationHandle memory, size_t bytes)
{
	CUdeviceptr at = 0;

	DRIVER_CHECK(DRIVER(cuMemAddressReserve)(&at, bytes, 0, 0, 0));
	DRIVER_CHECK(DRIVER(cuMemMap)(at, bytes, 0, memory, 0));
	return at;
}

static inline void give_access(CUdeviceptr at, size_t bytes, int device)
{
	CUmemAccessDesc right = {};

	right.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	right.location.id = device;
	right.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	DRIVER_CHECK(DRIVER(cuMemSetAccess)(at, bytes, &right, 1));
}

static inline void unmap_memory(CUdeviceptr at, size_t bytes)
{
	DRIVER_CHECK(DRIVER(cuMemUnmap)(at, bytes));
	DRIVER_CHECK(DRIVER(cuMemAddressFree)(at, bytes));
}

#endif
