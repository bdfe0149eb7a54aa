/* Calls whose form differs between the versions of the runtime, each as the version's header has
 * it. */
#include "claims.h"
#include "kernels.h"

static void check_properties(void)
{
	ROOM(struct cudaDeviceProp) room;
	int value = 0, version = 0, chosen = -1;

	PREPARE(room);
	CALL(cudaRuntimeGetVersion(&version));
	NEED(version / 1000 == CUDART_VERSION / 1000);
	CALL(cudaGetDeviceProperties(&room.value, 0));
	NEED(INTACT(room));
	CALL(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
	NEED(room.value.major == value);
	CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMaxBlocksPerMultiprocessor, 0));
	NEED(room.value.maxBlocksPerMultiProcessor == value);
	CALL(cudaDeviceGetAttribute(&value, cudaDevAttrReservedSharedMemoryPerBlock, 0));
	NEED(room.value.reservedSharedMemPerBlock == (size_t)value);
#if CUDART_VERSION < 13000
	CALL(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
	NEED(room.value.clockRate == value);
	CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryClockRate, 0));
	NEED(room.value.memoryClockRate == value);
	CALL(cudaDeviceGetAttribute(&value, cudaDevAttrKernelExecTimeout, 0));
	NEED(room.value.kernelExecTimeoutEnabled == value);
#endif
#if CUDART_VERSION >= 12000
	CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryPoolsSupported, 0));
	NEED(room.value.memoryPoolsSupported == value);
	CALL(cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0));
	NEED(room.value.clusterLaunch == value);
#endif
	CALL(cudaChooseDevice(&chosen, &room.value));
	NEED(chosen == 0);
}

static void check_attributes(int *memory)
{
	ROOM(struct cudaPointerAttributes) pointer;
	ROOM(struct cudaFuncAttributes) function;

	PREPARE(pointer);
	CALL(cudaPointerGetAttributes(&pointer.value, memory));
	NEED(INTACT(pointer) && pointer.value.type == cudaMemoryTypeDevice);
	NEED(pointer.value.devicePointer == memory);
	PREPARE(function);
	CALL(cudaFuncGetAttributes(&function.value, &produce));
	NEED(INTACT(function) && function.value.maxThreadsPerBlock >= THREADS);
}

static void check_managed(cudaStream_t stream)
{
	int *managed;

	CALL(cudaMallocManaged((void **)&managed, BYTES, cudaMemAttachGlobal));
#if CUDART_VERSION >= 13000
	struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice, .id = 0};
	struct cudaMemLocation host = {.type = cudaMemLocationTypeHost};

	CALL(cudaMemAdvise(managed, BYTES, cudaMemAdviseSetPreferredLocation, device));
	CALL(cudaMemPrefetchAsync(managed, BYTES, device, 0, stream));
	CALL(cudaMemPrefetchAsync(managed, BYTES, host, 0, stream));
#else
	CALL(cudaMemAdvise(managed, BYTES, cudaMemAdviseSetPreferredLocation, 0));
	CALL(cudaMemPrefetchAsync(managed, BYTES, 0, stream));
	CALL(cudaMemPrefetchAsync(managed, BYTES, cudaCpuDeviceId, stream));
	NEED(cudaMemPrefetchAsync(managed, BYTES, 99, stream) != cudaSuccess);
	cudaGetLastError();
#endif
#if CUDART_VERSION >= 12020 && CUDART_VERSION < 13000
	struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice, .id = 0};

	CALL(cudaMemAdvise_v2(managed, BYTES, cudaMemAdviseSetAccessedBy, device));
	CALL(cudaMemPrefetchAsync_v2(managed, BYTES, device, 0, stream));
