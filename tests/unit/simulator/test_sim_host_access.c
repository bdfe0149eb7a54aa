/* STREAMCHECK_SIM_HOST_ACCESS: device memory that the host may touch, of every kind. */
#define UNIT_OWN_MAIN
#include <stdio.h>

#include "tests/unit/simulator/sim_fixture.h"

#define BYTES 8192

static bool is_open(void)
{
	const char *text = getenv("STREAMCHECK_SIM_HOST_ACCESS");

	return text && strcmp(text, "1") == 0;
}

/* What the host writes the device copies, and the other way round. */
static void check_both_ways(CUdeviceptr memory, size_t bytes)
{
	volatile unsigned char *seen = (volatile unsigned char *)(uintptr_t)memory;
	unsigned char copy = 0;

	OK(cuMemsetD8(memory, 5, bytes));
	OK(cuCtxSynchronize());
	assert_int_equal(seen[0], 5);
	assert_int_equal(seen[bytes - 1], 5);
	seen[bytes - 1] = 9;
	OK(cuMemcpyDtoH(&copy, memory + bytes - 1, 1));
	assert_int_equal(copy, 9);
}

static void test_allocations(void **state)
{
	CUdeviceptr memory[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		OK(cuMemAlloc(&memory[i], BYTES / 2 + i));
	for (unsigned i = 0; i < 3; i++)
		check_both_ways(memory[i], BYTES / 2 + i);
	OK(cuMemFree(memory[1]));
	OK(cuMemAlloc(&memory[1], 100));
	assert_int_equal(*(volatile unsigned char *)(uintptr_t)memory[1], 0);
	check_both_ways(memory[0], BYTES / 2);
	for (unsigned i = 0; i < 3; i++)
		OK(cuMemFree(memory[i]));
}

static void test_memory_of_pools(void **state)
{
	CUdeviceptr memory;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		OK(cuMemAllocAsync(&memory, BYTES, NULL));
		OK(cuStreamSynchronize(NULL));
		check_both_ways(memory, BYTES);
		OK(cuMemFreeAsync(memory, NULL));
	}
}

static void test_mapped_physical_memory(void **state)
{
	CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
				    .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
	CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
				  .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr at;
	size_t size;

	(void)state;
	OK(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	OK(cuMemAddressReserve(&at, size, 0, 0, 0));
	OK(cuMemCreate(&handle, size, &prop, 0));
	for (unsigned i = 0; i < 2; i++) {
		OK(cuMemMap(at, size, 0, handle, 0));
		OK(cuMemSetAccess(at, size, &access, 1));
		if (i) /* it is the same memory */
			assert_int_equal(((volatile unsigned char *)(uintptr_t)at)[size - 1], 9);
		check_both_ways(at, size);
		OK(cuMemUnmap(at, size));
	}
	OK(cuMemRelease(handle));
	OK(cuMemAddressFree(at, size));
}

static void test_memory_of_graphs(void **state)
{
	CUDA_MEM_ALLOC_NODE_PARAMS params = {
		.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}},
		.bytesize = BYTES};
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph;

	(void)state;
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
	OK(cuGraphInstantiate(&exec, graph, 0));
	for (unsigned i = 0; i < 2; i++) {
		OK(cuGraphLaunch(exec, NULL));
		OK(cuStreamSynchronize(NULL));
		check_both_ways(params.dptr, BYTES);
		OK(cuMemFree(params.dptr));
	}
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

static void test_shared_memory(void **state)
{
	CUipcMemHandle handle;
	CUdeviceptr memory;

	(void)state;
	OK(cuMemAlloc(&memory, BYTES));
	OK(cuIpcGetMemHandle(&handle, memory));
	check_both_ways(memory, BYTES);
	OK(cuMemFree(memory));
	OK(cuMemAlloc(&memory, BYTES));
	check_both_ways(memory, BYTES);
	OK(cuMemFree(memory));
}

/* A value that is not understood is no "0". */
static void test_a_wrong_value_is_refused(void **state)
{
	(void)state;
	assert_int_not_equal(cuInit(0), CUDA_SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_allocations, sim_setup, sim_teardown),
		cmocka_unit_test_setup_teardown(test_memory_of_pools, sim_setup, sim_teardown),
		cmocka_unit_test_setup_teardown(test_mapped_physical_memory, sim_setup,
						sim_teardown),
		cmocka_unit_test_setup_teardown(test_memory_of_graphs, sim_setup, sim_teardown),
		cmocka_unit_test_setup_teardown(test_shared_memory, sim_setup, sim_teardown),
	};
	const struct CMUnitTest wrong[] = {cmocka_unit_test(test_a_wrong_value_is_refused)};

	return is_open() ? cmocka_run_group_tests(tests, NULL, NULL)
			 : cmocka_run_group_tests(wrong, NULL, NULL);
}
