/* Modules, libraries and launches of the simulated driver, and changing graphs that launch. */
#include <elf.h>
#include "tests/unit/simulator/sim_loaded.h"

#include <stdio.h>
#include <sys/mman.h>

static CUresult launch(struct sim_loaded *l, CUfunction function, unsigned int grid,
		       unsigned int block, unsigned int shared)
{
	float factor = 2;
	int count = 10;
	void *params[] = {&l->memory, &factor, &count};

	return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, l->stream, params, NULL);
}

EACH_TEST(sim_loaded_setup, sim_loaded_teardown)

TEST(launches_are_checked)
{
	struct sim_loaded *l = *state;
	CUfunction kernel = (CUfunction)l->scale, mixed;
	CUkernel handle;
	void *no_params[] = {NULL, NULL, NULL};

	OK(launch(l, kernel, 1, 1024, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, launch(l, kernel, 1, 1025, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, launch(l, kernel, 0, 1, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, launch(l, kernel, 1, 0, 0));
	OK(launch(l, kernel, 1, 1, 49152));
	FAILS(CUDA_ERROR_INVALID_VALUE, launch(l, kernel, 1, 1, 49153));
	OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536, l->scale,
				0));
	OK(launch(l, kernel, 1, 1, 65536));
	FAILS(CUDA_ERROR_INVALID_HANDLE, launch(l, (CUfunction)l, 1, 1, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, l->stream, NULL, NULL));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, l->stream, no_params, NULL));
	/* __launch_bounds__(128) */
	OK(cuLibraryGetKernel(&handle, l->library, "_Z5mixed5MixedcPd"));
	OK(cuKernelGetFunction(&mixed, handle));
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuLaunchKernel(mixed, 1, 1, 1, 129, 1, 1, 0, l->stream, no_params, NULL));
	OK(cuStreamSynchronize(l->stream));
}

static CUresult launch_mixed(struct sim_loaded *l, CUfunction mixed, unsigned int shared)
{
	char image[48] = {0}, c = 0;
	void *q = NULL, *params[] = {image, &c, &q};

	return cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, shared, l->stream, params, NULL);
}