#endif
	CALL(cudaStreamSynchronize(stream));
	CALL(cudaFree(managed));
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, void *kernel, void **arguments)
{
	struct cudaKernelNodeParams wanted = {.func = kernel,
					      .gridDim = {BLOCKS, 1, 1},
					      .blockDim = {THREADS, 1, 1},
					      .kernelParams = arguments};
	cudaGraphNode_t node;

	CALL(cudaGraphAddKernelNode(&node, graph, NULL, 0, &wanted));
	return node;
}

static void depend(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to)
{
	cudaGraphNode_t nodes[2][4] = {{0}};
	size_t count = 4;

#if CUDART_VERSION >= 13000
	CALL(cudaGraphAddDependencies(graph, &from, &to, NULL, 1));
	CALL(cudaGraphRemoveDependencies(graph, &from, &to, NULL, 1));
	CALL(cudaGraphAddDependencies(graph, &from, &to, NULL, 1));
	CALL(cudaGraphGetEdges(graph, nodes[0], nodes[1], NULL, &count));
#else
	CALL(cudaGraphAddDependencies(graph, &from, &to, 1));
	CALL(cudaGraphRemoveDependencies(graph, &from, &to, 1));
	CALL(cudaGraphAddDependencies(graph, &from, &to, 1));
	CALL(cudaGraphGetEdges(graph, nodes[0], nodes[1], &count));
#endif
	NEED(count == 1 && nodes[0][0] == from && nodes[1][0] == to);
	count = 4;
#if CUDART_VERSION >= 13000
	CALL(cudaGraphNodeGetDependencies(to, nodes[0], NULL, &count));
#else
	CALL(cudaGraphNodeGetDependencies(to, nodes[0], &count));
#endif
	NEED(count == 1 && nodes[0][0] == from);
	count = 4;
#if CUDART_VERSION >= 13000
	CALL(cudaGraphNodeGetDependentNodes(from, nodes[0], NULL, &count));
#else
	CALL(cudaGraphNodeGetDependentNodes(from, nodes[0], &count));
#endif
	NEED(count == 1 && nodes[0][0] == to);
}

#if CUDART_VERSION >= 12030 && CUDART_VERSION < 13000
/* The forms of 13 under the names that they have in 12. */
static void check_edges_with_data(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to)
{
	cudaGraphNode_t nodes[2][4] = {{0}};
	cudaGraphEdgeData edges[4], none = {0};
	size_t count = 4;

	CALL(cudaGraphRemoveDependencies_v2(graph, &from, &to, &none, 1));
	CALL(cudaGraphAddDependencies_v2(graph, &from, &to, &none, 1));
	CALL(cudaGraphGetEdges_v2(graph, nodes[0], nodes[1], edges, &count));
	NEED(count == 1 && nodes[0][0] == from && !edges[0].type);
}
#endif

static void update(cudaGraphExec_t exec, cudaGraph_t graph)
{
#if CUDART_VERSION >= 12000
	cudaGraphExecUpdateResultInfo result = {0};

	CALL(cudaGraphExecUpdate(exec, graph, &result));
	NEED(result.result == cudaGraphExecUpdateSuccess);
#else
	enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
	cudaGraphNode_t failed = graph ? (cudaGraphNode_t)graph : NULL;

	CALL(cudaGraphExecUpdate(exec, graph, &failed, &result));
	NEED(result == cudaGraphExecUpdateSuccess && !failed);
#endif
}

/* memory[i] becomes i + 1. */
static void check_graph(int *memory, cudaStream_t stream)
{
	void *arguments[] = {&memory};
	cudaGraphNode_t from, to;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CALL(cudaGraphCreate(&graph, 0));
	from = add_kernel(graph, &produce, arguments);
	to = add_kernel(graph, &consume, arguments);
	depend(graph, from, to);
#if CUDART_VERSION >= 12030 && CUDART_VERSION < 13000
	check_edges_with_data(graph, from, to);
#endif
#if CUDART_VERSION >= 12000
	CALL(cudaGraphInstantiate(&exec, graph, 0));
#else
	char log[64] = "text";
	cudaGraphNode_t failed;

	CALL(cudaGraphInstantiate(&exec, graph, &failed, log, sizeof(log)));
	NEED(!failed && !*log);
#endif
	update(exec, graph);
	CALL(cudaGraphLaunch(exec, stream));
	CALL(cudaStreamSynchronize(stream));
	CALL(cudaGraphExecDestroy(exec));
	CALL(cudaGraphDestroy(graph));
}

