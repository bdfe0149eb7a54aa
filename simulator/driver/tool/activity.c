/* Records of finished work, into the tool's buffers. */
#include "simulator/driver/tool/activity.h"

#include <string.h>

#include "simulator/driver/tool/activity_state.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/driver.h"

struct sim_activity sim_activity = {.lock = PTHREAD_MUTEX_INITIALIZER};

union record {
	CUpti_Activity any;
	CUpti_ActivityKernel10 kernel;
	CUpti_ActivityMemcpy6 copy;
	CUpti_ActivityMemset4 fill;
};

size_t sim_activity_bytes(CUpti_ActivityKind kind)
{
	switch ((int)kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return sizeof(CUpti_ActivityKernel10);
	case CUPTI_ACTIVITY_KIND_MEMCPY: return sizeof(CUpti_ActivityMemcpy6);
	case CUPTI_ACTIVITY_KIND_MEMSET: return sizeof(CUpti_ActivityMemset4);
	}
	return 0;
}

void sim_activity_deliver(void)
{
	struct sim_activity *a = &sim_activity;
	uint8_t *buffer = a->buffer;

	a->buffer = NULL;
	if (buffer)
		a->complete(NULL, 0, buffer, a->size, a->used);
}

/* Room for a record; NULL: dropped. */
static void *take_room(size_t bytes)
{
	struct sim_activity *a = &sim_activity;
	size_t most;

	if (a->buffer && a->size - a->used < bytes)
		sim_activity_deliver();
	if (!a->buffer && a->request) {
		a->request(&a->buffer, &a->size, &most);
		a->used = 0;
	}
	if (!a->buffer || a->size - a->used < bytes) {
		atomic_fetch_add(&a->dropped, 1);
		return NULL;
	}
	a->used += bytes;
	return a->buffer + a->used - bytes;
}

static bool is_host(const struct sim_operand *o)
{
	return o->place == SIM_PLACE_PAGEABLE || o->place == SIM_PLACE_PINNED ||
	       o->place == SIM_PLACE_REGISTERED;
}

static uint8_t copy_kind(const struct sim_copy *copy)
{
	if (is_host(&copy->dst))
		return is_host(&copy->src) ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOH
					   : CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
	return is_host(&copy->src) ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
				   : CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
}

static uint64_t copied_bytes(const struct sim_copy *copy)
{
	uint64_t bytes = 0;

	for (; copy; copy = copy->next)
		bytes += (uint64_t)copy->width_bytes * copy->height * copy->depth;
	return bytes;
}

/* What the three kinds of records have in common. */
#define FILL_IN(record, op, start_ns, end_ns)                           \
	((record)->start = (start_ns), (record)->end = (end_ns),        \
	 (record)->deviceId = (uint32_t)(op)->context->device->ordinal, \
	 (record)->streamId = (uint32_t)(op)->stream_id,                \
	 (record)->correlationId = (op)->correlation)

static void fill_shape(CUpti_ActivityKernel10 *r, const struct sim_kernel *kernel)
{
	r->gridX = (int32_t)kernel->grid[0];
	r->gridY = (int32_t)kernel->grid[1];
	r->gridZ = (int32_t)kernel->grid[2];
	r->blockX = (int32_t)kernel->block[0];
	r->blockY = (int32_t)kernel->block[1];
	r->blockZ = (int32_t)kernel->block[2];
}

static CUpti_ActivityKind describe(union record *r, const struct sim_op *op, uint64_t start_ns,
				   uint64_t end_ns)
{
	const struct sim_fill *fill = &op->work.fill;

	switch (op->work.kind) {
	case SIM_WORK_KERNEL:
		FILL_IN(&r->kernel, op, start_ns, end_ns);
		fill_shape(&r->kernel, &op->work.kernel);
		return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	case SIM_WORK_COPY:
		FILL_IN(&r->copy, op, start_ns, end_ns);
		r->copy.copyKind = copy_kind(&op->work.copy);
		r->copy.bytes = copied_bytes(&op->work.copy);
		return CUPTI_ACTIVITY_KIND_MEMCPY;
	case SIM_WORK_FILL:
		FILL_IN(&r->fill, op, start_ns, end_ns);
		r->fill.bytes = (uint64_t)fill->width * fill->height * fill->element_bytes;
		return CUPTI_ACTIVITY_KIND_MEMSET;
	case SIM_WORK_EMPTY:
	case SIM_WORK_HOST:
	case SIM_WORK_MEMOP:
	case SIM_WORK_DECISION: break;
	}
	return CUPTI_ACTIVITY_KIND_INVALID;
}

bool sim_activity_has_kernels(void)
{
	return atomic_load(&sim_activity.is_enabled[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]);
}

void sim_activity_note(const struct sim_op *op, uint64_t start_ns, uint64_t end_ns)
{
	union record r = {0};
	CUpti_ActivityKind kind = describe(&r, op, start_ns, end_ns);
	size_t bytes = sim_activity_bytes(kind);
	void *room;

	if (!bytes || !atomic_load(&sim_activity.is_enabled[kind]))
		return;
	r.any.kind = kind;
	pthread_mutex_lock(&sim_activity.lock);
	room = take_room(bytes);
	if (room)
		memcpy(room, &r, bytes);
	pthread_mutex_unlock(&sim_activity.lock);
}
