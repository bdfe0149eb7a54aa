// A library with networks, under the names of cuDNN. Its kernels come as machine code alone, and
// take their operands in a struct that says nothing of them.
#include <map>
#include <string.h>
#include <vector>
#include "tests/e2e/libraries/networks.h"
#include "testcases/common.h"

#define SUCCESS	  0
#define BAD	  2000
#define WORKSPACE 4096 // bytes that each plan needs

// Numbers of cuDNN.
enum {
	CONFIG = 3,
	HEURISTICS = 4,
	PLAN = 5,
	PACK = 16,
	DESCRIPTORS = 15,
	RESULTS = 202,
	PLAN_WORKSPACE_SIZE = 402,
	PLACES = 1001
};

struct network_handle {
	cudaStream_t stream;
};

// More than 64 bytes: which words of it are pointers is not known from outside.
struct operands {
	int64_t numbers[12];
	float *at[4];
};

static __global__ void compute(operands o)
{
	for (int i = 0; i < 4; i++)
		if (o.at[i])
			o.at[i][threadIdx.x] += 1;
}

static int run(cudnnHandle_t handle, const void *a, const void *b, const void *c)
{
	operands o = {{}, {(float *)a, (float *)b, (float *)c, NULL}};

	compute<<<1, 1, 0, handle->stream>>>(o);
	return cudaGetLastError() ? BAD : SUCCESS;
}

int cudnnCreate(cudnnHandle_t *handle)
{
	*handle = new network_handle();
	return SUCCESS;
}

int cudnnDestroy(cudnnHandle_t handle)
{
	delete handle;
	return SUCCESS;
}

int cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream)
{
	handle->stream = stream;
	return SUCCESS;
}

// ---- descriptors that are asked ----

// Numbers of all kinds of them, as they were set.
struct numbers {
	int type, format, dimensions, sizes[8], steps[8], more[8];
};

static int make(void **out)
{
	*out = new numbers();
	return SUCCESS;
}

static int copy(int *to, const int *from, int count)
{
	memcpy(to, from, (size_t)count * sizeof(*to));
	return SUCCESS;
}

int cudnnCreateTensorDescriptor(void **tensor)
{
	return make(tensor);
}

int cudnnCreateFilterDescriptor(void **filter)
{
	return make(filter);
}

int cudnnCreateConvolutionDescriptor(void **convolution)
{
	return make(convolution);
}

int cudnnCreateRNNDataDescriptor(void **sequences)
{
	return make(sequences);
}

int cudnnSetTensorNdDescriptor(void *tensor, int type, int dimensions, const int *sizes,
			       const int *steps)
{
	numbers *n = (numbers *)tensor;

	n->type = type;
	n->dimensions = dimensions;
	copy(n->steps, steps, dimensions);
	return copy(n->sizes, sizes, dimensions);
}

int cudnnGetTensorNdDescriptor(const void *tensor, int room, int *type, int *dimensions, int *sizes,
			       int *steps)
{
	const numbers *n = (const numbers *)tensor;

	*type = n->type;
	*dimensions = n->dimensions;
	copy(steps, n->steps, min(room, n->dimensions));
	return copy(sizes, n->sizes, min(room, n->dimensions));
}

int cudnnSetFilterNdDescriptor(void *filter, int type, int format, int dimensions, const int *sizes)
{
	((numbers *)filter)->format = format;
	return cudnnSetTensorNdDescriptor(filter, type, dimensions, sizes, sizes);
}

int cudnnGetFilterNdDescriptor(const void *filter, int room, int *type, int *format,
			       int *dimensions, int *sizes)
{
	int steps[8];

	*format = ((const numbers *)filter)->format;
	return cudnnGetTensorNdDescriptor(filter, room, type, dimensions, sizes, steps);
}

int cudnnSetConvolutionNdDescriptor(void *convolution, int dimensions, const int *paddings,
				    const int *strides, const int *dilations, int mode, int type)
{
	numbers *n = (numbers *)convolution;

	n->format = mode;
	copy(n->more, dilations, dimensions);
	return cudnnSetTensorNdDescriptor(convolution, type, dimensions, paddings, strides);
}

