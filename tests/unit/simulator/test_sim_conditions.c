/* Conditional nodes that kernels steer: each decides at its turn, in every schedule. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/simulator/sim_fixture.h"

/* `put` sets a condition; `down` counts a word down and sets a condition to what is left; `up` adds
 * 1 to a word. */
static const char text[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
	".visible .entry put(.param .u64 handle, .param .u32 value) {\n"
	".reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd0, [handle]; ld.param.u32 %r0, "
	"[value];\n"
	"{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd0; st.param.b32 [b], %r0;\n"
	"call.uni cudaGraphSetConditional, (a, b); } ret; }\n"
	".visible .entry down(.param .u64 handle, .param .u64 word) {\n"
	".reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd0, [handle]; ld.param.u64 %rd1, "
	"[word];\n"
	"ld.global.u32 %r0, [%rd1]; sub.u32 %r0, %r0, 1; st.global.u32 [%rd1], %r0;\n"
	"{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd0; st.param.b32 [b], %r0;\n"
	"call.uni cudaGraphSetConditional, (a, b); } ret; }\n"
	".visible .entry up(.param .u64 word) { .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
	"ld.param.u64 %rd0, [word]; ld.global.u32 %r0, [%rd0]; add.u32 %r0, %r0, 1;\n"
	"st.global.u32 [%rd0], %r0; ret; }\n"
	".visible .entry look(.param .u64 handle, .param .u64 word) {\n"
	".reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd0, [handle]; ld.param.u64 %rd1, "
	"[word];\n"
	"ld.volatile.global.u32 %r0, [%rd1];\n"
	"{ .param .b64 a; .param .b32 b; st.param.b64 [a], %rd0; st.param.b32 [b], %r0;\n"
	"call.uni cudaGraphSetConditional, (a, b); } ret; }\n"
	".visible .entry strange() { frobnicate.b32; ret; }\n";

struct conditions {
	CUcontext context;
	CUstream stream, other;
	CUmodule module;
	CUdeviceptr words; /* 8 of them */
};

static int setup(void **state)
{
	static struct conditions c;

	if (sim_setup(NULL) || cuCtxGetCurrent(&c.context) ||
	    cuStreamCreate(&c.stream, CU_STREAM_NON_BLOCKING) ||
	    cuStreamCreate(&c.other, CU_STREAM_NON_BLOCKING) || cuModuleLoadData(&c.module, text) ||
	    cuMemAlloc(&c.words, 32))
		return -1;
	*state = &c;
	return 0;
}

static int teardown(void **state)
{
	struct conditions *c = *state;

	if (cuCtxSynchronize() || cuStreamDestroy(c->stream) || cuStreamDestroy(c->other) ||
	    cuMemFree(c->words) || cuModuleUnload(c->module))
		return -1;
	return sim_teardown(NULL);
}

EACH_TEST(setup, teardown)

static void set_words(const struct conditions *c, unsigned first, unsigned second)
{
	OK(cuMemsetD32Async(c->words, first, 1, c->stream));
	OK(cuMemsetD32Async(c->words + 4, second, 1, c->stream));
	OK(cuMemsetD32Async(c->words + 8, 0, 6, c->stream));
}

static unsigned word(const struct conditions *c, unsigned index)
{
	unsigned value;

	OK(cuMemcpyDtoHAsync(&value, c->words + 4 * index, 4, c->stream));
	OK(cuStreamSynchronize(c->stream));
	return value;
}

static CUgraphNode add_kernel(const struct conditions *c, CUgraph graph, CUgraphNode before,
			      const char *name, void **params)
{
	CUDA_KERNEL_NODE_PARAMS p = {.gridDimX = 1,
				     .gridDimY = 1,
				     .gridDimZ = 1,
				     .blockDimX = 1,
				     .blockDimY = 1,
				     .blockDimZ = 1,
				     .kernelParams = params};
	CUgraphNode node;

	OK(cuModuleGetFunction(&p.func, c->module, name));
	OK(cuGraphAddKernelNode(&node, graph, &before, before != NULL, &p));
	return node;
}

/* `up` of the word. */
static CUgraphNode add_up(const struct conditions *c, CUgraph graph, CUgraphNode before,
			  unsigned index)
{
	CUdeviceptr at = c->words + 4 * index;
	void *params[] = {&at};

	return add_kernel(c, graph, before, "up", params);
}

static CUgraphConditionalHandle new_handle(const struct conditions *c, CUgraph graph,
					   unsigned value)
{
	CUgraphConditionalHandle handle;

	OK(cuGraphConditionalHandleCreate(&handle, graph, c->context, value,
					  CU_GRAPH_COND_ASSIGN_DEFAULT));
	return handle;
}

static CUgraphNode add_condition(const struct conditions *c, CUgraph graph, CUgraphNode before,
				 CUgraphConditionalHandle handle, CUgraphConditionalNodeType type,
				 unsigned size, CUgraph **bodies)
{
	CUgraphNodeParams p = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
	CUgraphNode node;

	p.conditional.handle = handle;
	p.conditional.type = type;
	p.conditional.size = size;
	p.conditional.ctx = c->context;
	OK(cuGraphAddNode(&node, graph, &before, NULL, before != NULL, &p));
	*bodies = p.conditional.phGraph_out;
	return node;
}

static CUgraphExec instantiate(CUgraph graph)
{
	CUgraphExec exec;

	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphDestroy(graph));
	return exec;
}