/* The attribute is about dynamic shared memory alone; `mixed` has 512 bytes of static one. */
TEST(static_shared_memory_counts_apart)
{
	struct sim_loaded *l = *state;
	const CUfunction_attribute most = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
	CUgraph graph;
	CUkernel mixed;
	int value;

	OK(cuLibraryGetKernel(&mixed, l->library, "_Z5mixed5MixedcPd"));
	OK(cuKernelGetAttribute(&value, most, mixed, 0));
	assert_int_equal(value, 49152 - 512);
	OK(cuStreamBeginCapture(l->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	OK(launch_mixed(l, (CUfunction)mixed, 49152 - 512));
	FAILS(CUDA_ERROR_INVALID_VALUE, launch_mixed(l, (CUfunction)mixed, 49152 - 511));
	OK(cuKernelSetAttribute(most, 65536, mixed, 0));
	OK(launch_mixed(l, (CUfunction)mixed, 65536));
	FAILS(CUDA_ERROR_INVALID_VALUE, launch_mixed(l, (CUfunction)mixed, 65537));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuKernelSetAttribute(most, 232448 - 511, mixed, 0));
	OK(cuKernelSetAttribute(most, 232448 - 512, mixed, 0));
	OK(cuStreamEndCapture(l->stream, &graph));
	OK(cuGraphDestroy(graph));
}

/* D-5: a function belongs to a context, a kernel takes the stream's. */
TEST(functions_belong_to_a_context)
{
	struct sim_loaded *l = *state;
	CUcontext second, first;
	CUfunction function;
	CUstream there, here = l->stream;

	OK(cuCtxGetCurrent(&first));
	OK(cuKernelGetFunction(&function, l->scale));
	OK(cuCtxCreate(&second, NULL, 0, 1));
	OK(cuStreamCreate(&there, CU_STREAM_NON_BLOCKING));
	l->stream = there;
	FAILS(CUDA_ERROR_INVALID_HANDLE, launch(l, function, 1, 1, 0));
	OK(launch(l, (CUfunction)l->scale, 1, 1, 0));
	l->stream = here;
	OK(launch(l, function, 1, 1, 0));
	OK(cuCtxDestroy(second));
	OK(cuCtxSetCurrent(first));
}

TEST(names_and_attributes)
{
	struct sim_loaded *l = *state;
	CUkernel kernels[8], mixed;
	unsigned int count;
	size_t offset, size;
	CUmodule module;
	CUfunction function;
	const char *name;
	int value;

	OK(cuLibraryGetKernelCount(&count, l->library));
	assert_int_equal(count, 4);
	OK(cuLibraryEnumerateKernels(kernels, 8, l->library));
	OK(cuKernelGetName(&name, l->scale));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuKernelGetName(&name, NULL));
	assert_string_equal(name, "_Z5scalePffi");
	OK(cuKernelGetParamInfo(l->scale, 2, &offset, &size));
	assert_int_equal(offset, 12);
	assert_int_equal(size, 4);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuKernelGetParamInfo(l->scale, 3, &offset, &size));
	OK(cuLibraryGetKernel(&mixed, l->library, "_Z5mixed5MixedcPd"));
	OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, mixed, 0));
	assert_int_equal(value, 512);
	OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, mixed, 0));
	assert_int_equal(value, 128);
	OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, mixed, 0));
	assert_in_range(value, 50, 89); /* the text's, older than the device */
	OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, mixed, 0));
	assert_int_equal(value, 90);
	OK(cuLibraryGetModule(&module, l->library));
	OK(cuModuleGetFunction(&function, module, "_Z4nonev"));
	OK(cuFuncGetName(&name, function));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuFuncGetName(&name, NULL));
	assert_string_equal(name, "_Z4nonev");
	FAILS(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, module, "nonesuch"));
	FAILS(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&mixed, l->library, "nonesuch"));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module)); /* the library's own */
}

TEST(globals_have_memory)
{
	const float expected[4] = {1, 2, 3, 4};
	struct sim_loaded *l = *state;
	CUdeviceptr address;
	float values[4];
	size_t size;

	OK(cuLibraryGetGlobal(&address, &size, l->library, "numbers"));
	assert_int_equal(size, sizeof(expected));
	OK(cuMemcpyDtoH(values, address, size));
	assert_memory_equal(values, expected, sizeof(expected));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(address));
	OK(cuLibraryGetManaged(&address, &size, l->library, "managed"));
	assert_int_equal(*(int *)address, 5); /* the host reaches managed variables */
	FAILS(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&address, &size, l->library, "plain"));
}

/* One address in all contexts, and before there is one; others have one in each context. */
TEST(managed_globals_belong_to_the_library)
{
	CUdeviceptr managed[2], numbers[2];
	struct sim_loaded *l = *state;
	CUcontext first, second;
	size_t size;

	OK(cuCtxGetCurrent(&first));
	OK(cuCtxSetCurrent(NULL));
	OK(cuLibraryGetManaged(&managed[0], NULL, l->library, "managed"));
	FAILS(CUDA_ERROR_INVALID_CONTEXT,
	      cuLibraryGetGlobal(&numbers[0], &size, l->library, "numbers"));
	OK(cuCtxSetCurrent(first));
	OK(cuLibraryGetGlobal(&numbers[0], NULL, l->library, "numbers"));
	OK(cuDevicePrimaryCtxRetain(&second, 1));
	OK(cuCtxSetCurrent(second));
	OK(cuLibraryGetGlobal(&managed[1], &size, l->library, "managed"));
	OK(cuLibraryGetGlobal(&numbers[1], NULL, l->library, "numbers"));
	assert_int_equal(managed[0], managed[1]);
	assert_int_equal(size, sizeof(int));
	assert_int_not_equal(numbers[0], numbers[1]);
	OK(cuCtxSetCurrent(first));
	OK(cuDevicePrimaryCtxRelease(1));
	assert_int_equal(*(int *)managed[0], 5);
}