int cudnnGetConvolutionNdDescriptor(const void *convolution, int room, int *dimensions,
				    int *paddings, int *strides, int *dilations, int *mode,
				    int *type)
{
	const numbers *n = (const numbers *)convolution;

	*mode = n->format;
	copy(dilations, n->more, min(room, n->dimensions));
	return cudnnGetTensorNdDescriptor(convolution, room, type, dimensions, paddings, strides);
}

int cudnnCreatePoolingDescriptor(void **pooling)
{
	return make(pooling);
}

int cudnnSetPoolingNdDescriptor(void *pooling, int mode, int, int dimensions, const int *sizes,
				const int *paddings, const int *strides)
{
	return cudnnSetConvolutionNdDescriptor(pooling, dimensions, paddings, strides, sizes, mode,
					       0);
}

int cudnnGetPoolingNdDescriptor(const void *pooling, int room, int *mode, int *propagation,
				int *dimensions, int *sizes, int *paddings, int *strides)
{
	*propagation = 0;
	return cudnnGetConvolutionNdDescriptor(pooling, room, dimensions, paddings, strides, sizes,
					       mode, propagation);
}

int cudnnSetRNNDataDescriptor(void *sequences, int type, int layout, int longest, int count,
			      int elements, const int *lengths, void *)
{
	numbers *n = (numbers *)sequences;

	*n = {type, layout, count, {longest, elements}};
	return copy(n->more, lengths, count);
}

int cudnnGetRNNDataDescriptor(const void *sequences, int *type, int *layout, int *longest,
			      int *count, int *elements, int room, int *lengths, void *filling)
{
	const numbers *n = (const numbers *)sequences;

	*type = n->type;
	*layout = n->format;
	*longest = n->sizes[0];
	*elements = n->sizes[1];
	*count = n->dimensions;
	memset(filling, 0, sizeof(float));
	return copy(lengths, n->more, min(room, n->dimensions));
}

int cudnnGetRNNDescriptor_v8(const void *network, int *algorithm, int *, int *, int *, int *, int *,
			     int *, int *, int32_t *, int32_t *, int32_t *, int32_t *layers,
			     void **dropout, uint32_t *flags)
{
	*algorithm = *layers = 0;
	*flags = 0;
	*dropout = (void *)network;
	return SUCCESS;
}

static size_t state_bytes; // of the last one that was asked for

int cudnnGetDropoutDescriptor(const void *dropout, cudnnHandle_t, float *probability, void **states,
			      unsigned long long *seed)
{
	const network *n = (const network *)dropout;

	*probability = 0.5f;
	*states = n->states;
	*seed = 1;
	state_bytes = n->state_bytes;
	return SUCCESS;
}

int cudnnDropoutGetStatesSize(cudnnHandle_t, size_t *bytes)
{
	*bytes = state_bytes;
	return SUCCESS;
}

// ---- calls ----

int cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha, void *, const void *x, void *,
			    const void *w, void *, int algorithm, void *, size_t, const void *beta,
			    void *, void *y)
{
	// What the program asked for has to arrive.
	return alpha && beta && algorithm == 6 ? run(handle, x, w, y) : BAD;
}

int cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha, void *, const void *w,
				 void *, const void *dy, void *, int algorithm, void *, size_t,
				 const void *beta, void *, void *dx)
{
	return alpha && beta && algorithm == 1 ? run(handle, w, dy, dx) : BAD;
}

int cudnnDropoutForward(cudnnHandle_t handle, void *dropout, void *, const void *x, void *, void *y,
			void *, size_t)
{
	return run(handle, x, y, ((network *)dropout)->states);
}

int cudnnPoolingForward(cudnnHandle_t handle, void *pooling, const void *alpha, void *,
			const void *x, const void *beta, void *, void *y)
{
	return pooling && alpha && beta ? run(handle, x, y, NULL) : BAD;
}

int cudnnCTCLoss(cudnnHandle_t handle, void *, const void *x, const int *, const int *,
		 const int *lengths, void *costs, void *, void *dx, int, void *, void *, size_t)
{
	return lengths ? run(handle, x, costs, dx) : BAD;
}

int cudnnBatchNormalizationForwardTraining(cudnnHandle_t handle, int mode, const void *,
					   const void *, void *, const void *x, void *, void *y,
					   void *, const void *, const void *, double factor,
					   void *running_mean, void *, double epsilon, void *,
					   void *)
{
	return mode == 1 && factor == 0.5 && epsilon == 0.25 ? run(handle, x, y, running_mean)
							     : BAD;
}

