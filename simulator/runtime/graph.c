/* Translates the parameters of graph nodes between the runtime's and the driver's forms. */
#include "simulator/runtime/graph.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/runtime/copy.h"
#include "simulator/runtime/copy3d.h"
#include "simulator/runtime/lock.h"
#include "simulator/runtime/register.h"

CUcontext rt_graph_context(const struct rt_calls *cu)
{
	CUcontext context = NULL;

	(void)cu->cuCtxGetCurrent(&context);
	return context;
}

static CUresult encode_kernel(const struct cudaKernelNodeParams *from, CUDA_KERNEL_NODE_PARAMS *to)
{
	if (!from)
		return CUDA_ERROR_INVALID_VALUE;
	*to = (CUDA_KERNEL_NODE_PARAMS){
		.gridDimX = from->gridDim.x,
		.gridDimY = from->gridDim.y,
		.gridDimZ = from->gridDim.z,
		.blockDimX = from->blockDim.x,
		.blockDimY = from->blockDim.y,
		.blockDimZ = from->blockDim.z,
		.sharedMemBytes = from->sharedMemBytes,
		.kernelParams = from->kernelParams,
		.extra = from->extra,
	};
	return rt_kernel(from->func, &to->kern);
}

CUresult rt_graph_add_kernel(const struct rt_calls *cu, const struct rt_node *at,
			     const struct cudaKernelNodeParams *wanted)
{
	CUDA_KERNEL_NODE_PARAMS driver;
	CUresult err = encode_kernel(wanted, &driver);

	if (err)
		return err;
	return cu->cuGraphAddKernelNode(at->node, at->graph, at->dependencies, at->count, &driver);
}

CUresult rt_graph_kernel_get(const struct rt_calls *cu, cudaGraphNode_t node,
			     struct cudaKernelNodeParams *found)
{
	CUDA_KERNEL_NODE_PARAMS driver = {0};
	CUkernel kernel;
	CUresult err;

	if (!found)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuGraphKernelNodeGetParams(node, &driver);
	if (err)
		return err;
	kernel = driver.kern ? driver.kern : (CUkernel)driver.func;
	*found = (struct cudaKernelNodeParams){
		.func = (void *)rt_kernel_host(kernel),
		.gridDim = {driver.gridDimX, driver.gridDimY, driver.gridDimZ},
		.blockDim = {driver.blockDimX, driver.blockDimY, driver.blockDimZ},
		.sharedMemBytes = driver.sharedMemBytes,
		.kernelParams = driver.kernelParams,
		.extra = driver.extra,
	};
	return CUDA_SUCCESS;
}

CUresult rt_graph_kernel_set(const struct rt_calls *cu, cudaGraphNode_t node,
			     const struct cudaKernelNodeParams *wanted)
{
	CUDA_KERNEL_NODE_PARAMS driver;
	CUresult err = encode_kernel(wanted, &driver);

	return err ? err : cu->cuGraphKernelNodeSetParams(node, &driver);
}

CUresult rt_graph_exec_kernel_set(const struct rt_calls *cu, cudaGraphExec_t exec,
				  cudaGraphNode_t node, const struct cudaKernelNodeParams *wanted)
{
	CUDA_KERNEL_NODE_PARAMS driver;
	CUresult err = encode_kernel(wanted, &driver);

	return err ? err : cu->cuGraphExecKernelNodeSetParams(exec, node, &driver);
}

static CUresult add_copy(const struct rt_calls *cu, const struct rt_node *at,
			 const CUDA_MEMCPY3D *driver)
{
	return cu->cuGraphAddMemcpyNode(at->node, at->graph, at->dependencies, at->count, driver,
					rt_graph_context(cu));
}

static CUresult set_copy(const struct rt_calls *cu, cudaGraphExec_t exec, cudaGraphNode_t node,
			 const CUDA_MEMCPY3D *driver)
{
	if (exec)
		return cu->cuGraphExecMemcpyNodeSetParams(exec, node, driver, rt_graph_context(cu));
	return cu->cuGraphMemcpyNodeSetParams(node, driver);
}

CUresult rt_graph_add_copy(const struct rt_calls *cu, const struct rt_node *at,
			   const struct cudaMemcpy3DParms *copy)
{
	CUDA_MEMCPY3D driver = {0};
	CUresult err = rt_copy_3d_encode(cu, copy, &driver);

	return err ? err : add_copy(cu, at, &driver);
}

CUresult rt_graph_copy_get(const struct rt_calls *cu, cudaGraphNode_t node,
			   struct cudaMemcpy3DParms *copy)
{
	CUDA_MEMCPY3D driver = {0};
	CUresult err;

	if (!copy)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuGraphMemcpyNodeGetParams(node, &driver);
	return err ? err : rt_copy_3d_decode(cu, &driver, copy);
}