/* A kernel sets the condition before the node: which body counts its word up? */
static unsigned choose(const struct conditions *c, CUgraphConditionalNodeType type, unsigned size,
		       unsigned value)
{
	CUgraphConditionalHandle handle;
	CUgraphNode set;
	CUgraphExec exec;
	CUgraph graph, *bodies;
	unsigned i, chosen = 0;
	void *params[] = {&handle, &value};

	OK(cuGraphCreate(&graph, 0));
	handle = new_handle(c, graph, value ? 0 : 1);
	set = add_kernel(c, graph, NULL, "put", params);
	add_condition(c, graph, set, handle, type, size, &bodies);
	for (i = 0; i < size; i++)
		add_up(c, bodies[i], NULL, i);
	exec = instantiate(graph);
	set_words(c, 0, 0);
	OK(cuGraphLaunch(exec, c->stream));
	for (i = 0; i < size; i++)
		chosen += word(c, i) * (i + 1);
	OK(cuGraphExecDestroy(exec));
	return chosen;
}

TEST(kernels_choose_the_body)
{
	const struct conditions *c = *state;

	assert_int_equal(choose(c, CU_GRAPH_COND_TYPE_IF, 1, 1), 1);
	assert_int_equal(choose(c, CU_GRAPH_COND_TYPE_IF, 1, 0), 0);
	assert_int_equal(choose(c, CU_GRAPH_COND_TYPE_IF, 2, 0), 2);
	assert_int_equal(choose(c, CU_GRAPH_COND_TYPE_SWITCH, 4, 3), 4);
	assert_int_equal(choose(c, CU_GRAPH_COND_TYPE_SWITCH, 4, 4), 0);
}

/* A loop that counts word 0 down, and word 1 up in each round; word 2 after the loop. */
static CUgraphExec new_loop(const struct conditions *c, unsigned initial)
{
	CUgraphConditionalHandle handle;
	CUgraph graph, *body;
	CUgraphNode loop, first;
	CUdeviceptr counter = c->words;
	void *params[] = {&handle, &counter};

	OK(cuGraphCreate(&graph, 0));
	handle = new_handle(c, graph, initial);
	loop = add_condition(c, graph, NULL, handle, CU_GRAPH_COND_TYPE_WHILE, 1, &body);
	first = add_up(c, body[0], NULL, 1);
	add_kernel(c, body[0], first, "down", params);
	add_up(c, graph, loop, 2);
	return instantiate(graph);
}