int cudnnRNNForward(cudnnHandle_t handle, void *network_of, int mode, const int32_t *, void *,
		    const void *x, void *, void *y, void *, const void *, void *, void *,
		    const void *, void *, size_t, const void *, size_t, void *, size_t, void *saved)
{
	return mode == 1 && saved ? run(handle, x, y, ((network *)network_of)->states) : BAD;
}

// ---- graphs ----

struct attribute {
	int type;
	std::vector<int64_t> values;
};

struct object {
	int type;
	bool is_final;
	std::map<int, attribute> attributes;
};

static size_t value_bytes(int type)
{
	return type == 2 || type == 24 ? 1 : type == 3 || type == 6 || type == DESCRIPTORS ? 8 : 4;
}

int cudnnBackendCreateDescriptor(int type, void **descriptor)
{
	*descriptor = new object{type, false, {}};
	return SUCCESS;
}

int cudnnBackendDestroyDescriptor(void *descriptor)
{
	delete (object *)descriptor;
	return SUCCESS;
}

int cudnnBackendFinalize(void *descriptor)
{
	((object *)descriptor)->is_final = true;
	return SUCCESS;
}

int cudnnBackendSetAttribute(void *descriptor, int name, int type, int64_t count,
			     const void *values)
{
	object *o = (object *)descriptor;
	attribute a = {type, std::vector<int64_t>((size_t)count)};

	if (o->is_final)
		return BAD;
	for (size_t i = 0; i < (size_t)count; i++)
		memcpy(&a.values[i], (const char *)values + i * value_bytes(type),
		       value_bytes(type));
	o->attributes[name] = a;
	return SUCCESS;
}

// The heuristics know one engine, and the caller's descriptor becomes its configuration.
int cudnnBackendGetAttribute(void *descriptor, int name, int, int64_t room, int64_t *count,
			     void *values)
{
	object *o = (object *)descriptor;

	if (!o->is_final || room < 1)
		return BAD;
	*count = 1;
	if (o->type == HEURISTICS && name == RESULTS)
		return cudnnBackendFinalize(*(void **)values);
	if (o->type != PLAN || name != PLAN_WORKSPACE_SIZE)
		return BAD;
	*(int64_t *)values = WORKSPACE;
	return SUCCESS;
}

static bool place(const void *plan, void *pack, operands *all)
{
	const object *p = (const object *)plan;
	object *o = (object *)pack;

	if (p->type != PLAN || !p->is_final || o->type != PACK || !o->is_final)
		return false;
	std::vector<int64_t> &places = o->attributes[PLACES].values;
	for (size_t i = 0; i < places.size() && i < 4; i++)
		all->at[i] = (float *)places[i];
	return true;
}

int cudnnBackendExecute(cudnnHandle_t handle, void *plan, void *pack)
{
	operands all = {};

	if (!place(plan, pack, &all))
		return BAD;
	compute<<<1, 1, 0, handle->stream>>>(all);
	return cudaGetLastError() ? BAD : SUCCESS;
}

static cudaKernelNodeParams node_of(void **all)
{
	cudaKernelNodeParams node = {};

	node.func = (void *)compute;
	node.gridDim = node.blockDim = dim3(1);
	node.kernelParams = all;
	return node;
}

int cudnnBackendPopulateCudaGraph(cudnnHandle_t, void *plan, void *pack, void *graph)
{
	operands all = {};
	void *parameters[] = {&all};
	cudaKernelNodeParams params = node_of(parameters);
	cudaGraphNode_t node;

	if (!place(plan, pack, &all))
		return BAD;
	return cudaGraphAddKernelNode(&node, (cudaGraph_t)graph, NULL, 0, &params) ? BAD : SUCCESS;
}

int cudnnBackendUpdateCudaGraph(cudnnHandle_t, void *plan, void *pack, void *graph)
{
	operands all = {};
	void *parameters[] = {&all};
	cudaKernelNodeParams params = node_of(parameters);
	cudaGraphNode_t node;
	size_t count = 1;

	if (!place(plan, pack, &all) || cudaGraphGetNodes((cudaGraph_t)graph, &node, &count))
		return BAD;
	return cudaGraphKernelNodeSetParams(node, &params) ? BAD : SUCCESS;
}