TEST(modules)
{
	struct sim_loaded *l = *state;
	CUmodule module;
	CUfunction function;
	CUdeviceptr address;
	size_t size;

	OK(cuModuleLoad(&module, IMAGE("plain.cubin")));
	OK(cuModuleGetFunction(&function, module, "_Z5scalePffi"));
	OK(launch(l, function, 1, 1, 0));
	OK(cuModuleGetGlobal(&address, &size, module, "plain"));
	OK(cuModuleUnload(module));
	FAILS(CUDA_ERROR_INVALID_HANDLE, launch(l, function, 1, 1, 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(address, 0, 1));
	FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
	FAILS(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, IMAGE("nonesuch")));
	FAILS(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "no image"));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&module, NULL));
}

/* A library may be of code that needs a linker, or of anything; it has no kernels then. */
TEST(libraries_of_no_code)
{
	const Elf64_Ehdr object = {.e_ident = ELFMAG, .e_type = ET_REL, .e_machine = EM_X86_64};
	const void *const code[] = {"\xed\x43\x4e\x7f", "!<arch>\n", &object, "no image"};
	CUlibrary library;
	CUkernel kernel;
	unsigned int count, i;

	for (i = 0; i < 4; i++) {
		OK(cuLibraryLoadData(&library, code[i], NULL, NULL, 0, NULL, NULL, 0));
		OK(cuLibraryGetKernelCount(&count, library));
		assert_int_equal(count, 0);
		FAILS(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "k"));
		OK(cuLibraryUnload(library));
	}
}

static CUDA_KERNEL_NODE_PARAMS node_params(struct sim_loaded *l, void **params)
{
	return (CUDA_KERNEL_NODE_PARAMS){.kern = l->scale,
					 .gridDimX = 1,
					 .gridDimY = 1,
					 .gridDimZ = 1,
					 .blockDimX = 32,
					 .blockDimY = 1,
					 .blockDimZ = 1,
					 .kernelParams = params};
}

/* A node keeps the values of its parameters, not the pointers to them. */
TEST(kernel_nodes_copy_parameters)
{
	struct sim_loaded *l = *state;
	float factor = 3;
	int count = 7;
	void *params[] = {&l->memory, &factor, &count};
	CUDA_KERNEL_NODE_PARAMS in = node_params(l, params), out;
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph;

	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddKernelNode(&node, graph, NULL, 0, &in));
	factor = 99;
	OK(cuGraphKernelNodeGetParams(node, &out));
	assert_true(*(float *)out.kernelParams[1] == 3);
	assert_int_equal(*(int *)out.kernelParams[2], 7);
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphExecKernelNodeSetParams(exec, node, &in));
	OK(cuGraphKernelNodeGetParams(node, &out));
	assert_true(*(float *)out.kernelParams[1] == 3); /* the template stays */
	in.blockDimX = 4096;
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams(exec, node, &in));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode(&node, graph, NULL, 0, &in));
	OK(cuGraphLaunch(exec, l->stream));
	OK(cuStreamSynchronize(l->stream));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
}

/* As much as a launch may have: 48 KiB, until the program raises it; less for several blocks. */
TEST(available_shared_memory)
{
	struct sim_loaded *l = *state;
	CUfunction function;
	size_t bytes;

	OK(cuKernelGetFunction(&function, l->scale));
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 1, 32));
	assert_int_equal(bytes, 48 * 1024);
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, (CUfunction)l->scale, 8, 32));
	assert_int_equal(bytes, 228 * 1024 / 8);
	OK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
			      100 * 1024));
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 1, 32));
	assert_int_equal(bytes, 100 * 1024);
}