CUresult rt_graph_copy_set(const struct rt_calls *cu, cudaGraphExec_t exec, cudaGraphNode_t node,
			   const struct cudaMemcpy3DParms *copy)
{
	CUDA_MEMCPY3D driver = {0};
	CUresult err = rt_copy_3d_encode(cu, copy, &driver);

	return err ? err : set_copy(cu, exec, node, &driver);
}

/* A linear copy is a box of one row. */
static CUresult encode_linear(const struct rt_calls *cu, const struct rt_linear *linear,
			      CUDA_MEMCPY3D *driver)
{
	void *to = (void *)linear->to, *from = (void *)linear->from;
	size_t bytes = linear->bytes;
	struct cudaMemcpy3DParms copy = {.kind = linear->kind, .extent = {bytes, 1, 1}};
	CUresult err = CUDA_SUCCESS;

	if (linear->symbol == RT_SYMBOL_TO)
		err = rt_symbol_range(linear->to, linear->offset, bytes, &to);
	else if (linear->symbol == RT_SYMBOL_FROM)
		err = rt_symbol_range(linear->from, linear->offset, bytes, &from);
	if (err)
		return err;
	copy.dstPtr = (struct cudaPitchedPtr){.ptr = to, .pitch = bytes, bytes, 1};
	copy.srcPtr = (struct cudaPitchedPtr){.ptr = from, .pitch = bytes, bytes, 1};
	return rt_copy_3d_encode(cu, &copy, driver);
}

CUresult rt_graph_add_linear(const struct rt_calls *cu, const struct rt_node *at,
			     const struct rt_linear *copy)
{
	CUDA_MEMCPY3D driver = {0};
	CUresult err = encode_linear(cu, copy, &driver);

	return err ? err : add_copy(cu, at, &driver);
}

CUresult rt_graph_linear_set(const struct rt_calls *cu, cudaGraphExec_t exec, cudaGraphNode_t node,
			     const struct rt_linear *copy)
{
	CUDA_MEMCPY3D driver = {0};
	CUresult err = encode_linear(cu, copy, &driver);

	return err ? err : set_copy(cu, exec, node, &driver);
}

CUresult rt_graph_add_fill(const struct rt_calls *cu, const struct rt_node *at,
			   const struct cudaMemsetParams *fill)
{
	return cu->cuGraphAddMemsetNode(at->node, at->graph, at->dependencies, at->count,
					(const void *)fill, rt_graph_context(cu));
}

static CUresult encode_general_kernel(const struct cudaKernelNodeParamsV2 *from,
				      CUDA_KERNEL_NODE_PARAMS_v3 *to)
{
	const struct cudaKernelNodeParams plain = {
		.func = from->func,
		.gridDim = from->gridDim,
		.blockDim = from->blockDim,
		.sharedMemBytes = from->sharedMemBytes,
		.kernelParams = from->kernelParams,
		.extra = from->extra,
	};
	CUDA_KERNEL_NODE_PARAMS driver;
	CUresult err = encode_kernel(&plain, &driver);

	if (!err)
		memcpy(to, &driver, sizeof(*to));
	return err;
}

static CUresult encode_general(const struct rt_calls *cu, const struct cudaGraphNodeParams *from,
			       CUgraphNodeParams *to)
{
	memcpy(to, from, sizeof(*to));
	if (from->type == cudaGraphNodeTypeKernel)
		return encode_general_kernel(&from->kernel, &to->kernel);
	if (from->type == cudaGraphNodeTypeMemset)
		to->memset.ctx = rt_graph_context(cu);
	if (from->type != cudaGraphNodeTypeMemcpy)
		return CUDA_SUCCESS;
	memset(&to->memcpy, 0, sizeof(to->memcpy));
	to->memcpy.flags = from->memcpy.flags;
	to->memcpy.copyCtx = rt_graph_context(cu);
	return rt_copy_3d_encode(cu, &from->memcpy.copyParams, &to->memcpy.copyParams);
}

/* Allocations and conditionals answer in the parameters themselves. */
static void decode_results(const CUgraphNodeParams *from, struct cudaGraphNodeParams *to)
{
	if (to->type == cudaGraphNodeTypeMemAlloc)
		to->alloc.dptr = (void *)from->alloc.dptr;
	if (to->type == cudaGraphNodeTypeConditional)
		to->conditional.phGraph_out = from->conditional.phGraph_out;
}

CUresult rt_graph_add_node(const struct rt_calls *cu, const struct rt_node *at,
			   const cudaGraphEdgeData *edges, struct cudaGraphNodeParams *wanted)
{
	CUgraphNodeParams driver;
	CUresult err;

	if (!wanted)
		return CUDA_ERROR_INVALID_VALUE;
	err = encode_general(cu, wanted, &driver);
	if (!err)
		err = cu->cuGraphAddNode(at->node, at->graph, at->dependencies, (const void *)edges,
					 at->count, &driver);
	if (!err)
		decode_results(&driver, wanted);
	return err;
}

