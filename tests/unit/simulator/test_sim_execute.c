/* Kernels that the simulated driver executes: their results, their variables, their faults. */
#define UNIT_OWN_MAIN
#include <stdio.h>

#include "simulator/driver/kernel/tally.h"
#include "tests/unit/simulator/sim_loaded.h"

#define COUNT 10

/* What `scale` of sim_images/kernels.cu writes: its argument and three variables with initial
 * values. */
static float scaled(float value)
{
	return value + 1 + 8 + 5;
}

static void check_scaled(const struct sim_loaded *l, float value)
{
	float out[COUNT + 1];

	OK(cuMemcpyDtoHAsync(out, l->memory, sizeof(out), l->stream));
	OK(cuStreamSynchronize(l->stream));
	for (unsigned i = 0; i < COUNT; i++)
		assert_true(out[i] == scaled(value));
	assert_true(out[COUNT] == 0);
}

static void clear(const struct sim_loaded *l)
{
	OK(cuMemsetD8Async(l->memory, 0, 1024, l->stream));
}

static void test_arguments_by_pointers_and_in_a_buffer(void **state)
{
	struct sim_loaded *l = *state;
	float value = 2;
	int count = COUNT;
	void *params[] = {&l->memory, &value, &count};
	struct {
		CUdeviceptr p;
		float v;
		int n;
	} buffer = {l->memory, 40, COUNT};
	size_t size = sizeof(buffer);
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE,
			 &size, CU_LAUNCH_PARAM_END};

	clear(l);
	OK(cuLaunchKernel((CUfunction)l->scale, 1, 1, 1, 32, 1, 1, 0, l->stream, params, NULL));
	value = 3; /* the launch has its copy */
	check_scaled(l, 2);
	clear(l);
	OK(cuLaunchKernel((CUfunction)l->scale, 1, 1, 1, 32, 1, 1, 0, l->stream, NULL, extra));
	check_scaled(l, 40);
}

static void test_variables_are_those_of_the_module(void **state)
{
	struct sim_loaded *l = *state;
	int plain = 0;
	CUdeviceptr variable;

	OK(cuLibraryGetGlobal(&variable, NULL, l->library, "plain"));
	OK(cuMemcpyDtoH(&plain, variable, sizeof(plain)));
	assert_int_equal(plain, 1); /* an earlier test launched */
}

static void test_kernel_nodes_of_graphs(void **state)
{
	struct sim_loaded *l = *state;
	float value = 7;
	int count = COUNT;
	void *params[] = {&l->memory, &value, &count};
	CUDA_KERNEL_NODE_PARAMS node_params = {.func = (CUfunction)l->scale,
					       .gridDimX = 1,
					       .gridDimY = 1,
					       .gridDimZ = 1,
					       .blockDimX = 16,
					       .blockDimY = 1,
					       .blockDimZ = 1,
					       .kernelParams = params};
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph;

	clear(l);
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddKernelNode(&node, graph, NULL, 0, &node_params));
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, l->stream));
	check_scaled(l, 7);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

static const char text[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".visible .global .align 4 .u32 numbers[3] = {4, 5, 6};\n"
	".visible .global .align 8 .u64 pointer = generic(numbers)+8;\n"
	".visible .entry follow(.param .u64 p) { .reg .b64 %rd<3>; .reg .b32 %r<2>;\n"
	"ld.param.u64 %rd0, [p]; ld.global.u64 %rd1, [pointer]; ld.u32 %r0, [%rd1];\n"
	"st.global.u32 [%rd0], %r0; ret; }\n"
	".visible .entry meet(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
	"ld.param.u64 %rd0, [p]; mov.u32 %r0, %envreg1; st.global.u32 [%rd0], %r0; ret; }\n"
	".visible .entry strange() { frobnicate.b32; ret; }\n"
	".visible .entry wild() { .reg .b32 %r<2>; st.global.u32 [16], %r0; ret; }\n"
	".visible .entry visit(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
	"ld.param.u64 %rd0, [p]; ld.global.u64 %rd1, [%rd0]; ld.global.u32 %r0, [%rd1];\n"
	"st.global.u32 [%rd0+8], %r0; ret; }\n"
	".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);\n"
	".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);\n"
	".visible .entry rounds(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<9>; .reg .pred "
	"%q;\n"
	".param .b64 out; .param .b32 one; .param .b32 error; .param .b64 at;\n"
	"ld.param.u64 %rd0, [p]; mov.u32 %r8, 1; st.param.b32 [one], %r8;\n"
	"call.uni (out), cudaCGGetIntrinsicHandle, (one); ld.param.b64 %rd1, [out];\n"
	"mov.u32 %r0, 0;\n"
	"again: atom.global.add.u32 %r1, [%rd0], 1;\n"
	"st.param.b64 [at], %rd1; st.param.b32 [one], %r0;\n"
	"call.uni (error), cudaCGSynchronize, (at, one); ld.param.b32 %r2, [error];\n"
	"ld.volatile.global.u32 %r3, [%rd0]; st.param.b64 [at], %rd1;\n"
	"call.uni (error), cudaCGSynchronize, (at, one);\n"
	"mov.u32 %r4, %ntid.x; mov.u32 %r5, %nctaid.x; mul.lo.u32 %r4, %r4, %r5;\n"
	"add.u32 %r0, %r0, 1; mul.lo.u32 %r4, %r4, %r0; setp.ne.u32 %q, %r3, %r4;\n"
	"@%q st.global.u32 [%rd0+4], %r3; st.global.u32 [%rd0+8], %r2;\n"
	"setp.lt.u32 %q, %r0, 3; @%q bra again; ret; }\n";

static CUresult launch(const struct sim_loaded *l, CUmodule module, const char *name, void **params)
{
	CUfunction function;

	OK(cuModuleGetFunction(&function, module, name));
	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, l->stream, params, NULL);
}

