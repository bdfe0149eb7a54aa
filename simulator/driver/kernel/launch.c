/* Checking and enqueuing launches. */
#include "simulator/driver/kernel/launch.h"

#include <string.h>

#include "simulator/driver/api.h"
#include "simulator/driver/graph/capture.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/stream/event.h"
#include "simulator/driver/graph/graph_capture.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/module/module.h"
#include "simulator/driver/graph/node_api.h"
#include "simulator/driver/module/program.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/context/thread.h"
#include "simulator/driver/tool/tool.h"
#include "simulator/executor/executor.h"

static bool fits(unsigned int value, unsigned int most)
{
	return value && value <= most;
}

static CUresult check_shape(const CUDA_KERNEL_NODE_PARAMS *params,
			    const struct sim_image_kernel *image)
{
	uint64_t threads = (uint64_t)params->blockDimX * params->blockDimY * params->blockDimZ;

	if (!fits(params->gridDimX, 0x7fffffff) || !fits(params->gridDimY, 65535) ||
	    !fits(params->gridDimZ, 65535) || !fits(params->blockDimX, 1024) ||
	    !fits(params->blockDimY, 1024) || !fits(params->blockDimZ, 64) ||
	    threads > SIM_MAX_BLOCK_THREADS || threads > image->max_threads)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult check_shared(const CUDA_KERNEL_NODE_PARAMS *params, CUfunction function)
{
	return params->sharedMemBytes > sim_function_most_dynamic(function)
		       ? CUDA_ERROR_INVALID_VALUE
		       : CUDA_SUCCESS;
}

/* Either kernelParams or extra; a pointer for each parameter. */
static CUresult check_params(const CUDA_KERNEL_NODE_PARAMS *params,
			     const struct sim_image_kernel *image)
{
	uint32_t i;

	if (params->kernelParams && params->extra)
		return CUDA_ERROR_INVALID_VALUE;
	if (!image->param_count || params->extra)
		return CUDA_SUCCESS;
	if (!params->kernelParams)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < image->param_count; i++)
		if (!params->kernelParams[i])
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* A function belongs to one context; a kernel takes the context of the stream (D-5). */
static CUresult check_function(CUfunction function, CUcontext context)
{
	if (sim_handle_is(function, SIM_KIND_KERNEL))
		return CUDA_SUCCESS;
	if (!sim_handle_is(function, SIM_KIND_FUNCTION) ||
	    sim_context_home(function->module->context) != sim_context_home(context))
		return CUDA_ERROR_INVALID_HANDLE;
	return CUDA_SUCCESS;
}

CUresult sim_launch_check(const CUDA_KERNEL_NODE_PARAMS *params, CUcontext context)
{
	CUfunction function = params->func ? params->func : (CUfunction)params->kern;
	const struct sim_image_kernel *image;
	CUresult result = check_function(function, context);

	if (result != CUDA_SUCCESS)
		return result;
	image = sim_function_image(function);
	result = check_shape(params, image);
	if (result == CUDA_SUCCESS)
		result = check_shared(params, function);
	return result == CUDA_SUCCESS ? check_params(params, image) : result;
}

/* Bytes of a `void *extra[]` argument buffer, NULL if there is none. */
static const void *extra_buffer(void **extra, size_t *size)
{
	const void *buffer = NULL;

	*size = 0;
	for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
			*size = *(const size_t *)extra[1];
		else
			return NULL;
	}
	return buffer;
}

/* Where a parameter's bytes are: at its own pointer, or in the buffer. */
static const void *param_source(const CUDA_KERNEL_NODE_PARAMS *params,
				const struct sim_image_param *param, uint32_t index)
{
	size_t size;
	const char *buffer = extra_buffer(params->extra, &size);

	if (params->kernelParams)
		return params->kernelParams[index];
	if (!buffer || param->offset_bytes + param->size_bytes > size)
		return NULL;
	return buffer + param->offset_bytes;
}

/* ptxas aligns the place in the constant bank, which does not begin at a multiple of 128; PTX has
 * offsets from the first parameter. */
static size_t offset_of(const struct sim_image_kernel *image, const struct exec_kernel *kernel,
			uint32_t i)
{
	return kernel ? exec_kernel_param(kernel, i) : image->params[i].offset_bytes;
}

size_t sim_launch_params_bytes(const struct sim_image_kernel *image,
			       const struct exec_kernel *kernel)
{
	size_t end, most = 0;
	uint32_t i;

	for (i = 0; i < image->param_count; i++)
		if (!__builtin_add_overflow(offset_of(image, kernel, i),
					    image->params[i].size_bytes, &end) &&
		    end > most)
			most = end;
	return most;
}

