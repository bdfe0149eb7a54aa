// Probe 26: small answers that the simulated device gives: memory of 0 bytes, addresses of tensor
// maps, shared memory that a block may still have, what a kernel of PTX alone needs, nodes of
// graphs.
#include "probe.h"

static const char text[] =
	".version 7.8\n.target sm_80\n.address_size 64\n"
	".const .align 4 .b8 table[40];\n"
	".visible .entry empty() { ret; }\n"
	".visible .entry shares(.param .u64 a, .param .u32 b)\n"
	"{\n.shared .align 4 .b8 near[100];\n.local .align 8 .b8 own[24];\n.reg .u64 %a, %l; .reg "
	".u32 %x;\n"
	"ld.param.u64 %a, [a];\nld.param.u32 %x, [b];\nst.shared.u32 [near], %x;\nmov.u64 %l, "
	"own;\n"
	"st.local.u32 [own+4], %x;\nst.local.u32 [own], %x;\nld.shared.u32 %x, [near+4];\n"
	"st.global.u32 [%a], %x;\nst.global.u64 [%a+8], %l;\nret;\n}\n";

static void ask_memory(CUstream stream)
{
	for (int how = 0; how < 2; how++) {
		CUdeviceptr memory = 1;
		int got = how ? cuMemAllocAsync(&memory, 0, stream) : cuMemAlloc(&memory, 0);

		printf("fact: %s of 0 bytes = %d, pointer %s\n",
		       how ? "cuMemAllocAsync" : "cuMemAlloc", got,
		       memory == 1 ? "left"
		       : memory	   ? "given"
				   : "null");
		if (!got && memory > 1)
			printf("fact: its free = %d\n",
			       how ? cuMemFreeAsync(memory, stream) : cuMemFree(memory));
	}
	printf("fact: cuMemFreeAsync(0) = %d\n", cuMemFreeAsync(0, stream));
}

