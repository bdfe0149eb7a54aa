/* A tool that changes kernels: what it is told and when, what its kernels read, whom it replaces.
 */
#define UNIT_OWN_MAIN
#include "simulator/driver/tool/instrument.h"
#include "tests/unit/simulator/sim_fixture.h"

#include <cupti_result.h>

int simulated_cuptiSubscribe(void **subscriber, void (*callback)(void), void *data);

#define EVENTS 64

/* Writes the number of its grid, and the tool's word, where it is told. */
static const char PTX[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
			  ".visible .entry note(.param .u64 to)\n{\n"
			  "\t.reg .b64 %rd<4>; .reg .b32 %r<3>;\n"
			  "\tld.param.u64 %rd1, [to];\n"
			  "\tmov.u64 %rd2, %gridid;\n"
			  "\tmov.u32 %r1, %envreg30;\n\tmov.u32 %r2, %envreg31;\n"
			  "\tmov.b64 %rd3, {%r1, %r2};\n"
			  "\tst.global.v2.u64 [%rd1], {%rd2, %rd3};\n\tret;\n}\n";

static const char OTHER[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
			    ".visible .entry note(.param .u64 to)\n{\n"
			    "\t.reg .b64 %rd<2>;\n\tld.param.u64 %rd1, [to];\n"
			    "\tst.global.u64 [%rd1], 77;\n\tret;\n}\n";

enum kind { CONTEXT, CONTEXT_END, MODULE, MODULE_END, LAUNCH, NODE };

struct event {
	enum kind kind;
	const void *what; /* the context, the module, the function, the node */
	uint64_t number;
};

static struct {
	struct event event[EVENTS];
	unsigned count;
	uint64_t next_word;
	bool makes_calls;
	CUdeviceptr scratch;
} told;

struct noted {
	uint64_t grid, word;
};

static void add(enum kind kind, const void *what, uint64_t number)
{
	if (told.count < EVENTS)
		told.event[told.count++] = (struct event){kind, what, number};
}

static void on_context(CUcontext context, bool is_new)
{
	CUcontext popped;

	add(is_new ? CONTEXT : CONTEXT_END, context, 0);
	OK(cuCtxPushCurrent(context)); /* it is alive, and calls are allowed */
	OK(cuCtxPopCurrent(&popped));
}

static void on_module(CUcontext context, CUmodule module, const char *names, size_t bytes,
		      bool is_new)
{
	static const char section[] = ".text.note";
	CUfunction function;

	(void)context;
	add(is_new ? MODULE : MODULE_END, module, 0);
	assert_int_equal(bytes, sizeof(section));
	assert_memory_equal(names, section, sizeof(section));
	OK(cuModuleGetFunction(&function, module, "note")); /* it is alive */
}

static void on_launch(const struct simulated_launch *launch)
{
	void *params[] = {&told.scratch};

	assert_string_equal(launch->name, "note");
	add(LAUNCH, launch->function, launch->number);
	*launch->word = told.next_word++;
	if (!told.makes_calls)
		return;
	OK(cuMemsetD8Async(told.scratch, 0xFF, sizeof(struct noted), launch->stream));
	OK(cuLaunchKernel(launch->function, 1, 1, 1, 1, 1, 1, 0, launch->stream, params, NULL));
}

static void on_node(const struct simulated_node *node)
{
	add(NODE, node->node, node->launch.number);
	if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
		*node->launch.word = told.next_word++;
}

static const struct simulated_tool tool = {on_context, on_module, on_launch, on_node};

/* ---- a module and its kernel ---- */

struct loaded {
	CUmodule module;
	CUfunction note;
	CUdeviceptr memory;
	CUstream stream;
};

static int load(void **state)
{
	static struct loaded l;

	told.count = 0;
	told.makes_calls = false;
	OK(cuMemAlloc(&l.memory, 4096));
	OK(cuStreamCreate(&l.stream, CU_STREAM_NON_BLOCKING));
	OK(cuModuleLoadData(&l.module, PTX));
	OK(cuModuleGetFunction(&l.note, l.module, "note"));
	*state = &l;
	return 0;
}

static int unload(void **state)
{
	struct loaded *l = *state;

	OK(cuStreamSynchronize(l->stream));
	OK(cuStreamDestroy(l->stream));
	OK(cuModuleUnload(l->module));
	OK(cuMemFree(l->memory));
	return 0;
}

static void launch(const struct loaded *l, unsigned place)
{
	CUdeviceptr to = l->memory + place * sizeof(struct noted);
	void *params[] = {&to};

	OK(cuLaunchKernel(l->note, 1, 1, 1, 1, 1, 1, 0, l->stream, params, NULL));
}

static struct noted noted_at(const struct loaded *l, unsigned place)
{
	struct noted noted;

	OK(cuStreamSynchronize(l->stream));
	OK(cuMemcpyDtoH(&noted, l->memory + place * sizeof(noted), sizeof(noted)));
	return noted;
}

/* ---- tests ---- */

ALL_TESTS(sim_setup, sim_teardown)

TEST(context_is_announced_in_the_call)
{
	CUcontext context;

	told.count = 0;
	OK(cuCtxCreate(&context, NULL, 0, 0));
	assert_int_equal(told.count, 1);
	assert_int_equal(told.event[0].kind, CONTEXT);
	assert_ptr_equal(told.event[0].what, context);
	OK(cuCtxDestroy(context));
	assert_int_equal(told.count, 2);
	assert_int_equal(told.event[1].kind, CONTEXT_END);
}

TEST(module_is_announced_and_ends)
{
	struct loaded *l;

	load(state);
	l = *state;
	assert_int_equal(told.count, 1);
	assert_int_equal(told.event[0].kind, MODULE);
	assert_ptr_equal(told.event[0].what, l->module);
	unload(state);
	assert_int_equal(told.count, 2);
	assert_int_equal(told.event[1].kind, MODULE_END);
	assert_ptr_equal(told.event[1].what, l->module);
}

TEST_WITH(library_is_announced_at_its_first_launch, load, unload)
{
	struct loaded *l = *state;
	void *params[] = {&l->memory};
	CUlibrary library;
	CUkernel kernel;

	OK(cuLibraryLoadData(&library, PTX, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "note"));
	assert_int_equal(told.count, 1);
	OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, l->stream, params, NULL));
	assert_int_equal(told.count, 3);
	assert_int_equal(told.event[1].kind, MODULE);
	assert_int_equal(told.event[2].kind, LAUNCH);
	OK(cuStreamSynchronize(l->stream));
	OK(cuLibraryUnload(library));
	assert_int_equal(told.count, 4);
	assert_int_equal(told.event[3].kind, MODULE_END);
}