static void test_initial_values_of_a_text(void **state)
{
	struct sim_loaded *l = *state;
	void *params[] = {&l->memory};
	CUmodule module;
	int out = 0;

	OK(cuModuleLoadData(&module, text));
	OK(launch(l, module, "follow", params));
	OK(cuMemcpyDtoHAsync(&out, l->memory, sizeof(out), l->stream));
	OK(cuStreamSynchronize(l->stream));
	assert_int_equal(out, 6);
	OK(cuModuleUnload(module));
}

/* The free comes after the kernel in the stream, so its memory is there for the kernel. */
static void test_memory_is_there_until_the_stream_frees_it(void **state)
{
	struct sim_loaded *l = *state;
	float value = 1, out[COUNT];
	int count = COUNT;
	CUdeviceptr memory;
	void *params[] = {&memory, &value, &count};

	OK(cuMemAllocAsync(&memory, 4096, l->stream));
	OK(cuLaunchKernel((CUfunction)l->scale, 1, 1, 1, 32, 1, 1, 0, l->stream, params, NULL));
	OK(cuMemcpyDtoHAsync(out, memory, sizeof(out), l->stream));
	OK(cuMemFreeAsync(memory, l->stream));
	OK(cuStreamSynchronize(l->stream));
	assert_true(out[COUNT - 1] == scaled(1));
}

/* Memory of the stream with an address that the kernel loads from the fixture's memory. */
static CUdeviceptr visited(const struct sim_loaded *l, bool is_pool)
{
	CUdeviceptr memory;

	if (is_pool)
		OK(cuMemAllocAsync(&memory, 4096, l->stream));
	else
		OK(cuMemAlloc(&memory, 4096));
	OK(cuMemsetD32Async(memory, 23, 1, l->stream));
	OK(cuMemsetD32Async(l->memory, (unsigned)memory, 1, l->stream));
	OK(cuMemsetD32Async(l->memory + 4, (unsigned)(memory >> 32), 1, l->stream));
	return memory;
}

static void test_loaded_memory_is_there_until_the_stream_frees_it(void **state)
{
	struct sim_loaded *l = *state;
	void *params[] = {&l->memory};
	CUdeviceptr memory;
	CUmodule module;
	int out[4];

	OK(cuModuleLoadData(&module, text));
	for (unsigned i = 0; i < 4; i++) {
		memory = visited(l, i % 2);
		OK(launch(l, module, "visit", params));
		OK(cuMemFreeAsync(memory, l->stream));
		FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(memory, l->stream));
		OK(cuMemcpyDtoHAsync(&out[i], l->memory + 8, sizeof(*out), l->stream));
		OK(cuMemsetD8Async(l->memory, 0, 16, l->stream));
	}
	OK(cuStreamSynchronize(l->stream));
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(out[i], 23);
	OK(cuModuleUnload(module));
}

static void test_what_cannot_be_executed_passes_time(void **state)
{
	struct sim_loaded *l = *state;
	CUmodule module;

	OK(cuModuleLoadData(&module, text));
	OK(launch(l, module, "strange", NULL));
	OK(cuStreamSynchronize(l->stream));
	OK(cuModuleUnload(module));
}