TEST(a_loop_runs_until_the_value_is_0)
{
	const struct conditions *c = *state;
	CUgraphExec exec = new_loop(c, 1);

	for (unsigned launch = 1; launch <= 3; launch++) { /* the default value comes back */
		set_words(c, 10 * launch, 0);
		OK(cuGraphLaunch(exec, c->stream));
		assert_int_equal(word(c, 1), 10 * launch);
		assert_int_equal(word(c, 0), 0);
		assert_int_equal(word(c, 2), 1);
	}
	OK(cuGraphExecDestroy(exec));
	exec = new_loop(c, 0);
	set_words(c, 10, 0);
	OK(cuGraphLaunch(exec, c->stream));
	assert_int_equal(word(c, 1), 0);
	assert_int_equal(word(c, 2), 1);
	OK(cuGraphExecDestroy(exec));
}

TEST(a_launch_in_flight_outlives_its_exec)
{
	const struct conditions *c = *state;
	CUgraphExec exec = new_loop(c, 1);
	struct gate gate;

	gate_close(&gate, c->stream);
	set_words(c, 5, 0);
	OK(cuGraphLaunch(exec, c->stream));
	OK(cuGraphExecDestroy(exec));
	gate_open(&gate);
	assert_int_equal(word(c, 1), 5);
}

/* In each round of a loop the inner condition is what the round before left. */
TEST(conditions_inside_of_a_body)
{
	const struct conditions *c = *state;
	CUgraphConditionalHandle outer, inner;
	CUgraph graph, *body, *choice;
	CUgraphExec exec;
	CUgraphNode branch, set;
	CUdeviceptr counter = c->words;
	void *down[] = {&outer, &counter}, *put[] = {&inner, &(unsigned){1}};

	OK(cuGraphCreate(&graph, 0));
	outer = new_handle(c, graph, 1);
	inner = new_handle(c, graph, 0);
	add_condition(c, graph, NULL, outer, CU_GRAPH_COND_TYPE_WHILE, 1, &body);
	branch = add_condition(c, body[0], NULL, inner, CU_GRAPH_COND_TYPE_IF, 2, &choice);
	add_up(c, choice[0], NULL, 1);
	add_up(c, choice[1], NULL, 2);
	set = add_kernel(c, body[0], branch, "put", put);
	add_kernel(c, body[0], set, "down", down);
	exec = instantiate(graph);
	for (unsigned launch = 0; launch < 2; launch++) {
		set_words(c, 4, 0);
		OK(cuGraphLaunch(exec, c->stream));
		assert_int_equal(word(c, 2), 1); /* the first round has the default value */
		assert_int_equal(word(c, 1), 3);
	}
	OK(cuGraphExecDestroy(exec));
}

/* A loop until a word is 0, which another stream sets: under `lazy` nobody demands that. */
TEST(a_loop_waits_for_another_stream)
{
	const struct conditions *c = *state;
	CUgraphConditionalHandle handle;
	CUgraph graph, *body;
	CUgraphExec exec;
	CUdeviceptr flag = c->words;
	void *params[] = {&handle, &flag};

	OK(cuGraphCreate(&graph, 0));
	handle = new_handle(c, graph, 1);
	add_condition(c, graph, NULL, handle, CU_GRAPH_COND_TYPE_WHILE, 1, &body);
	add_kernel(c, body[0], NULL, "look", params);
	exec = instantiate(graph);
	set_words(c, 1, 0);
	OK(cuStreamSynchronize(c->stream));
	OK(cuGraphLaunch(exec, c->stream));
	OK(cuMemsetD32Async(flag, 0, 1, c->other));
	OK(cuStreamSynchronize(c->stream));
	OK(cuGraphExecDestroy(exec));
}