static void ask_tensor_maps(CUdeviceptr memory)
{
	alignas(128) static char place[256];
	const cuuint64_t sizes[] = {64, 64}, strides[] = {256};
	const cuuint32_t box[] = {8, 8}, steps[] = {1, 1};

	for (int offset : {0, 8, 16, 32, 64})
		printf("fact: cuTensorMapEncodeTiled of a map at 128 + %d = %d\n", offset,
		       cuTensorMapEncodeTiled(
			       (CUtensorMap *)(place + offset), CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
			       (void *)memory, sizes, strides, box, steps,
			       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
			       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
}

static void ask_kernel(CUmodule module, const char *name)
{
	static const struct {
		const char *name;
		CUfunction_attribute attribute;
	} asked[] = {{"registers", CU_FUNC_ATTRIBUTE_NUM_REGS},
		     {"shared bytes", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
		     {"local bytes", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
		     {"constant bytes", CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES},
		     {"most threads", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
		     {"most dynamic shared", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
		     {"binary version", CU_FUNC_ATTRIBUTE_BINARY_VERSION},
		     {"PTX version", CU_FUNC_ATTRIBUTE_PTX_VERSION}};
	CUfunction function;
	size_t bytes = 0;
	int blocks = 0;

	CHECK_DRIVER(cuModuleGetFunction(&function, module, name));
	for (const auto &a : asked) {
		int value = -1, got = cuFuncGetAttribute(&value, a.attribute, function);

		printf("fact: %s, %s = %d (%d)\n", name, a.name, value, got);
	}
	for (int n : {1, 2, 8, 32}) {
		int got = cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, n, 64);

		printf("fact: %s, shared memory for each of %d blocks = %zu (%d)\n", name, n, bytes,
		       got);
	}
	int got = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 64, 0);
	printf("fact: %s, blocks of 64 threads = %d (%d)\n", name, blocks, got);
	got = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 1024, 40000);
	printf("fact: %s, blocks of 1,024 threads with 40,000 bytes = %d (%d)\n", name, blocks,
	       got);
}

static void ask_graph(CUdevice device)
{
	static const struct {
		const char *name;
		CUmemLocation location;
		CUmemAllocationType type;
	} asked[] = {
		{"pinned, device", {CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ALLOCATION_TYPE_PINNED},
		{"pinned, host", {CU_MEM_LOCATION_TYPE_HOST, 0}, CU_MEM_ALLOCATION_TYPE_PINNED},
		{"managed, device",
		 {CU_MEM_LOCATION_TYPE_DEVICE, 0},
		 CU_MEM_ALLOCATION_TYPE_MANAGED},
		{"managed, none", {CU_MEM_LOCATION_TYPE_NONE, 0}, CU_MEM_ALLOCATION_TYPE_MANAGED}};

	for (const auto &a : asked) {
		CUDA_MEM_ALLOC_NODE_PARAMS params = {};
		CUgraphExec exec = NULL;
		CUgraphNode node;
		CUgraph graph;

		params.poolProps.allocType = a.type;
		params.poolProps.location = a.location;
		params.bytesize = 4096;
		CHECK_DRIVER(cuGraphCreate(&graph, 0));
		int got = cuGraphAddMemAllocNode(&node, graph, NULL, 0, &params);
		printf("fact: cuGraphAddMemAllocNode, %s = %d\n", a.name, got);
		if (!got)
			printf("fact: its instantiation = %d\n",
			       cuGraphInstantiate(&exec, graph, 0));
		if (exec)
			cuGraphExecDestroy(exec);
		cuGraphDestroy(graph);
	}
}

static void ask_pools()
{
	static const struct {
		const char *name;
		CUmemAllocationType type;
		CUmemLocationType where;
	} asked[] = {
		{"pinned, host", CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST},
		{"pinned, NUMA node", CU_MEM_ALLOCATION_TYPE_PINNED,
		 CU_MEM_LOCATION_TYPE_HOST_NUMA},
		{"managed, device", CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_DEVICE},
		{"managed, none", CU_MEM_ALLOCATION_TYPE_MANAGED, CU_MEM_LOCATION_TYPE_NONE},
		{"managed, NUMA node", CU_MEM_ALLOCATION_TYPE_MANAGED,
		 CU_MEM_LOCATION_TYPE_HOST_NUMA}};

	for (const auto &a : asked) {
		CUmemPoolProps props = {};
		CUmemoryPool pool = NULL;
		CUmemGenericAllocationHandle handle;
		CUmemAllocationProp prop = {};

		props.allocType = a.type;
		props.location.type = a.where;
		printf("fact: cuMemPoolCreate, %s = %d\n", a.name, cuMemPoolCreate(&pool, &props));
		if (pool) {
			CUdeviceptr memory = 0;

			printf("fact: an allocation of it = %d\n",
			       cuMemAllocFromPoolAsync(&memory, 4096, pool, 0));
			cuMemPoolDestroy(pool);
		}
		prop.type = a.type;
		prop.location = props.location;
		printf("fact: cuMemCreate, %s = %d\n", a.name,
		       cuMemCreate(&handle, 2 << 20, &prop, 0));
	}
}

int main()
{
	CUdevice device;
	CUcontext context;
	CUstream stream;
	CUdeviceptr memory;
	CUmodule module;

	CHECK_DRIVER(cuInit(0));
	CHECK_DRIVER(cuDeviceGet(&device, 0));
	CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, device));
	CHECK_DRIVER(cuCtxSetCurrent(context));
	CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK_DRIVER(cuMemAlloc(&memory, 1 << 20));
	CHECK_DRIVER(cuModuleLoadData(&module, text));
	ask_memory(stream);
	ask_tensor_maps(memory);
	ask_kernel(module, "empty");
	ask_kernel(module, "shares");
	ask_graph(device);
	ask_pools();
	return 0;
}
