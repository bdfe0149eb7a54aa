// Images are refilled in another stream while cuDNN may read them, by a call or by the plan of a
// graph (-DGRAPH, with a function on the result where an engine does both): what the closed kernels
// touch is known by the tensors. Engines that fuse operations want half precision and channels
// last, multiples of eight of them. With an event (-DFIXED), or where bytes behind the images are
// filled (-DAPART, -DGRAPH_APART), that is right. Also looks that a convolution writes its result
// and nothing behind.
//
// nvcc: -lcudnn
// expect: SC-106 at=refill proven order=no_event
// expect[FIXED]: clean
// expect[APART]: clean
// expect[GRAPH]: SC-106 at=refill proven order=no_event
// expect[GRAPH_APART]: clean
#include <cuda_fp16.h>
#include <cudnn.h>
#include <initializer_list>
#include <vector>
#include "testcases/common.h"

#ifdef GRAPH_APART
#define GRAPH
#define APART
#endif

#ifdef GRAPH
typedef __half element;
#else
typedef float element;
#endif
static const int SAMPLES = 8, CHANNELS = 64, EDGE = 32, WINDOW = 3;
// Sizes in floats.
static const size_t IMAGES =
	(size_t)SAMPLES * CHANNELS * EDGE * EDGE * sizeof(element) / sizeof(float);
static const size_t WEIGHTS =
	(size_t)CHANNELS * CHANNELS * WINDOW * WINDOW * sizeof(element) / sizeof(float);
static const float UNTOUCHED = 7;

static float *images, *weights, *result, *room; // in one block
static cudaStream_t a, b;
static cudnnHandle_t handle;

static void must(cudnnStatus_t status)
{
	if (status == CUDNN_STATUS_SUCCESS)
		return;
	fprintf(stderr, "cuDNN answered %s\n", cudnnGetErrorString(status));
	exit(1);
}

#ifdef GRAPH
typedef cudnnBackendDescriptor_t object;

static object make(cudnnBackendDescriptorType_t type)
{
	object out;

	must(cudnnBackendCreateDescriptor(type, &out));
	return out;
}

static void set(object o, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
		int64_t count, const void *values)
{
	must(cudnnBackendSetAttribute(o, name, type, count, values));
}

template <class T>
static void set_one(object o, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
		    T value)
{
	set(o, name, type, 1, &value);
}

static void set_object(object o, cudnnBackendAttributeName_t name, object value)
{
	set_one(o, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, value);
}

static object final(object o)
{
	must(cudnnBackendFinalize(o));
	return o;
}

// Channels last. A tensor that is nowhere has the type in which is computed.
static object tensor(int64_t id, int64_t samples, int64_t edge, bool is_virtual)
{
	const int64_t sizes[] = {samples, CHANNELS, edge, edge};
	const int64_t steps[] = {CHANNELS * edge * edge, 1, CHANNELS * edge, CHANNELS};
	object o = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);

	set_one(o, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE,
		is_virtual ? CUDNN_DATA_FLOAT : CUDNN_DATA_HALF);
	set(o, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, sizes);
	set(o, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, steps);
	set_one(o, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
	set_one(o, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, (int64_t)16);
	set_one(o, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, is_virtual);
	return final(o);
}

// The result = tensor 1 * tensor 2.
static object convolution(object result_is)
{
	const int64_t ones[] = {1, 1};
	object window = make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
	object o = make(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);

	set_one(window, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
	set_one(window, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
		CUDNN_CROSS_CORRELATION);
	set_one(window, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, (int64_t)2);
	for (auto name :
	     {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
	      CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS})
		set(window, name, CUDNN_TYPE_INT64, 2, ones);
	set_object(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, final(window));
	set_object(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, tensor(1, SAMPLES, EDGE, false));
	set_object(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
		   tensor(2, CHANNELS, WINDOW, false));
	set_object(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, result_is);
	set_one(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1.0f);
	set_one(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 0.0f);
	return final(o);
}

// Tensor 4 = what is given, where that is above 0.
static object rectification(object of)
{
	object function = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
	object o = make(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);

	set_one(function, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
		CUDNN_POINTWISE_RELU_FWD);
	set_one(function, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
	set_object(o, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, final(function));
	set_object(o, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, of);
	set_object(o, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensor(4, SAMPLES, EDGE, false));
	return final(o);
}

static object graph_of(std::initializer_list<object> operations)
{
	object graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);

	set_one(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle);
	set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
	    (int64_t)operations.size(), operations.begin());
	if (cudnnBackendFinalize(graph) == CUDNN_STATUS_SUCCESS)
		return graph;
	must(cudnnBackendDestroyDescriptor(graph));
	return NULL;
}

// NULL: the configuration is not for this GPU. Why an engine is none goes to standard error.
static object plan_of(object configuration)
{
	object plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
	char why[256];

	set_one(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle);
	set_object(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
	if (cudnnBackendFinalize(plan) == CUDNN_STATUS_SUCCESS)
		return plan;
	cudnnGetLastErrorString(why, sizeof(why));
	fprintf(stderr, "no plan: %s\n", why);
	must(cudnnBackendDestroyDescriptor(plan));
	return NULL;
}

// The first plan of those that the heuristics suggest.
static object suggested_plan(object graph, cudnnBackendHeurMode_t mode)
{
	object asked = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR), plan = NULL;
	std::vector<object> found(32);
	int64_t count = 0;

