/* Writing values and waiting for them in streams of the simulated driver (rules W-1 to W-3). */
#include "tests/unit/simulator/sim_fixture.h"

#define BYTES 64

struct memops {
	CUstream stream;
	CUstream other;
	CUdeviceptr flag;
	unsigned char *host;
	CUdeviceptr mapped;
};

static int setup(void **state)
{
	static struct memops m;

	if (sim_setup(NULL) || cuStreamCreate(&m.stream, CU_STREAM_NON_BLOCKING) ||
	    cuStreamCreate(&m.other, CU_STREAM_NON_BLOCKING) || cuMemAlloc(&m.flag, BYTES) ||
	    cuMemAllocHost((void **)&m.host, BYTES) ||
	    cuMemHostGetDevicePointer(&m.mapped, m.host, 0) || cuMemsetD8(m.flag, 0, BYTES) ||
	    cuCtxSynchronize())
		return -1;
	memset(m.host, 0, BYTES);
	*state = &m;
	return 0;
}

static int teardown(void **state)
{
	struct memops *m = *state;

	if (cuCtxSynchronize() || cuStreamDestroy(m->stream) || cuStreamDestroy(m->other) ||
	    cuMemFree(m->flag) || cuMemFreeHost(m->host))
		return -1;
	return sim_teardown(NULL);
}

static uint32_t read_word(struct memops *m, size_t offset)
{
	uint32_t word;

	OK(cuMemcpyDtoH(&word, m->flag + offset, sizeof(word)));
	return word;
}

EACH_TEST(setup, teardown)

TEST(values_are_written_in_order)
{
	struct memops *m = *state;
	uint64_t wide;

	OK(cuMemsetD32Async(m->flag, 1, 2, m->stream));
	OK(cuStreamWriteValue32(m->stream, m->flag, 7, 0));
	OK(cuStreamWriteValue64(m->stream, m->flag + 8, UINT64_C(1) << 40, 0));
	OK(cuStreamSynchronize(m->stream));
	assert_int_equal(read_word(m, 0), 7);
	assert_int_equal(read_word(m, 4), 1);
	OK(cuMemcpyDtoH(&wide, m->flag + 8, sizeof(wide)));
	assert_true(wide == UINT64_C(1) << 40);
}

/* The host may watch mapped memory without any call of CUDA, under every schedule. */
TEST(host_sees_a_written_value)
{
	struct memops *m = *state;
	volatile uint32_t *word = (volatile uint32_t *)(void *)m->host;

	OK(cuStreamWriteValue32(m->stream, m->mapped, 5, 0));
	while (*word != 5)
		;
}

TEST(wait_holds_its_stream)
{
	struct memops *m = *state;
	int i;

	OK(cuStreamWaitValue32(m->stream, m->mapped, 1, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuMemsetD32Async(m->flag, 9, 1, m->stream));
	for (i = 0; i < 8; i++)
		FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(m->stream));
	OK(cuMemsetD32Async(m->flag + 4, 3, 1, m->other)); /* other streams go on */
	OK(cuStreamSynchronize(m->other));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(m->stream));
	*(volatile uint32_t *)(void *)m->host = 1;
	OK(cuStreamSynchronize(m->stream));
	assert_int_equal(read_word(m, 0), 9);
}

/* W-2: the write that ends the wait may be in any stream, after work that nothing else waits for.
 */
TEST(wait_for_a_write_of_another_stream)
{
	struct memops *m = *state;

	OK(cuStreamWaitValue32(m->stream, m->flag, 4, CU_STREAM_WAIT_VALUE_GEQ));
	OK(cuMemcpyDtoDAsync(m->flag + 16, m->flag + 8, 4, m->stream));
	OK(cuMemsetD32Async(m->flag + 8, 77, 1, m->other));
	OK(cuStreamWriteValue32(m->other, m->flag, 4, 0));
	OK(cuStreamSynchronize(m->stream));
	assert_int_equal(read_word(m, 16), 77);
}

TEST(wait_for_a_copy_of_another_stream)
{
	struct memops *m = *state;

	OK(cuStreamWaitValue32(m->stream, m->flag, 0x01010101, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuMemsetD8Async(m->flag, 1, 4, m->other));
	OK(cuStreamSynchronize(m->stream));
	assert_int_equal(read_word(m, 0), 0x01010101);
}

struct condition {
	uint32_t found;
	uint32_t value;
	unsigned int flags;
	bool holds;
};

static void check_condition(struct memops *m, const struct condition *c)
{
	volatile uint32_t *word = (volatile uint32_t *)(void *)m->host;
	int i;

	*word = c->found;
	OK(cuStreamWaitValue32(m->stream, m->mapped, c->value, c->flags));
	if (!c->holds) {
		for (i = 0; i < 4; i++)
			FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(m->stream));
		*word = c->value;
	}
	OK(cuStreamSynchronize(m->stream));
}