bool sim_launch_copy_params(const CUDA_KERNEL_NODE_PARAMS *params,
			    const struct sim_image_kernel *image, const struct exec_kernel *kernel,
			    char *to)
{
	size_t offset, most = sim_launch_params_bytes(image, kernel);
	const void *source;
	uint32_t i;

	for (i = 0; i < image->param_count; i++) {
		source = param_source(params, &image->params[i], i);
		offset = offset_of(image, kernel, i);
		if (!source || most < image->params[i].size_bytes ||
		    offset > most - image->params[i].size_bytes)
			return false;
		memcpy(to + offset, source, image->params[i].size_bytes);
	}
	return true;
}

CUresult sim_launch_work(const CUDA_KERNEL_NODE_PARAMS *params, const CUlaunchAttribute *attrs,
			 size_t attr_count, CUcontext context, bool is_cooperative,
			 struct sim_kernel *kernel)
{
	CUfunction function = params->func ? params->func : (CUfunction)params->kern;
	CUresult result;

	*kernel = (struct sim_kernel){
		.grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
		.block = {params->blockDimX, params->blockDimY, params->blockDimZ}};
	result = sim_launch_cluster(params, attrs, attr_count, kernel->cluster);
	if (result != CUDA_SUCCESS)
		return result;
	if (!sim_driver.failing || !strstr(sim_function_image(function)->name, sim_driver.failing))
		return sim_program_prepare(params, context, is_cooperative, kernel);
	kernel->outcome = CUDA_ERROR_ILLEGAL_ADDRESS;
	return CUDA_SUCCESS;
}

/* What a launch is given besides its kernel. */
struct options {
	const CUlaunchAttribute *attrs;
	unsigned int attr_count;
	bool is_cooperative;
	bool may_overlap;   /* the kernel before it in the stream (L-2) */
	CUevent event;	    /* recorded with the launch (L-3, L-4), or NULL */
	unsigned char port; /* of the kernel that the event stands for */
	const CUDA_KERNEL_NODE_PARAMS *params;
};

/* The attributes go to the node; what is weak about the launch becomes edges (L-2 to L-4). */
static CUresult capture(const CUDA_KERNEL_NODE_PARAMS *params, const struct options *options,
			CUstream stream)
{
	CUresult result;

	if (options->may_overlap)
		sim_capture_loosen(stream);
	result = sim_graph_capture_kernel(stream, params);
	if (result == CUDA_SUCCESS && options->attr_count)
		result = sim_node_set_attributes(stream->kernel_head, options->attrs,
						 options->attr_count);
	if (result == CUDA_SUCCESS && options->event)
		result = sim_event_capture_launch(options->event, stream, options->port);
	return result;
}

static CUresult submit(const struct options *options, CUstream stream, bool may_overlap)
{
	struct sim_kernel kernel;
	CUresult result = sim_launch_work(options->params, options->attrs, options->attr_count,
					  stream->context, options->is_cooperative, &kernel);

	return result == CUDA_SUCCESS ? sim_stream_submit_kernel(stream, &kernel, may_overlap)
				      : result;
}

/*
 * Both kinds of launch events promise the kernel's start at most, never its end (L-3, L-4): an op
 * right before the kernel records them.
 */
static CUresult enqueue(const struct options *options, CUstream stream)
{
	CUresult result;

	if (!options->event)
		return submit(options, stream, options->may_overlap);
	if (sim_context_home(options->event->context) != sim_context_home(stream->context))
		return CUDA_ERROR_INVALID_HANDLE;
	result = sim_stream_join(stream, NULL);
	if (result != CUDA_SUCCESS)
		return result;
	sim_event_set_record(options->event, stream->tail);
	return submit(options, stream, false);
}

static CUresult check(const CUDA_KERNEL_NODE_PARAMS *params, CUstream handle, CUstream *stream)
{
	CUresult result = sim_stream_get_for_work(handle, stream);

	return result == CUDA_SUCCESS ? sim_launch_check(params, (*stream)->context) : result;
}

/* Blocks that wait for each other have to run at one time. */
static CUresult check_at_once(const CUDA_KERNEL_NODE_PARAMS *params)
{
	uint64_t grid = (uint64_t)params->gridDimX * params->gridDimY * params->gridDimZ;
	unsigned int block = params->blockDimX * params->blockDimY * params->blockDimZ;
	int most = 0;
	CUresult result = sim_cuOccupancyMaxActiveBlocksPerMultiprocessor(
		&most, params->func, (int)block, params->sharedMemBytes);

	if (result == CUDA_SUCCESS && grid > (uint64_t)most * SIM_MULTIPROCESSORS)
		return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
	return result;
}