static void test_strict_refuses(void **state)
{
	struct sim_loaded *l = *state;
	CUmodule module;

	OK(cuModuleLoadData(&module, text));
	FAILS(CUDA_ERROR_NO_BINARY_FOR_GPU, launch(l, module, "strange", NULL));
	OK(launch(l, module, "follow", (void *[]){&l->memory}));
	OK(cuStreamSynchronize(l->stream));
	OK(cuModuleUnload(module));
	OK(cuModuleLoad(&module, IMAGE("plain.cubin")));
	FAILS(CUDA_ERROR_NO_BINARY_FOR_GPU, launch(l, module, "_Z4nonev", NULL));
	OK(cuModuleUnload(module));
}

static void test_skip_executes_nothing(void **state)
{
	struct sim_loaded *l = *state;
	float value = 2, out = 1;
	int count = COUNT;
	void *params[] = {&l->memory, &value, &count};

	clear(l);
	OK(cuLaunchKernel((CUfunction)l->scale, 1, 1, 1, 32, 1, 1, 0, l->stream, params, NULL));
	OK(cuMemcpyDtoHAsync(&out, l->memory, sizeof(out), l->stream));
	OK(cuStreamSynchronize(l->stream));
	assert_true(out == 0);
}

struct counted {
	uint64_t executed, skipped;
	char text[256];
};

static void add_count(void *context, uint64_t launches, const char *why, bool is_given_up)
{
	struct counted *c = context;

	(void)is_given_up;
	*(why ? &c->skipped : &c->executed) += launches;
	if (why)
		snprintf(c->text, sizeof(c->text), "%s", why);
}

static struct counted count(void)
{
	struct counted c = {0};

	simulated_countLaunches(add_count, &c);
	return c;
}

static void test_launches_are_counted(void **state)
{
	struct sim_loaded *l = *state;
	struct counted before = count(), after;
	CUmodule module;

	OK(cuModuleLoadData(&module, text));
	OK(launch(l, module, "strange", NULL));
	OK(launch(l, module, "strange", NULL));
	OK(launch(l, module, "follow", (void *[]){&l->memory}));
	OK(cuStreamSynchronize(l->stream));
	OK(cuModuleUnload(module));
	after = count();
	assert_int_equal(after.executed, before.executed + 1);
	assert_int_equal(after.skipped, before.skipped + 2);
	assert_string_equal(after.text,
			    "strange: unknown instruction frobnicate.b32 (line 11 of its PTX)");
}

static void find_odd(void *context, uint64_t launches, const char *why, bool is_given_up)
{
	static const char expected[] =
		"odd: unknown instruction mov.u32 of %odd_register (line 7 of its PTX)";

	(void)is_given_up;
	if (why && strcmp(why, expected) == 0)
		*(uint64_t *)context += launches;
}

/* A special register that is not known is named. */
static void test_unknown_registers_are_named(void **state)
{
	char odd[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry odd()\n"
		     "{\n.reg .b32 %r;\nmov.u32 %r, %odd_register;\nret;\n}\n";
	struct sim_loaded *l = *state;
	uint64_t launches = 0;
	CUmodule module;

	OK(cuModuleLoadData(&module, odd));
	OK(launch(l, module, "odd", NULL));
	OK(cuStreamSynchronize(l->stream));
	OK(cuModuleUnload(module));
	simulated_countLaunches(find_odd, &launches);
	assert_int_equal(launches, 1);
}

static struct {
	uint64_t number, address;
	int error;
	char text[2048];
} fault;

static uint64_t number_of_call(void)
{
	return 17;
}

static void note_fault(uint64_t number, int error, uint64_t address, const char *where)
{
	fault.number = number;
	fault.error = error;
	fault.address = address;
	snprintf(fault.text, sizeof(fault.text), "%s", where);
}

/* The kernel comes after the free in the stream. */
static void test_loaded_memory_is_gone_after_the_free(void **state)
{
	struct sim_loaded lost = {.library = NULL};
	void *params[] = {&lost.memory};
	CUdeviceptr memory;
	CUcontext context;
	CUmodule module;

	(void)state;
	OK(cuCtxCreate(&context, NULL, 0, 0));
	OK(cuStreamCreate(&lost.stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&lost.memory, 1024));
	OK(cuModuleLoadData(&module, text));
	memory = visited(&lost, true);
	OK(cuMemFreeAsync(memory, lost.stream));
	OK(launch(&lost, module, "visit", params));
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(lost.stream));
	OK(cuCtxDestroy(context));
}