/* A kernel of PTX alone has registers, too, and a block fits an SM. */
TEST(registers_of_ptx)
{
	CUlibrary library;
	CUkernel kernel;
	int count = 0, blocks = 0;

	OK(cuLibraryLoadFromFile(&library, IMAGE("ptx.fatbin"), NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "_Z5scalePffi"));
	OK(cuKernelGetAttribute(&count, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 0));
	assert_in_range(count, 1, 255);
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (CUfunction)kernel, 256, 0));
	assert_int_equal(blocks, 8);
	OK(cuLibraryUnload(library));
}

/* Sizes as `ptxas -v -arch=sm_90` gives them for this text: variables of the kernel, those of the
 * module that it names, those of its functions; and what a block may have is less by them. */
TEST(sizes_of_ptx)
{
	static const char text[] =
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".const .align 4 .b8 c1[10]; .const .align 8 .u64 c2; .const .align 8 .b8 "
		"c3[100];\n"
		".shared .align 1 .b8 named[5]; .shared .align 4 .b8 unnamed[9];\n"
		".func f(.param .b64 p) { .local .align 4 .b8 l[20]; .reg .b64 %r;\n"
		".shared .align 16 .b8 q[5]; mov.u64 %r, l; ret; }\n"
		".visible .entry own(.param .u64 p) .maxntid 32, 2 { .shared .align 1 .b8 x[3];\n"
		".shared .align 8 .b8 y[8]; .shared .align 1 .b8 z[1]; ret; }\n"
		".visible .entry some(.param .u64 p) .reqntid 128 { .reg .b32 %w;\n"
		".local .align 16 .b8 l[20];\n"
		"ld.shared.u8 %w, [named]; ret; }\n"
		".visible .entry calls(.param .u64 p) { .reg .b64 %r; .reg .b32 %w;\n"
		".shared .align 8 .b8 x[3]; ld.shared.u8 %w, [named]; ld.param.u64 %r, [p];\n"
		"{ .param .b64 a; st.param.b64 [a], %r; call f, (a); } ret; }\n";
	static const struct {
		const char *name;
		int shared, local, threads;
	} kernels[] = {{"own", 17, 0, 64}, {"some", 5, 32, 128}, {"calls", 21, 24, 1024}};
	struct sim_loaded *l = *state;
	CUmodule module;

	OK(cuModuleLoadData(&module, text));
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		CUfunction f;
		int value;

		OK(cuModuleGetFunction(&f, module, kernels[i].name));
		OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
		assert_int_equal(value, kernels[i].shared);
		OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, f));
		assert_int_equal(value, kernels[i].local);
		OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, f));
		assert_int_equal(value, 124);
		OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
		assert_int_equal(value, kernels[i].threads);
		FAILS(CUDA_ERROR_INVALID_VALUE,
		      cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 48 * 1024, l->stream,
				     (void *[]){&l->memory}, NULL));
	}
	OK(cuModuleUnload(module));
}

/* A GPU gives out 512 bytes at a time, and lets a kernel use what the program did not ask for: by
 * an access of its own, or by one that begins before. Beyond it there is nothing. */
TEST(the_rest_of_a_unit_of_memory)
{
	static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
				   ".visible .entry k(.param .u64 p) { .reg .b64 %r; .reg .b32 %w; "
				   "ld.param.u64 %r, [p];\n"
				   "st.global.u32 [%r], 7; ld.global.u32 %w, [%r]; "
				   "st.global.v2.u32 [%r+4], {%w, %w};\n"
				   "ret; }\n";
	struct sim_loaded *l = *state;
	CUdeviceptr small, at;
	CUfunction function;
	CUmodule module;
	int word = 0;

	OK(cuModuleLoadData(&module, text));
	OK(cuModuleGetFunction(&function, module, "k"));
	OK(cuMemAlloc(&small, 100));
	at = small + 92; /* the pair begins inside and ends outside */
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, l->stream, (void *[]){&at}, NULL));
	at = small + 500;
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, l->stream, (void *[]){&at}, NULL));
	OK(cuStreamSynchronize(l->stream));
	OK(cuMemcpyDtoH(&word, small + 96, 4));
	assert_int_equal(word, 7);
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&word, small + 500, 4));
	OK(cuMemFree(small));
	OK(cuModuleUnload(module));
}