TEST(an_update_brings_its_handle)
{
	const struct conditions *c = *state;
	CUgraphExecUpdateResultInfo info;
	CUgraphConditionalHandle handle;
	CUgraph graphs[2], *body;
	CUgraphExec exec;

	for (unsigned i = 0; i < 2; i++) {
		OK(cuGraphCreate(&graphs[i], 0));
		handle = new_handle(c, graphs[i], i);
		add_condition(c, graphs[i], NULL, handle, CU_GRAPH_COND_TYPE_IF, 1, &body);
		add_up(c, body[0], NULL, 1);
	}
	exec = instantiate(graphs[0]);
	set_words(c, 0, 0);
	OK(cuGraphLaunch(exec, c->stream));
	assert_int_equal(word(c, 1), 0);
	OK(cuGraphExecUpdate(exec, graphs[1], &info));
	OK(cuGraphDestroy(graphs[1]));
	OK(cuGraphLaunch(exec, c->stream));
	assert_int_equal(word(c, 1), 1);
	OK(cuGraphExecDestroy(exec));
}

/* Undefined for CUDA: nothing happens here. */
TEST(handles_that_are_none)
{
	const struct conditions *c = *state;
	CUgraphConditionalHandle dead, handles[6] = {0, 1, 8, (uint64_t)-1, (uintptr_t)c->stream};
	unsigned value = 7;
	CUfunction put;
	CUgraph graph;

	OK(cuGraphCreate(&graph, 0));
	dead = new_handle(c, graph, 0);
	OK(cuGraphDestroy(graph));
	handles[5] = dead;
	OK(cuModuleGetFunction(&put, c->module, "put"));
	for (unsigned i = 0; i < 6; i++) {
		void *params[] = {&handles[i], &value};

		OK(cuLaunchKernel(put, 1, 1, 1, 32, 1, 1, 0, c->stream, params, NULL));
	}
	OK(cuStreamSynchronize(c->stream));
}

/* Nothing might ever end a loop whose kernel does not run. */
TEST(a_loop_with_a_kernel_that_is_not_executed)
{
	const struct conditions *c = *state;
	CUgraph graph, *body;
	CUgraphExec exec;

	OK(cuGraphCreate(&graph, 0));
	add_condition(c, graph, NULL, new_handle(c, graph, 1), CU_GRAPH_COND_TYPE_WHILE, 1, &body);
	add_up(c, body[0], NULL, 1);
	add_kernel(c, body[0], NULL, "strange", NULL);
	exec = instantiate(graph);
	set_words(c, 0, 0);
	OK(cuGraphLaunch(exec, c->stream));
	assert_int_equal(word(c, 1), 1);
	OK(cuGraphExecDestroy(exec));
}

static CUgraphExec new_endless(const struct conditions *c, bool is_empty)
{
	CUgraph graph, *body;

	OK(cuGraphCreate(&graph, 0));
	add_condition(c, graph, NULL, new_handle(c, graph, 1), CU_GRAPH_COND_TYPE_WHILE, 1, &body);
	if (!is_empty)
		add_up(c, body[0], NULL, 1);
	return instantiate(graph);
}

/* The last test: the loops go on until the process ends, which they do not keep from ending. */
TEST_WITH(loops_without_an_end, setup, NULL)
{
	const struct conditions *c = *state;
	CUstream streams[2], free_stream;

	OK(cuStreamCreate(&free_stream, CU_STREAM_NON_BLOCKING));
	for (unsigned i = 0; i < 2; i++) {
		OK(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
		OK(cuGraphLaunch(new_endless(c, i), streams[i]));
	}
	for (unsigned i = 0; i < 20; i++) {
		unsigned value = 0;

		OK(cuMemsetD32Async(c->words + 16, i, 1, free_stream));
		OK(cuMemcpyDtoHAsync(&value, c->words + 16, 4, free_stream));
		OK(cuStreamSynchronize(free_stream));
		assert_int_equal(value, i);
		usleep(1000);
	}
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(streams[0]));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(streams[1]));
}