/* Names of templates are long: that of the kernel is whole, and what comes after it is there. */
static void test_races_of_kernels_with_long_names(void **state)
{
	static const char form[] =
		".version 9.0\n.target sm_90\n.address_size 64\n"
		".visible .entry %s()\n{\n.shared .align 4 .b8 word[4];\n.reg .b32 %%r<2>;\n"
		"mov.u32 %%r0, %%tid.x; st.shared.u32 [word], %%r0;\n"
		"ld.shared.u32 %%r1, [word]; ret;\n}\n";
	static char name[1501], ptx[sizeof(form) + sizeof(name)];
	struct sim_loaded *l = *state;
	CUfunction kernel;
	CUmodule module;

	memset(name, 'n', sizeof(name) - 1);
	snprintf(ptx, sizeof(ptx), form, name);
	simulated_watchKernels(number_of_call, note_fault);
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&kernel, module, name));
	OK(cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, l->stream, NULL, NULL));
	OK(cuStreamSynchronize(l->stream));
	assert_int_equal(fault.error, 0);
	assert_memory_equal(fault.text, name, sizeof(name) - 1);
	assert_non_null(strstr(fault.text, "n uses byte 0 of shared memory"));
	assert_non_null(strstr(fault.text, "twice without a barrier between: thread ("));
	OK(cuModuleUnload(module));
}

/* Last: the error stays. */
static void test_faults_stay(void **state)
{
	struct sim_loaded *l = *state;
	uint64_t executed = count().executed;
	CUmodule module;

	simulated_watchKernels(number_of_call, note_fault);
	OK(cuModuleLoadData(&module, text));
	OK(launch(l, module, "wild", NULL));
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(l->stream));
	FAILS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemsetD8Async(l->memory, 0, 1, l->stream));
	assert_int_equal(fault.number, 17);
	assert_int_equal(fault.error, CUDA_ERROR_ILLEGAL_ADDRESS);
	assert_int_equal(fault.address, 16);
	assert_string_equal(fault.text, "wild accesses an address without memory, block (0,0,0), "
					"thread (0,0,0)");
	assert_int_equal(count().executed, executed + 1);
}

static int teardown_after_fault(void **state)
{
	(void)state;
	return 0;
}

static unsigned captured_barrier(struct sim_loaded *l, CUfunction meet, bool is_cooperative)
{
	void *params[] = {&l->memory};
	unsigned barrier = 77;
	CUgraphExec exec;
	CUgraph graph;

	OK(cuStreamBeginCapture(l->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	if (is_cooperative)
		OK(cuLaunchCooperativeKernel(meet, 1, 1, 1, 1, 1, 1, 0, l->stream, params));
	else
		OK(cuLaunchKernel(meet, 1, 1, 1, 1, 1, 1, 0, l->stream, params, NULL));
	OK(cuStreamEndCapture(l->stream, &graph));
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, l->stream));
	OK(cuMemcpyDtoHAsync(&barrier, l->memory, sizeof(barrier), l->stream));
	OK(cuStreamSynchronize(l->stream));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	return barrier;
}

/* A launch of a kernel of Tile IR counts tiles; the threads of each are those that it demands. */
static void test_tiles_are_blocks_of_the_kernel(void **state)
{
	static const char tiles[] =
		".version 9.0\n.target sm_90\n.address_size 64\n"
		".visible .global .align 8 .b8 ___NV_TILE_LAUNCH_META_DATA___[64];\n"
		".visible .entry tile(.param .u64 to)\n.reqntid 4\n{\n"
		".reg .b32 %r<4>; .reg .b64 %d<4>;\nld.param.u64 %d0, [to];\n"
		"mov.u32 %r0, %clusterid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r0, 4, %r1;\n"
		"mul.wide.u32 %d1, %r2, 4; add.s64 %d2, %d0, %d1; add.u32 %r3, %r2, 50;\n"
		"st.global.u32 [%d2], %r3; ret;\n}\n";
	struct sim_loaded *l = *state;
	void *params[] = {&l->memory};
	CUfunction tile;
	CUmodule module;
	unsigned to[8];

	OK(cuModuleLoadData(&module, tiles));
	OK(cuModuleGetFunction(&tile, module, "tile"));
	OK(cuLaunchKernel(tile, 2, 1, 1, 1, 1, 1, 0, l->stream, params, NULL));
	OK(cuMemcpyDtoHAsync(to, l->memory, sizeof(to), l->stream));
	OK(cuStreamSynchronize(l->stream));
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(to[i], 50 + i);
	OK(cuModuleUnload(module));
}

