// Images are refilled in another stream while cuDNN may read them, by a call or by the plan of a
// graph (-DGRAPH, with a function on the result): what the closed kernels touch is known by the
// tensors. With an event (-DFIXED), or where bytes behind the images are filled (-DAPART,
// -DGRAPH_APART), that is right. Also looks that a convolution writes its result and nothing
// behind.
//
// nvcc: -lcudnn
// expect: SC-106 at=refill proven order=no_event
// expect[FIXED]: clean
// expect[APART]: clean
// expect[GRAPH]: SC-106 at=refill proven order=no_event
// expect[GRAPH_APART]: clean
#include <cudnn.h>
#include <initializer_list>
#include <vector>
#include "testcases/common.h"

#ifdef GRAPH_APART
#define GRAPH
#define APART
#endif

static const int SAMPLES = 8, CHANNELS = 16, EDGE = 64, WINDOW = 3;
static const size_t IMAGES = (size_t)SAMPLES * CHANNELS * EDGE * EDGE;
static const size_t WEIGHTS = (size_t)CHANNELS * CHANNELS * WINDOW * WINDOW;
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

static object tensor(int64_t id, int64_t samples, int64_t edge, bool is_virtual)
{
	const int64_t sizes[] = {samples, CHANNELS, edge, edge};
	const int64_t steps[] = {CHANNELS * edge * edge, edge * edge, edge, 1};
	object o = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);

	set_one(o, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
	set(o, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, sizes);
	set(o, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, steps);
	set_one(o, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
	set_one(o, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, (int64_t)16);
	set_one(o, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, is_virtual);
	return final(o);
}

// Tensor 3, which is nowhere, = tensor 1 * tensor 2.
static object convolution(void)
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
	set_object(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, tensor(3, SAMPLES, EDGE, true));
	set_one(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1.0f);
	set_one(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 0.0f);
	return final(o);
}

// Tensor 4 = tensor 3 where that is above 0.
static object rectification(void)
{
	object function = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
	object o = make(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);

	set_one(function, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
		CUDNN_POINTWISE_RELU_FWD);
	set_one(function, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
	set_object(o, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, final(function));
	set_object(o, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensor(3, SAMPLES, EDGE, true));
	set_object(o, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensor(4, SAMPLES, EDGE, false));
	return final(o);
}

// The first plan that works; NULL: none does on this GPU.
static object find_plan(void)
{
	object operations[] = {convolution(), rectification()};
	object graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
	object asked = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
	std::vector<object> found(32);
	int64_t count = 0;

	set_one(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, handle);
	set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 2, operations);
	set_object(asked, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, final(graph));
	set_one(asked, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_A);
	for (object &o : found)
		o = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
	must(cudnnBackendGetAttribute(final(asked), CUDNN_ATTR_ENGINEHEUR_RESULTS,
				      CUDNN_TYPE_BACKEND_DESCRIPTOR, (int64_t)found.size(), &count,
				      found.data()));
	for (int64_t i = 0; i < count && i < (int64_t)found.size(); i++) {
		object plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);

		set_one(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, handle);
		set_object(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, found[(size_t)i]);
		if (cudnnBackendFinalize(plan) == CUDNN_STATUS_SUCCESS)
			return plan;
		must(cudnnBackendDestroyDescriptor(plan));
	}
	return NULL;
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