TEST(conditions)
{
	static const struct condition conditions[] = {
		{5, 5, CU_STREAM_WAIT_VALUE_GEQ, true},
		{4, 5, CU_STREAM_WAIT_VALUE_GEQ, false},
		{3, 0xfffffff0u, CU_STREAM_WAIT_VALUE_GEQ, true}, /* cyclic */
		{0xfffffff0u, 3, CU_STREAM_WAIT_VALUE_GEQ, false},
		{6, 5, CU_STREAM_WAIT_VALUE_EQ, false},
		{6, 2, CU_STREAM_WAIT_VALUE_AND, true},
		{4, 2, CU_STREAM_WAIT_VALUE_AND, false},
		{0xf0u, 0xfu, CU_STREAM_WAIT_VALUE_NOR, true},
		{0xfffffff0u, 0xfu, CU_STREAM_WAIT_VALUE_NOR, false},
	};
	size_t i;

	for (i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		check_condition(*state, &conditions[i]);
}

TEST(registered_memory)
{
	static _Alignas(64) uint64_t words[2];
	struct memops *m = *state;
	CUdeviceptr address;

	OK(cuMemHostRegister(words, sizeof(words), 0));
	OK(cuMemHostGetDevicePointer(&address, words, 0));
	OK(cuStreamWriteValue64(m->other, address + 8, UINT64_MAX, 0));
	OK(cuStreamWaitValue64(m->stream, address + 8, UINT64_MAX, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuStreamSynchronize(m->stream));
	OK(cuStreamSynchronize(m->other));
	assert_true(words[1] == UINT64_MAX);
	OK(cuMemHostUnregister(words));
}

static CUstreamBatchMemOpParams write_of(CUdeviceptr address, uint32_t value)
{
	return (CUstreamBatchMemOpParams){
		.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32,
			       .address = address,
			       .value = value}};
}

static CUstreamBatchMemOpParams wait_for(CUdeviceptr address, uint32_t value)
{
	return (CUstreamBatchMemOpParams){.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
							.address = address,
							.value = value,
							.flags = CU_STREAM_WAIT_VALUE_EQ}};
}

/* W-3: in the order of the array. */
TEST(batch_is_ordered)
{
	struct memops *m = *state;
	CUstreamBatchMemOpParams batch[] = {
		write_of(m->flag, 1),
		wait_for(m->flag, 1),
		write_of(m->flag, 2),
		{.memoryBarrier = {CU_STREAM_MEM_OP_BARRIER, CU_STREAM_MEMORY_BARRIER_TYPE_GPU}},
		wait_for(m->flag, 2),
		write_of(m->flag, 3)};

	OK(cuStreamBatchMemOp(m->stream, 6, batch, 0));
	OK(cuStreamSynchronize(m->stream));
	assert_int_equal(read_word(m, 0), 3);
}

TEST(errors)
{
	struct memops *m = *state;
	CUstreamBatchMemOpParams batch[2] = {write_of(m->flag, 1), write_of(m->flag + 1, 1)};
	CUdeviceptr managed;
	uint32_t local = 0;

	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(m->stream, m->flag + 2, 1, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64(m->stream, m->flag + 4, 1, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuStreamWriteValue32(m->stream, (CUdeviceptr)(uintptr_t)&local, 1, 0));
	OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(m->stream, managed, 1, 0));
	OK(cuMemFree(managed));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(m->stream, m->flag, 1, 4));
	FAILS(CUDA_ERROR_NOT_SUPPORTED,
	      cuStreamWaitValue32(m->stream, m->flag, 0, CU_STREAM_WAIT_VALUE_FLUSH));
	FAILS(CUDA_ERROR_INVALID_VALUE, /* of the older form only */
	      cuStreamWriteValue32(m->stream, m->flag, 1, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(m->stream, 0, batch, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(m->stream, 256, batch, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(m->stream, 1, batch, 1));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(m->stream, 2, batch, 0));
	OK(cuStreamSynchronize(m->stream));
	assert_int_equal(read_word(m, 0), 0); /* a failed batch enqueues nothing */
}

static void launch_once(struct memops *m, CUgraph graph)
{
	CUgraphExec exec;

	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, m->stream));
	OK(cuStreamSynchronize(m->stream));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

TEST(batch_node)
{
	struct memops *m = *state;
	CUstreamBatchMemOpParams batch[] = {write_of(m->flag, 1), write_of(m->flag, 2)};
	CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.count = 2, .paramArray = batch}, found;
	CUgraphNode first, second;
	CUgraph graph;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddBatchMemOpNode(&first, graph, NULL, 0, &params));
	batch[0] = wait_for(m->flag, 2);
	batch[1] = write_of(m->flag + 4, 8);
	OK(cuGraphAddBatchMemOpNode(&second, graph, &first, 1, &params));
	OK(cuGraphBatchMemOpNodeGetParams(first, &found));
	assert_int_equal(found.count, 2);
	assert_int_equal(found.paramArray[1].writeValue.value, 2);
	launch_once(m, graph);
	assert_int_equal(read_word(m, 0), 2);
	assert_int_equal(read_word(m, 4), 8);
}

TEST(capture)
{
	struct memops *m = *state;
	CUgraphNodeType type;
	CUgraphNode node;
	size_t count = 1;
	CUgraph graph;

	OK(cuStreamBeginCapture(m->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuStreamWriteValue32(m->stream, m->flag, 6, 0));
	OK(cuStreamEndCapture(m->stream, &graph));
	OK(cuGraphGetNodes(graph, &node, &count));
	OK(cuGraphNodeGetType(node, &type));
	assert_int_equal(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
	assert_int_equal(read_word(m, 0), 0);
	launch_once(m, graph);
	assert_int_equal(read_word(m, 0), 6);
}