/* Cooperative groups look for the barrier of the grid, and trap if there is none. */
static void test_only_cooperative_launches_have_a_barrier_of_the_grid(void **state)
{
	struct sim_loaded *l = *state;
	void *params[] = {&l->memory};
	unsigned barrier = 77;
	CUfunction meet;
	CUmodule module;

	OK(cuModuleLoadData(&module, text));
	OK(cuModuleGetFunction(&meet, module, "meet"));
	OK(cuLaunchKernel(meet, 1, 1, 1, 1, 1, 1, 0, l->stream, params, NULL));
	OK(cuMemcpyDtoHAsync(&barrier, l->memory, sizeof(barrier), l->stream));
	OK(cuStreamSynchronize(l->stream));
	assert_int_equal(barrier, 0);
	OK(cuLaunchCooperativeKernel(meet, 1, 1, 1, 1, 1, 1, 0, l->stream, params));
	OK(cuMemcpyDtoHAsync(&barrier, l->memory, sizeof(barrier), l->stream));
	OK(cuStreamSynchronize(l->stream));
	assert_int_not_equal(barrier, 0);
	FAILS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
	      cuLaunchCooperativeKernel(meet, 132 * 33, 1, 1, 1, 1, 1, 0, l->stream, params));
	assert_int_equal(captured_barrier(l, meet, false), 0);
	assert_int_equal(captured_barrier(l, meet, true), barrier);
	OK(cuModuleUnload(module));
}

/* Numba's grid.sync(): functions of NVIDIA's library of the device, without a text of the
 * program's. */
static void test_the_library_has_a_barrier_of_the_grid(void **state)
{
	struct sim_loaded *l = *state;
	void *params[] = {&l->memory};
	unsigned found[3]; /* how often a thread came by, a wrong count, an error */
	CUfunction rounds;
	CUmodule module;

	OK(cuModuleLoadData(&module, text));
	OK(cuModuleGetFunction(&rounds, module, "rounds"));
	clear(l);
	OK(cuLaunchCooperativeKernel(rounds, 3, 1, 1, 64, 1, 1, 0, l->stream, params));
	OK(cuMemcpyDtoHAsync(found, l->memory, sizeof(found), l->stream));
	OK(cuStreamSynchronize(l->stream));
	assert_int_equal(found[0], 3 * 3 * 64);
	assert_int_equal(found[1], 0);
	assert_int_equal(found[2], 0);
	OK(cuLaunchKernel(rounds, 1, 1, 1, 1, 1, 1, 0, l->stream, params, NULL));
	OK(cuMemcpyDtoHAsync(found, l->memory, sizeof(found), l->stream));
	OK(cuStreamSynchronize(l->stream));
	assert_int_equal(found[2], 400);
	OK(cuModuleUnload(module));
}

int main(void)
{
	const struct CMUnitTest usual[] = {
		cmocka_unit_test(test_arguments_by_pointers_and_in_a_buffer),
		cmocka_unit_test(test_variables_are_those_of_the_module),
		cmocka_unit_test(test_kernel_nodes_of_graphs),
		cmocka_unit_test(test_initial_values_of_a_text),
		cmocka_unit_test(test_tiles_are_blocks_of_the_kernel),
		cmocka_unit_test(test_only_cooperative_launches_have_a_barrier_of_the_grid),
		cmocka_unit_test(test_the_library_has_a_barrier_of_the_grid),
		cmocka_unit_test(test_memory_is_there_until_the_stream_frees_it),
		cmocka_unit_test(test_what_cannot_be_executed_passes_time),
		cmocka_unit_test(test_launches_are_counted),
		cmocka_unit_test(test_loaded_memory_is_there_until_the_stream_frees_it),
		cmocka_unit_test(test_loaded_memory_is_gone_after_the_free),
		cmocka_unit_test(test_unknown_registers_are_named),
		cmocka_unit_test(test_races_of_kernels_with_long_names),
		cmocka_unit_test(test_faults_stay),
	};
	const struct CMUnitTest strict[] = {
		cmocka_unit_test(test_arguments_by_pointers_and_in_a_buffer),
		cmocka_unit_test(test_strict_refuses),
	};
	const struct CMUnitTest skip[] = {cmocka_unit_test(test_skip_executes_nothing)};
	const char *kernels = getenv("STREAMCHECK_SIM_KERNELS");

	if (kernels && !strcmp(kernels, "strict"))
		return cmocka_run_group_tests_name("sim_execute", strict, sim_loaded_setup,
						   sim_loaded_teardown);
	if (kernels && !strcmp(kernels, "skip"))
		return cmocka_run_group_tests_name("sim_execute", skip, sim_loaded_setup,
						   sim_loaded_teardown);
	return cmocka_run_group_tests_name("sim_execute", usual, sim_loaded_setup,
					   teardown_after_fault);
}