/* The last node of the capture; the others are forgotten, and depended upon again. */
static void look_at_capture(cudaStream_t stream)
{
	enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
	const cudaGraphNode_t *last = NULL;
	cudaGraphNode_t node;
	unsigned long long id = 0;
	cudaGraph_t graph = NULL;
	size_t count = 0;

#if CUDART_VERSION >= 13000
	CALL(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &last, NULL, &count));
#else
#if CUDART_VERSION < 12000
	CALL(cudaStreamGetCaptureInfo(stream, &status, &id));
	NEED(status == cudaStreamCaptureStatusActive && id);
#endif
	CALL(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &last, &count));
#endif
	NEED(status == cudaStreamCaptureStatusActive && graph && count == 1);
	node = *last;
#if CUDART_VERSION >= 13000
	CALL(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1,
						 cudaStreamSetCaptureDependencies));
#else
	CALL(cudaStreamUpdateCaptureDependencies(stream, &node, 1,
						 cudaStreamSetCaptureDependencies));
#endif
#if CUDART_VERSION >= 12030 && CUDART_VERSION < 13000
	CALL(cudaStreamGetCaptureInfo_v3(stream, &status, &id, &graph, &last, NULL, &count));
	NEED(count == 1 && *last == node);
#endif
}

static void check_capture(int *memory, cudaStream_t stream)
{
	cudaGraph_t graph;

	CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CALL(kernels_launch(&produce, memory, stream));
	look_at_capture(stream);
	CALL(kernels_launch(&consume, memory, stream));
	CALL(cudaStreamEndCapture(stream, &graph));
	CALL(cudaGraphDestroy(graph));
}

static void check_texture(int *memory)
{
	struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
	struct cudaTextureDesc wanted = {.readMode = cudaReadModeElementType, .maxAnisotropy = 3};
	ROOM(struct cudaResourceDesc) found;
	ROOM(struct cudaTextureDesc) read;
	cudaTextureObject_t texture;

	resource.res.linear.devPtr = memory;
	resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
	resource.res.linear.sizeInBytes = BYTES;
	CALL(cudaCreateTextureObject(&texture, &resource, &wanted, NULL));
	PREPARE(found);
	CALL(cudaGetTextureObjectResourceDesc(&found.value, texture));
	NEED(INTACT(found) && found.value.res.linear.sizeInBytes == BYTES);
	PREPARE(read);
	CALL(cudaGetTextureObjectTextureDesc(&read.value, texture));
	NEED(INTACT(read) && read.value.maxAnisotropy == 3);
	CALL(cudaDestroyTextureObject(texture));
}

#if CUDART_VERSION >= 12080
static void check_batch(int *memory, cudaStream_t stream)
{
	static int values[2] = {7, 8};
	void *to[2] = {memory, memory + 1}, *from[2] = {&values[0], &values[1]};
	size_t sizes[2] = {4, 4}, indices[1] = {0};
	struct cudaMemcpyAttributes attributes[1] = {
		{.srcAccessOrder = cudaMemcpySrcAccessOrderStream}};

#if CUDART_VERSION >= 13000
	CALL(cudaMemcpyBatchAsync((void *)to, (void *)from, sizes, 2, attributes, indices, 1,
				  stream));
#else
	size_t failed = 5;

	CALL(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, indices, 1, &failed, stream));
	NEED(cudaMemcpyBatchAsync(to, from, sizes, 0, attributes, indices, 1, &failed, stream) &&
	     failed != 5);
	cudaGetLastError();