	set_object(asked, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
	set_one(asked, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
	if (cudnnBackendFinalize(asked) != CUDNN_STATUS_SUCCESS)
		return NULL;
	for (object &o : found)
		o = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
	if (cudnnBackendGetAttribute(asked, CUDNN_ATTR_ENGINEHEUR_RESULTS,
				     CUDNN_TYPE_BACKEND_DESCRIPTOR, (int64_t)found.size(), &count,
				     found.data()) != CUDNN_STATUS_SUCCESS)
		return NULL;
	for (int64_t i = 0; !plan && i < count && i < (int64_t)found.size(); i++)
		plan = plan_of(found[(size_t)i]);
	return plan;
}

// The first plan of all engines that there are, with their own settings.
static object any_plan(object graph)
{
	int64_t engines = 0, count = 0;
	object plan = NULL;

	must(cudnnBackendGetAttribute(graph, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT,
				      CUDNN_TYPE_INT64, 1, &count, &engines));
	for (int64_t i = 0; !plan && i < engines; i++) {
		object engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
		object configuration = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);

		set_object(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph);
		set_one(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, i);
		if (cudnnBackendFinalize(engine) != CUDNN_STATUS_SUCCESS)
			continue;
		set_object(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
		if (cudnnBackendFinalize(configuration) == CUDNN_STATUS_SUCCESS)
			plan = plan_of(configuration);
	}
	return plan;
}

static object plan_for(object graph)
{
	object plan = NULL;

	if (!graph)
		return NULL;
	for (auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK})
		if (!plan)
			plan = suggested_plan(graph, mode);
	return plan ? plan : any_plan(graph);
}

// Of both operations in one, or else of the convolution alone; NULL: none works on this GPU.
static object find_plan(void)
{
	object between = tensor(3, SAMPLES, EDGE, true);
	object plan = plan_for(graph_of({convolution(between), rectification(between)}));

	if (plan)
		return plan;
	fprintf(stderr, "no engine does both operations: the convolution alone\n");
	return plan_for(graph_of({convolution(tensor(4, SAMPLES, EDGE, false))}));
}

static void convolve(void)
{
	static object plan = find_plan(), pack;
	const int64_t ids[] = {1, 2, 4};
	void *places[] = {images, weights, result}, *workspace = NULL;
	int64_t bytes = 0, count;

	if (!plan) {
		fprintf(stderr, "cuDNN has no engine for this graph here\n");
		exit(77);
	}
	if (!pack) {
		must(cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
					      CUDNN_TYPE_INT64, 1, &count, &bytes));
		if (bytes)
			workspace = on_device((size_t)bytes);
		pack = make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
		set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, ids);
		set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, places);
		set_one(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
		final(pack);
	}
	must(cudnnBackendExecute(handle, plan, pack));
}
#else
static cudnnTensorDescriptor_t images_are;
static cudnnFilterDescriptor_t weights_are;
static cudnnConvolutionDescriptor_t window;

static void describe(void)
{
	must(cudnnCreateTensorDescriptor(&images_are));
	must(cudnnSetTensor4dDescriptor(images_are, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, SAMPLES,
					CHANNELS, EDGE, EDGE));
	must(cudnnCreateFilterDescriptor(&weights_are));
	must(cudnnSetFilter4dDescriptor(weights_are, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, CHANNELS,
					CHANNELS, WINDOW, WINDOW));
	must(cudnnCreateConvolutionDescriptor(&window));
	must(cudnnSetConvolution2dDescriptor(window, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
					     CUDNN_DATA_FLOAT));
}

static void convolve(void)
{
	const float alpha = 1, beta = 0;

	if (!window)
		describe();
	must(cudnnConvolutionForward(handle, &alpha, images_are, images, weights_are, weights,
				     window, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, NULL, 0,
				     &beta, images_are, result));
}
#endif

static void verify_result(void)
{
	float *host = pinned((IMAGES + 1) * sizeof(float));

	CHECK(cudaMemcpy(host, result, (IMAGES + 1) * sizeof(float), cudaMemcpyDeviceToHost));
	verify(host, 0, (int)IMAGES);
	verify(host + IMAGES, UNTOUCHED, 1);
	CHECK(cudaFreeHost(host));
}

int main()
{
	const size_t all = 2 * IMAGES + WEIGHTS + 1024;
	float *block = (float *)on_device(all * sizeof(float)), *host = pinned(sizeof(float));
	float *refilled;
	cudaEvent_t done;

	result = block;
	room = result + IMAGES;
	images = room + 1024;
	weights = images + IMAGES;
	refilled = images;
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaMemset(block, 0, all * sizeof(float)));
	fill(host, UNTOUCHED, 1);
	CHECK(cudaMemcpy(room, host, sizeof(float), cudaMemcpyHostToDevice));
	must(cudnnCreate(&handle));
	must(cudnnSetStream(handle, a));
	convolve(); // the first one loads code, which waits for the device
	CHECK(cudaDeviceSynchronize());

	convolve();
#ifdef FIXED
	CHECK(cudaEventRecord(done, a));
	CHECK(cudaStreamWaitEvent(b, done, 0));
#endif
#ifdef APART
	refilled = room + 1;
#endif
	CHECK(cudaMemsetAsync(refilled, 0, 1000 * sizeof(float), b)); // @refill
	CHECK(cudaDeviceSynchronize());
	verify_result();

	must(cudnnDestroy(handle));
	CHECK(cudaEventDestroy(done));
	CHECK(cudaFreeHost(host));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(block));
	return 0;
}