static CUresult launch(const CUDA_KERNEL_NODE_PARAMS *params, struct options *options,
		       CUstream handle)
{
	CUstream stream;
	CUresult result;

	sim_context_print(sim_thread_context());
	result = check(params, handle, &stream);
	if (result == CUDA_SUCCESS && !stream->capture && sim_tool()) {
		result = sim_tool()->launch(params, options->attrs, options->attr_count, stream);
		if (result == CUDA_SUCCESS)
			result = check(params, handle, &stream);
	}
	options->params = params;
	if (result == CUDA_SUCCESS && options->is_cooperative)
		result = check_at_once(params);
	if (result == CUDA_SUCCESS)
		result = stream->capture ? capture(params, options, stream)
					 : enqueue(options, stream);
	sim_tool_launched();
	return result;
}

CUresult sim_cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
			    unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
			    unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
			    void **kernelParams, void **extra)
{
	CUDA_KERNEL_NODE_PARAMS params = {.func = f,
					  .gridDimX = gridDimX,
					  .gridDimY = gridDimY,
					  .gridDimZ = gridDimZ,
					  .blockDimX = blockDimX,
					  .blockDimY = blockDimY,
					  .blockDimZ = blockDimZ,
					  .sharedMemBytes = sharedMemBytes,
					  .kernelParams = kernelParams,
					  .extra = extra};

	struct options none = {0};

	return launch(&params, &none, hStream);
}

CUresult sim_cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
				       unsigned int gridDimZ, unsigned int blockDimX,
				       unsigned int blockDimY, unsigned int blockDimZ,
				       unsigned int sharedMemBytes, CUstream hStream,
				       void **kernelParams)
{
	CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
				       .value = {.cooperative = 1}};
	const CUlaunchConfig config = {.gridDimX = gridDimX,
				       .gridDimY = gridDimY,
				       .gridDimZ = gridDimZ,
				       .blockDimX = blockDimX,
				       .blockDimY = blockDimY,
				       .blockDimZ = blockDimZ,
				       .sharedMemBytes = sharedMemBytes,
				       .hStream = hStream,
				       .attrs = &attribute,
				       .numAttrs = 1};

	return sim_cuLaunchKernelEx(&config, f, kernelParams, NULL);
}

static CUresult set_event(struct options *options, CUevent event, unsigned char port)
{
	if (!sim_handle_use(event, SIM_KIND_EVENT) || !(event->flags & CU_EVENT_DISABLE_TIMING) ||
	    (event->flags & CU_EVENT_INTERPROCESS) || options->event)
		return CUDA_ERROR_INVALID_VALUE;
	options->event = event;
	options->port = port;
	return CUDA_SUCCESS;
}

/* Attributes that only hint at placement (rule L-6) change nothing. */
static CUresult read_attribute(const CUlaunchAttribute *attribute, struct options *options)
{
	const CUlaunchAttributeValue *value = &attribute->value;

	switch ((int)attribute->id) {
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
		options->may_overlap = value->programmaticStreamSerializationAllowed != 0;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		options->is_cooperative = value->cooperative != 0;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
		return set_event(options, value->programmaticEvent.event,
				 value->programmaticEvent.triggerAtBlockStart
					 ? CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER
					 : CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
	case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
		return set_event(options, value->launchCompletionEvent.event,
				 CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER);
	case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
		return sim_call_unsupported("the launch attribute DEVICE_UPDATABLE_KERNEL_NODE");
	}
	return CUDA_SUCCESS;
}

CUresult sim_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
			      void **extra)
{
	struct options options = {0};
	CUDA_KERNEL_NODE_PARAMS params;
	CUresult result = CUDA_SUCCESS;
	unsigned int i;

	if (!config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	options.attrs = config->attrs;
	options.attr_count = config->numAttrs;
	for (i = 0; i < config->numAttrs && result == CUDA_SUCCESS; i++)
		result = read_attribute(&config->attrs[i], &options);
	if (result != CUDA_SUCCESS)
		return result;
	params = (CUDA_KERNEL_NODE_PARAMS){.func = f,
					   .gridDimX = config->gridDimX,
					   .gridDimY = config->gridDimY,
					   .gridDimZ = config->gridDimZ,
					   .blockDimX = config->blockDimX,
					   .blockDimY = config->blockDimY,
					   .blockDimZ = config->blockDimZ,
					   .sharedMemBytes = config->sharedMemBytes,
					   .kernelParams = kernelParams,
					   .extra = extra};
	return launch(&params, &options, config->hStream);
}
