/* Making, checking and ending contexts. */
#include "simulator/driver/context/context.h"

#include <stdlib.h>

#include "simulator/driver/handle.h"
#include "simulator/driver/memory/heap.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/module/module.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/stream/stream.h"
#include "simulator/driver/tool/tool.h"

static CUcontext contexts; /* owned; linked by `next` */

CUcontext sim_context_first(void)
{
	return contexts;
}

static void set_default_limits(CUcontext context)
{
	context->limits[CU_LIMIT_STACK_SIZE] = 1024;
	context->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = (size_t)7 << 20;
	context->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = (size_t)8 << 20;
	context->limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
	context->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
	context->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
}

static void link_context(CUcontext context)
{
	context->next = contexts;
	contexts = context;
}

static void unlink_context(CUcontext context)
{
	CUcontext *link = &contexts;

	while (*link && *link != context)
		link = &(*link)->next;
	if (*link)
		*link = context->next;
}

/* The part that a primary context gets anew each time it is activated. */
static bool activate(CUcontext context)
{
	context->legacy = sim_stream_new(context, 0, 0);
	if (!context->legacy)
		return false;
	context->streams = context->legacy->next;
	context->legacy->next = NULL;
	context->legacy->is_legacy = true;
	context->error = CUDA_SUCCESS;
	context->peers = 0;
	set_default_limits(context);
	link_context(context);
	context->is_announced = false;
	sim_tool_add();
	return true;
}

CUresult sim_context_new(struct sim_device *device, unsigned int flags, CUcontext *context)
{
	if (!sim_schedule_start())
		return CUDA_ERROR_OUT_OF_MEMORY;
	*context = sim_handle_new(SIM_KIND_CONTEXT, sizeof(**context));
	if (!*context)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*context)->id = sim_next_id();
	(*context)->device = device;
	(*context)->flags = flags;
	if (activate(*context))
		return CUDA_SUCCESS;
	sim_handle_remove(*context);
	free(*context);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Ends everything that belongs to the context; it is no live handle from here on. */
static void deactivate(CUcontext context)
{
	CUstream stream;

	sim_handle_remove(context);
	unlink_context(context);
	sim_context_wait(context);
	sim_output_end(&context->output);
	sim_heap_free(context->heap);
	context->heap = NULL;
	sim_module_free_all(context);
	sim_memory_remove_context(context);
	while ((stream = context->streams)) {
		context->streams = stream->next;
		sim_stream_free(stream);
	}
	context->retired = 0;
	sim_stream_free(context->legacy);
	context->legacy = NULL;
}

struct sim_heap *sim_context_heap(CUcontext context)
{
	CUcontext home = sim_context_home(context);
	size_t bytes = home->limits[CU_LIMIT_MALLOC_HEAP_SIZE];
	struct sim_alloc *memory;

	if (home->heap || sim_memory_new_device(home->device, bytes, &memory) != CUDA_SUCCESS)
		return home->heap;
	home->heap = sim_heap_new(memory->base, bytes);
	if (!home->heap) {
		sim_memory_remove(memory);
		return NULL;
	}
	memory->context = home;
	memory->is_module = true;
	return home->heap;
}

void sim_context_print(CUcontext context)
{
	CUcontext home = sim_context_home(context);

	if (!home || !sim_output_is_used(&home->output))
		return;
	sim_unlock();
	sim_output_write(&home->output);
	sim_lock();
}

void sim_context_free(CUcontext context)
{
	deactivate(context);
	free(context);
}

CUresult sim_context_check(CUcontext context)
{
	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!sim_handle_is(context, SIM_KIND_CONTEXT))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	return context->error;
}

CUresult sim_context_primary(struct sim_device *device, CUcontext *context)
{
	CUresult result;

	*context = device->primary;
	if (!device->primary) {
		result = sim_context_new(device, device->primary_flags, &device->primary);
		if (result != CUDA_SUCCESS)
			return result;
		device->primary->is_primary = true;
		*context = device->primary;
		return CUDA_SUCCESS;
	}
	if (sim_handle_is(*context, SIM_KIND_CONTEXT))
		return CUDA_SUCCESS;
	(*context)->flags = device->primary_flags;
	if (!sim_handle_add(*context, SIM_KIND_CONTEXT))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return activate(*context) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

void sim_context_end_primary(struct sim_device *device)
{
	if (device->primary && sim_handle_is(device->primary, SIM_KIND_CONTEXT))
		deactivate(device->primary);
}