/* What cuGraphDebugDotPrint writes, in a file without a name. */
static const char *drawn(CUgraph graph, unsigned int flags)
{
	static char text[8192];
	char path[64];
	int file = memfd_create("dot", 0);
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	OK(cuGraphDebugDotPrint(graph, path, flags));
	size = pread(file, text, sizeof(text) - 1, 0);
	assert_true(size > 0);
	text[size] = 0;
	close(file);
	return text;
}

/* Kernels by their mangled names, edges, and graphs inside of nodes; more for flags. */
TEST(graph_is_drawn)
{
	struct sim_loaded *l = *state;
	float factor = 3;
	int count = 7;
	void *params[] = {&l->memory, &factor, &count};
	CUDA_KERNEL_NODE_PARAMS in = node_params(l, params);
	CUgraph graph, child;
	CUgraphNode nodes[3];

	OK(cuGraphCreate(&child, 0));
	OK(cuGraphAddKernelNode(&nodes[0], child, NULL, 0, &in));
	OK(cuGraphCreate(&graph, 0));
	OK(cuGraphAddEmptyNode(&nodes[0], graph, NULL, 0));
	OK(cuGraphAddKernelNode(&nodes[1], graph, nodes, 1, &in));
	OK(cuGraphAddChildGraphNode(&nodes[2], graph, nodes, 2, child));
	assert_ptr_equal(strstr(drawn(graph, 0), "digraph"), drawn(graph, 0));
	assert_non_null(strstr(drawn(graph, 0), "label=\"1\\n_Z5scalePffi\""));
	assert_non_null(strstr(drawn(graph, 0), "\"graph_1_node_1\" -> \"graph_1_node_2\""));
	assert_non_null(strstr(drawn(graph, 0), "\"graph_2_node_0\" ["));
	assert_null(strstr(drawn(graph, 0), "block"));
	assert_non_null(strstr(drawn(graph, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE), "block"));
	assert_non_null(strstr(drawn(graph, CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES), "handle 0x"));
	OK(cuGraphDestroy(child));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDebugDotPrint(child, "x", 0));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDebugDotPrint(graph, NULL, 0));
	FAILS(CUDA_ERROR_OPERATING_SYSTEM, cuGraphDebugDotPrint(graph, "/no/such/folder/x", 0));
	OK(cuGraphDestroy(graph));
}

static CUgraph fill_graph(struct sim_loaded *l, unsigned int value, int nodes)
{
	CUDA_MEMSET_NODE_PARAMS fill = {l->memory, 0, value, 1, 16, 1};
	CUgraphNode node, before = NULL;
	CUcontext context;
	CUgraph graph;
	int i;

	OK(cuCtxGetCurrent(&context));
	OK(cuGraphCreate(&graph, 0));
	for (i = 0; i < nodes; i++, before = node)
		OK(cuGraphAddMemsetNode(&node, graph, &before, before != NULL, &fill, context));
	return graph;
}

static unsigned char first_byte(struct sim_loaded *l)
{
	unsigned char byte;

	OK(cuStreamSynchronize(l->stream));
	OK(cuMemcpyDtoH(&byte, l->memory, 1));
	return byte;
}

/* G-10: an update changes later launches only, and never the topology. */
TEST(exec_update)
{
	struct sim_loaded *l = *state;
	CUgraph one = fill_graph(l, 1, 2), two = fill_graph(l, 2, 2), other = fill_graph(l, 3, 3);
	CUgraphExecUpdateResultInfo info;
	struct gate gate;
	CUgraphExec exec;

	OK(cuGraphInstantiate(&exec, one, 0));
	gate_close(&gate, l->stream);
	OK(cuGraphLaunch(exec, l->stream));
	OK(cuGraphExecUpdate(exec, two, &info));
	gate_open(&gate);
	assert_int_equal(first_byte(l), 1);
	OK(cuGraphLaunch(exec, l->stream));
	assert_int_equal(first_byte(l), 2);
	FAILS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, other, &info));
	assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	OK(cuGraphLaunch(exec, l->stream));
	assert_int_equal(first_byte(l), 2);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(one));
	OK(cuGraphDestroy(two));
	OK(cuGraphDestroy(other));
}

