/* Managed memory and boxes in batches in the simulated driver (rules M-6, M-8, section 4.6). */
#include "tests/unit/simulator/sim_fixture.h"

#define BYTES ((size_t)16384)

struct managed {
	CUstream stream;
	CUdeviceptr memory;
	CUdeviceptr device;
};

static int setup(void **state)
{
	static struct managed m;

	if (sim_setup(NULL) || cuStreamCreate(&m.stream, CU_STREAM_NON_BLOCKING) ||
	    cuMemAllocManaged(&m.memory, BYTES, CU_MEM_ATTACH_GLOBAL) ||
	    cuMemAlloc(&m.device, BYTES) || cuMemsetD8(m.device, 0, BYTES) || cuCtxSynchronize())
		return -1;
	*state = &m;
	return 0;
}

static int teardown(void **state)
{
	struct managed *m = *state;

	if (cuCtxSynchronize() || cuStreamDestroy(m->stream) || cuMemFree(m->memory) ||
	    cuMemFree(m->device))
		return -1;
	return sim_teardown(NULL);
}

static int attribute(CUdeviceptr address, size_t size, CUmem_range_attribute attribute)
{
	int value = 99;

	OK(cuMemRangeGetAttribute(&value, sizeof(value), attribute, address, size));
	return value;
}

EACH_TEST(setup, teardown)

TEST(advice_is_kept_by_range)
{
	struct managed *m = *state;
	CUmemLocation device = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1},
		      host = {.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};
	int list[3];

	OK(cuMemAdvise(m->memory, BYTES / 2, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
	assert_int_equal(attribute(m->memory, BYTES / 2, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 1);
	assert_int_equal(attribute(m->memory, BYTES, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
	OK(cuMemAdvise(m->memory, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
	assert_int_equal(attribute(m->memory, BYTES, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), 1);
	OK(cuMemAdvise(m->memory, 1, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
	assert_int_equal(attribute(m->memory, BYTES, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION),
			 CU_DEVICE_INVALID);
	assert_int_equal(attribute(m->memory, 1, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE),
			 CU_MEM_LOCATION_TYPE_HOST);
	OK(cuMemAdvise(m->memory, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, device));
	OK(cuMemAdvise(m->memory, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, host));
	OK(cuMemRangeGetAttribute(list, sizeof(list), CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, m->memory,
				  BYTES));
	assert_int_equal(list[0], 1);
	assert_int_equal(list[1], CU_DEVICE_CPU);
	assert_int_equal(list[2], CU_DEVICE_INVALID);
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuMemAdvise(m->device, 1, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
	device.id = 77;
	FAILS(CUDA_ERROR_INVALID_DEVICE,
	      cuMemAdvise(m->memory, 1, CU_MEM_ADVISE_SET_ACCESSED_BY, device));
}

TEST(prefetch_batch)
{
	struct managed *m = *state;
	CUdeviceptr addresses[] = {m->memory, m->memory + BYTES / 2};
	size_t sizes[] = {BYTES / 2, BYTES / 2}, indexes[] = {0, 1};
	CUmemLocation places[] = {{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
				  {.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0}};

	OK(cuMemPrefetchBatchAsync(addresses, sizes, 2, places, indexes, 2, 0, m->stream));
	assert_int_equal(
		attribute(m->memory, BYTES / 2, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 0);
	assert_int_equal(
		attribute(addresses[1], BYTES / 2, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION),
		CU_DEVICE_CPU);
	indexes[0] = 1;
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuMemPrefetchBatchAsync(addresses, sizes, 2, places, indexes, 2, 0, m->stream));
	indexes[0] = 0;
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuMemPrefetchBatchAsync(addresses, sizes, 2, places, indexes, 2, 0, NULL));
	addresses[1] = m->device;
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuMemPrefetchBatchAsync(addresses, sizes, 2, places, indexes, 2, 0, m->stream));
}

/* A discard is an op of its stream that leaves nothing of the data (M-8). */
TEST(discard)
{
	struct managed *m = *state;
	unsigned char *bytes = (unsigned char *)m->memory;
	size_t size = BYTES / 2;

	memset(bytes, 1, BYTES);
	OK(cuMemDiscardBatchAsync(&m->memory, &size, 1, 0, m->stream));
	OK(cuStreamSynchronize(m->stream));
	assert_int_not_equal(bytes[0], 1);
	assert_int_not_equal(bytes[size - 1], 1);
	assert_int_equal(bytes[size], 1);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemDiscardBatchAsync(&m->device, &size, 1, 0, m->stream));
}

static CUmemcpy3DOperand box_at(CUdeviceptr address, size_t row)
{
	CUmemcpy3DOperand operand = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER};

	operand.op.ptr.ptr = address;
	operand.op.ptr.rowLength = row;
	return operand;
}

/* Boxes of bytes, and of the elements of an array. */
TEST(boxes)
{
	CUDA_ARRAY_DESCRIPTOR shape = {4, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1};
	CUDA_MEMCPY3D_BATCH_OP ops[2] = {{.extent = {4, 2, 1}}, {.extent = {2, 2, 1}}};
	struct managed *m = *state;
	unsigned char all[64];
	uint32_t words[4] = {1, 2, 3, 4}, back[4] = {0};
	CUarray array;

	OK(cuArrayCreate(&array, &shape));
	ops[0].src = box_at((CUdeviceptr)words, 4);
	ops[0].dst = box_at(m->device + 8, 16);
	ops[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
	ops[1].src = box_at((CUdeviceptr)words, 2);
	ops[1].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
	ops[1].dst.op.array.array = array;
	ops[1].dst.op.array.offset = (CUoffset3D){1, 2, 0};
	ops[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
	OK(cuMemcpy3DBatchAsync(2, ops, 0, m->stream));
	OK(cuStreamSynchronize(m->stream));
	OK(cuMemcpyDtoH(all, m->device, sizeof(all)));
	assert_int_equal(all[8], 1);
	assert_int_equal(all[12], 0);
	assert_int_equal(all[24], 2);
	ops[1].src = ops[1].dst;
	ops[1].dst = box_at((CUdeviceptr)back, 2);
	ops[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
	OK(cuMemcpy3DBatchAsync(1, &ops[1], 0, m->stream));
	OK(cuStreamSynchronize(m->stream));
	assert_memory_equal(back, words, sizeof(words));
	ops[1].extent.depth = 0;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync(2, ops, 0, m->stream));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync(1, ops, 0, NULL));
	OK(cuArrayDestroy(array));
}