CUresult rt_graph_node_set(const struct rt_calls *cu, cudaGraphExec_t exec, cudaGraphNode_t node,
			   struct cudaGraphNodeParams *wanted)
{
	CUgraphNodeParams driver;
	CUresult err;

	if (!wanted)
		return CUDA_ERROR_INVALID_VALUE;
	err = encode_general(cu, wanted, &driver);
	if (err)
		return err;
	if (exec)
		return cu->cuGraphExecNodeSetParams(exec, node, &driver);
	return cu->cuGraphNodeSetParams(node, &driver);
}

/* ---- parameters of a node, in the runtime's form ---- */

static void decode_general_kernel(const CUDA_KERNEL_NODE_PARAMS_v3 *from,
				  struct cudaKernelNodeParamsV2 *to)
{
	CUkernel kernel = from->kern ? from->kern : (CUkernel)from->func;

	*to = (struct cudaKernelNodeParamsV2){
		.func = (void *)rt_kernel_host(kernel),
		.gridDim = {from->gridDimX, from->gridDimY, from->gridDimZ},
		.blockDim = {from->blockDimX, from->blockDimY, from->blockDimZ},
		.sharedMemBytes = from->sharedMemBytes,
		.kernelParams = from->kernelParams,
		.extra = from->extra,
	};
	if (to->func)
		return;
	to->kern = (cudaKernel_t)kernel; /* none that the program registered */
	to->functionType = cudaKernelFunctionTypeKernel;
}

static CUresult decode_general(const struct rt_calls *cu, const CUgraphNodeParams *from,
			       struct cudaGraphNodeParams *to)
{
	memcpy(to, from, sizeof(*to));
	if (to->type == cudaGraphNodeTypeKernel)
		decode_general_kernel(&from->kernel, &to->kernel);
	if (to->type != cudaGraphNodeTypeMemcpy)
		return CUDA_SUCCESS;
	memset(&to->memcpy, 0, sizeof(to->memcpy));
	to->memcpy.flags = from->memcpy.flags;
	return rt_copy_3d_decode(cu, &from->memcpy.copyParams, &to->memcpy.copyParams);
}

CUresult rt_graph_node_get(const struct rt_calls *cu, cudaGraphNode_t node,
			   struct cudaGraphNodeParams *found)
{
	CUgraphNodeParams driver;
	CUresult err;

	if (!found)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuGraphNodeGetParams(node, &driver);
	return err ? err : decode_general(cu, &driver, found);
}

/* ---- recapture ---- */

/* What the driver is given for a function of the program: kept for good, once for each function
 * with its data, because no call of the runtime says when a capture is over. */
struct rt_recapture {
	struct cudaGraphRecaptureCallbackData program;
	const struct rt_calls *cu;
	struct rt_recapture *next;
};

static struct rt_recapture *recaptures;

static CUresult CUDA_CB ask_program(void *data, CUgraphNode node, const CUgraphNodeParams *before,
				    const CUgraphNodeParams *after, CUgraphRecaptureStatus status)
{
	const struct rt_recapture *r = data;
	struct cudaGraphNodeParams old, new;

	if (decode_general(r->cu, before, &old) || decode_general(r->cu, after, &new))
		return CUDA_ERROR_INVALID_VALUE;
	return (CUresult)r->program.callbackFunc(r->program.userData, node, &old, &new,
						 (enum cudaGraphRecaptureStatus)status);
}

static struct rt_recapture *keep(const struct rt_calls *cu,
				 const struct cudaGraphRecaptureCallbackData *program)
{
	struct rt_recapture *r;

	rt_lock();
	for (r = recaptures; r; r = r->next)
		if (r->program.callbackFunc == program->callbackFunc &&
		    r->program.userData == program->userData)
			break;
	if (!r && (r = malloc(sizeof(*r)))) {
		*r = (struct rt_recapture){*program, cu, recaptures};
		recaptures = r;
	}
	rt_unlock();
	return r;
}

CUresult rt_graph_recapture(const struct rt_calls *cu, cudaStream_t stream,
			    enum cudaStreamCaptureMode mode, cudaGraph_t graph,
			    const struct cudaGraphRecaptureCallbackData *program)
{
	struct rt_recapture *kept;

	if (!program || !program->callbackFunc)
		return cu->cuStreamBeginRecaptureToGraph(stream, (int)mode, graph, NULL, NULL);
	kept = keep(cu, program);
	if (!kept)
		return CUDA_ERROR_OUT_OF_MEMORY;
	return cu->cuStreamBeginRecaptureToGraph(stream, (int)mode, graph, ask_program, kept);
}