/* 4.6: one op; a source with DURING_API_CALL is free on return. */
TEST(batch_copy)
{
	struct sim_loaded *l = *state;
	unsigned char first[4] = {1, 1, 1, 1}, second[4] = {2, 2, 2, 2}, back[8];
	CUdeviceptr dsts[] = {l->memory, l->memory + 4};
	CUdeviceptr srcs[] = {(CUdeviceptr)first, (CUdeviceptr)second};
	size_t sizes[] = {4, 4}, indexes[] = {0, 1};
	CUmemcpyAttributes attributes[] = {
		{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL},
		{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}};

	OK(cuMemcpyBatchAsync(dsts, srcs, sizes, 2, attributes, indexes, 2, l->stream));
	memset(first, 0, sizeof(first));
	OK(cuStreamSynchronize(l->stream));
	OK(cuMemcpyDtoH(back, l->memory, 8));
	assert_int_equal(back[0], 1);
	assert_int_equal(back[7], 2);
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuMemcpyBatchAsync(dsts, srcs, sizes, 2, attributes, indexes, 2, NULL));
	attributes[1].srcAccessOrder = 0;
	FAILS(CUDA_ERROR_INVALID_VALUE,
	      cuMemcpyBatchAsync(dsts, srcs, sizes, 2, attributes, indexes, 2, l->stream));
}

/* C-S6: the copy is a barrier on both devices, and the host does not wait. */
TEST(peer_copy_is_a_barrier)
{
	struct sim_loaded *l = *state;
	unsigned char byte = 0;
	CUcontext first, second;
	CUdeviceptr there;
	struct gate gate;
	CUstream blocking;

	OK(cuCtxGetCurrent(&first));
	OK(cuDevicePrimaryCtxRetain(&second, 1));
	OK(cuCtxPushCurrent(second));
	OK(cuMemAlloc(&there, 16));
	OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
	gate_close(&gate, blocking);
	OK(cuMemsetD8Async(there, 8, 16, blocking));
	OK(cuCtxPopCurrent(NULL));
	OK(cuMemcpyPeer(l->memory, first, there, second, 16));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(NULL));
	OK(cuMemsetD8Async(there, 9, 16, blocking));
	gate_open(&gate);
	OK(cuMemcpyDtoH(&byte, l->memory, 1));
	assert_int_equal(byte, 8);
	OK(cuStreamSynchronize(blocking));
	OK(cuMemcpyDtoH(&byte, there, 1));
	assert_int_equal(byte, 9);
	OK(cuStreamDestroy(blocking));
	OK(cuMemFree(there));
	OK(cuDevicePrimaryCtxRelease(1));
}

/* The other half of C-S6: later work on the other device waits for the copy. */
TEST(peer_copy_holds_the_other_device_back)
{
	struct sim_loaded *l = *state;
	CUcontext first, second;
	CUdeviceptr there;
	struct gate gate;
	CUstream blocking;
	int i;

	OK(cuCtxGetCurrent(&first));
	OK(cuDevicePrimaryCtxRetain(&second, 1));
	OK(cuCtxPushCurrent(second));
	OK(cuMemAlloc(&there, 16));
	OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
	OK(cuCtxPopCurrent(NULL));
	gate_close(&gate, NULL);
	OK(cuMemcpyPeer(l->memory, first, there, second, 16));
	OK(cuMemsetD8Async(there, 9, 16, blocking));
	for (i = 0; i < 10; i++)
		FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(blocking));
	gate_open(&gate);
	OK(cuStreamSynchronize(blocking));
	OK(cuStreamDestroy(blocking));
	OK(cuMemFree(there));
	OK(cuDevicePrimaryCtxRelease(1));
}