/* Also where launches are queued: each has its own. */
TEST_WITH(kernel_reads_number_and_word, load, unload)
{
	struct loaded *l = *state;
	struct gate gate;

	told.next_word = UINT64_C(0x123456789abcdef0);
	gate_close(&gate, l->stream);
	for (unsigned i = 0; i < 8; i++)
		launch(l, i);
	gate_open(&gate);
	for (unsigned i = 0; i < 8; i++) {
		struct noted noted = noted_at(l, i);

		assert_int_equal(told.event[1 + i].kind, LAUNCH);
		assert_int_equal(noted.grid, told.event[1 + i].number);
		assert_true(noted.word == UINT64_C(0x123456789abcdef0) + i);
	}
}

TEST_WITH(calls_of_the_tool_notify_nobody, load, unload)
{
	struct loaded *l = *state;
	struct noted noted;

	told.scratch = l->memory + 1024;
	told.makes_calls = true;
	told.next_word = 5;
	launch(l, 0);
	assert_int_equal(told.count, 2);
	noted = noted_at(l, 0);
	assert_true(noted.word == 5 && noted.grid == told.event[1].number);
	noted = noted_at(l, 1024 / sizeof(noted));
	assert_true(noted.word == 0 && noted.grid == 0); /* the inner kernel, after the fill */
}

static CUgraph new_chain(const struct loaded *l, unsigned length)
{
	CUgraph graph;

	OK(cuStreamBeginCapture(l->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	for (unsigned i = 0; i < length; i++)
		launch(l, i);
	OK(cuStreamEndCapture(l->stream, &graph));
	return graph;
}

/* All nodes read what was said last; each has its number, anew in each launch. */
TEST_WITH(nodes_share_the_word, load, unload)
{
	struct loaded *l = *state;
	CUgraph graph = new_chain(l, 3);
	CUgraphNode nodes[3];
	CUgraphExec exec;
	size_t count = 3;

	assert_int_equal(told.count, 1); /* nothing while it was captured */
	OK(cuGraphGetNodes(graph, nodes, &count));
	OK(cuGraphInstantiate(&exec, graph, 0));
	for (unsigned turn = 0; turn < 2; turn++) {
		told.count = 0;
		told.next_word = 100;
		OK(cuGraphLaunch(exec, l->stream));
		assert_int_equal(told.count, 3);
		for (unsigned i = 0; i < 3; i++) {
			struct noted noted = noted_at(l, i);

			assert_ptr_equal(told.event[i].what, nodes[i]);
			assert_int_equal(noted.grid, told.event[i].number);
			assert_true(noted.word == 102);
			assert_true(!i || told.event[i].number != told.event[i - 1].number);
		}
	}
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

TEST_WITH(nodes_of_a_copy_and_nodes_that_are_off, load, unload)
{
	struct loaded *l = *state;
	CUgraph graph = new_chain(l, 3);
	CUgraphNode nodes[3];
	CUgraphExec exec;
	size_t count = 3;

	OK(cuGraphGetNodes(graph, nodes, &count));
	OK(cuGraphInstantiate(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
	OK(cuGraphNodeSetEnabled(exec, nodes[1], 0));
	told.count = 0;
	OK(cuGraphLaunch(exec, l->stream));
	assert_int_equal(told.count, 2);
	for (unsigned i = 0; i < 6; i++)
		assert_ptr_not_equal(told.event[i / 3].what, nodes[i % 3]);
	OK(cuStreamSynchronize(l->stream));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

TEST_WITH(other_text, load, unload)
{
	const struct simulated_new_text text = {OTHER, sizeof(OTHER) - 1};
	struct loaded *l = *state;
	size_t bytes;

	assert_memory_equal(simulated_text(l->module, 0, &bytes), PTX, sizeof(PTX) - 1);
	assert_int_equal(bytes, sizeof(PTX) - 1);
	assert_null(simulated_text(l->module, 1, &bytes));
	assert_null(simulated_text((CUmodule)l, 0, &bytes));
	launch(l, 0); /* queued or not, it has the first text */
	assert_true(simulated_replaceTexts(l->module, &text, 1));
	launch(l, 1);
	assert_int_equal(noted_at(l, 0).grid, told.event[1].number);
	assert_int_equal(noted_at(l, 1).grid, 77);
}

TEST(one_tool_and_nobody_beside_it)
{
	void *subscriber;

	assert_false(simulated_setTool(&tool));
	assert_int_equal(simulated_cuptiSubscribe(&subscriber, (void (*)(void))load, NULL),
			 CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
	assert_non_null(simulated_entry("cuMemAlloc"));
	assert_null(simulated_entry("cuNothing"));
}

int main(void)
{
	if (!simulated_setTool(&tool))
		return 1;
	return unit_run();
}