#endif
	CALL(cudaStreamSynchronize(stream));
}
#endif

#if CUDART_VERSION >= 13010
/* A node that copies two words, and then the second one to where the first one went. */
static void check_batch_node(int *memory, cudaStream_t stream)
{
	static int values[2] = {7, 8}, back;
	void *to[2] = {memory, memory + 1}, *from[2] = {&values[0], &values[1]};
	size_t sizes[2] = {4, 4}, first = 0;
	struct cudaMemcpyAttributes order = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
	struct cudaGraphNodeParams node = {.type = cudaGraphNodeTypeMemcpyBatch,
					   .memcpyBatch = {.count = 2,
							   .dsts = to,
							   .srcs = from,
							   .sizes = sizes,
							   .attrs = &order,
							   .attrsIdxs = &first,
							   .numAttrs = 1}};
	cudaGraphExec_t exec;
	cudaGraphNode_t made;
	cudaGraph_t graph;

	CALL(cudaGraphCreate(&graph, 0));
	CALL(cudaGraphAddNode(&made, graph, NULL, NULL, 0, &node));
	CALL(cudaGraphInstantiate(&exec, graph, 0));
	sizes[0] = 0;
	to[1] = memory;
	CALL(cudaGraphExecNodeSetParams(exec, made, &node));
	CALL(cudaGraphLaunch(exec, stream));
	CALL(cudaMemcpyAsync(&back, memory, sizeof(back), cudaMemcpyDeviceToHost, stream));
	CALL(cudaStreamSynchronize(stream));
	NEED(back == 8);
	CALL(cudaGraphExecDestroy(exec));
	CALL(cudaGraphDestroy(graph));
}
#endif

static void check_events(cudaStream_t stream)
{
	cudaEvent_t start, end;
	float time_ms = -1;

	CALL(cudaEventCreate(&start));
	CALL(cudaEventCreate(&end));
	CALL(cudaEventRecord(start, stream));
	CALL(cudaEventRecord(end, stream));
	CALL(cudaEventSynchronize(end));
	CALL(cudaEventElapsedTime(&time_ms, start, end));
	NEED(time_ms >= 0);
	CALL(cudaEventDestroy(start));
	CALL(cudaEventDestroy(end));
}

static void check_entry_point(void)
{
	void *function = NULL;

#if CUDART_VERSION >= 12000
	enum cudaDriverEntryPointQueryResult status;

	CALL(cudaGetDriverEntryPoint("cuMemAlloc", &function, cudaEnableDefault, &status));
	NEED(status == cudaDriverEntryPointSuccess);
#else
	CALL(cudaGetDriverEntryPoint("cuMemAlloc", &function, cudaEnableDefault));
#endif
	NEED(function);
}

/* The values must be those of check_graph(). */
static void check_result(const int *memory)
{
	static int values[BYTES / sizeof(int)];

	CALL(cudaMemcpy(values, memory, BYTES, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < BYTES / sizeof(int); i++)
		NEED(values[i] == (int)i + 1);
}

int main(void)
{
	cudaStream_t stream;
	int *memory;

	check_properties();
	CALL(cudaMalloc((void **)&memory, BYTES));
	CALL(cudaStreamCreate(&stream));
	check_attributes(memory);
	check_managed(stream);
	check_graph(memory, stream);
	check_result(memory);
	check_capture(memory, stream);
	check_texture(memory);
#if CUDART_VERSION >= 12080
	check_batch(memory, stream);
#endif
#if CUDART_VERSION >= 13010
	check_batch_node(memory, stream);
#endif
	check_events(stream);
	check_entry_point();
#if CUDART_VERSION < 13000
	CALL(cudaThreadSynchronize());
#endif
	CALL(cudaStreamDestroy(stream));
	CALL(cudaFree(memory));
	puts("all forms are right");
	return 0;
}