static CUresult launch_with(struct sim_loaded *l, CUlaunchAttribute *attributes, unsigned int count)
{
	CUlaunchConfig config = {.gridDimX = 1,
				 .gridDimY = 1,
				 .gridDimZ = 1,
				 .blockDimX = 32,
				 .blockDimY = 1,
				 .blockDimZ = 1,
				 .hStream = l->stream,
				 .attrs = attributes,
				 .numAttrs = count};
	float factor = 2;
	int number = 10;
	void *params[] = {&l->memory, &factor, &number};

	return cuLaunchKernelEx(&config, (CUfunction)l->scale, params, NULL);
}

/* L-2: an overlapping kernel still comes after the work before its primary, and before the rest. */
TEST(programmatic_launch)
{
	CUlaunchAttribute overlap = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
	struct sim_loaded *l = *state;
	unsigned char byte = 0;
	struct gate gate;
	int i;

	overlap.value.programmaticStreamSerializationAllowed = 1;
	gate_close(&gate, l->stream);
	for (i = 0; i < 3; i++)
		OK(launch_with(l, &overlap, 1));
	OK(cuMemsetD8Async(l->memory, 7, 1, l->stream));
	FAILS(CUDA_ERROR_NOT_READY, cuStreamQuery(l->stream));
	gate_open(&gate);
	OK(cuStreamSynchronize(l->stream));
	OK(cuMemcpyDtoH(&byte, l->memory, 1));
	assert_int_equal(byte, 7);
}

/* L-3, L-4: the event stands for the start; what comes before the kernel is in it. */
static void check_launch_event(struct sim_loaded *l, CUlaunchAttributeID id)
{
	CUlaunchAttribute attribute = {.id = id};
	struct gate gate;
	CUevent event, timed;

	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK(cuEventCreate(&timed, CU_EVENT_DEFAULT));
	attribute.value.programmaticEvent.event = timed;
	FAILS(CUDA_ERROR_INVALID_VALUE, launch_with(l, &attribute, 1));
	attribute.value.programmaticEvent.event = event;
	gate_close(&gate, l->stream);
	OK(launch_with(l, &attribute, 1));
	FAILS(CUDA_ERROR_NOT_READY, cuEventQuery(event));
	gate_open(&gate);
	OK(cuEventSynchronize(event));
	OK(cuEventDestroy(event));
	OK(cuEventDestroy(timed));
}

TEST(launch_events)
{
	check_launch_event(*state, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
	check_launch_event(*state, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
}

TEST(captured_attributes)
{
	CUlaunchAttribute priority = {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY,
				      .value = {.priority = -3}};
	struct sim_loaded *l = *state;
	CUkernelNodeAttrValue value;
	CUgraphNode nodes[2];
	size_t count = 2;
	CUgraph graph;

	OK(cuStreamBeginCapture(l->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(launch_with(l, &priority, 1));
	OK(launch_with(l, NULL, 0));
	OK(cuStreamEndCapture(l->stream, &graph));
	OK(cuGraphGetNodes(graph, nodes, &count));
	OK(cuGraphKernelNodeGetAttribute(nodes[0], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	assert_int_equal(value.priority, -3);
	OK(cuGraphKernelNodeGetAttribute(nodes[1], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	assert_int_equal(value.priority, 0);
	OK(cuGraphKernelNodeCopyAttributes(nodes[1], nodes[0]));
	OK(cuGraphKernelNodeGetAttribute(nodes[1], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	assert_int_equal(value.priority, -3);
	value.priority = -1;
	OK(cuGraphKernelNodeSetAttribute(nodes[1], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	OK(cuGraphKernelNodeSetAttribute(nodes[1], CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
	OK(cuGraphKernelNodeGetAttribute(nodes[1], CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
	assert_int_equal(value.priority, -1);
	OK(cuGraphDestroy(graph));
}
