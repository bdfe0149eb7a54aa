/* Launches in the forms that newer ones replaced.
 *
 * CUDA 2: a kernel keeps its shape and parameters, set one by one, until it is launched into the
 * legacy stream or a given one. On several devices at once (L-5): a launch for each, and records
 * and waits that say what the call orders among the streams.
 */
#include "interposer/call/row_functions.h"

#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/call/launch.h"
#include "interposer/core/put.h"
#include "interposer/object/handle.h"
#include "interposer/core/lock.h"

#define MOST_BYTES   4096 /* of parameters, as long as these calls were in use */
#define MOST_DEVICES 64

struct sc_old_launch {
	struct sc_lock lock; /* a leaf */
	uint32_t function;   /* the id of the kernel that it is of */
	uint32_t block[3];
	uint32_t shared_bytes;
	uint32_t bytes;
	bool is_beyond; /* parameters were set that do not fit in here */
	uint8_t values[MOST_BYTES];
};

/* ---- CUDA 2 ---- */

/* The record of the kernel may have been another's before. */
static void belong_to(struct sc_old_launch *old, uint32_t function)
{
	if (old->function == function)
		return;
	old->function = function;
	old->block[0] = old->block[1] = old->block[2] = 1;
	old->shared_bytes = old->bytes = 0;
	old->is_beyond = false;
	memset(old->values, 0, sizeof(old->values));
}

/* The launch parameters that were set for a kernel, locked; NULL: no memory. */
static struct sc_old_launch *open_state(CUfunction raw)
{
	struct sc_handle *h = sc_launch_see(raw);
	struct sc_old_launch *old = NULL, *made;

	if (!h)
		return NULL;
	/* acquire: pairs with the release of another thread's first sight */
	old = atomic_load_explicit(&h->old_launch, memory_order_acquire);
	if (!old) {
		made = sc_arena_get(sizeof(*made));
		if (made && atomic_compare_exchange_strong_explicit(&h->old_launch, &old, made,
								    memory_order_acq_rel,
								    memory_order_acquire))
			old = made;
	}
	if (old) {
		sc_lock_get(&old->lock);
		belong_to(old, h->id);
	}
	return old;
}

static void close_state(struct sc_old_launch *old)
{
	sc_lock_put(&old->lock);
}

/* AFTER functions of the rows that set something. */
void sc_launch_old_block(struct sc_call *call)
{
	const cuFuncSetBlockShape_params *p = call->params;
	struct sc_old_launch *old = open_state(p->hfunc);

	if (!old)
		return;
	old->block[0] = (uint32_t)p->x;
	old->block[1] = (uint32_t)p->y;
	old->block[2] = (uint32_t)p->z;
	close_state(old);
}

void sc_launch_old_shared(struct sc_call *call)
{
	const cuFuncSetSharedSize_params *p = call->params;
	struct sc_old_launch *old = open_state(p->hfunc);

	if (!old)
		return;
	old->shared_bytes = p->bytes;
	close_state(old);
}

void sc_launch_old_size(struct sc_call *call)
{
	const cuParamSetSize_params *p = call->params;
	struct sc_old_launch *old = open_state(p->hfunc);

	if (!old)
		return;
	old->bytes = p->numbytes;
	close_state(old);
}

static void set(CUfunction function, int offset, const void *bytes, size_t count)
{
	struct sc_old_launch *old = open_state(function);

	if (!old)
		return;
	if (offset < 0 || count > MOST_BYTES || (size_t)offset > MOST_BYTES - count)
		old->is_beyond = true;
	else
		memcpy(old->values + offset, bytes, count);
	close_state(old);
}

void sc_launch_old_int(struct sc_call *call)
{
	const cuParamSeti_params *p = call->params;

	set(p->hfunc, p->offset, &p->value, sizeof(p->value));
}

void sc_launch_old_float(struct sc_call *call)
{
	const cuParamSetf_params *p = call->params;

	set(p->hfunc, p->offset, &p->value, sizeof(p->value));
}

void sc_launch_old_bytes(struct sc_call *call)
{
	const cuParamSetv_params *p = call->params;

	set(p->hfunc, p->offset, p->ptr, p->numbytes);
}

static void launch(struct sc_call *call, CUfunction function, int width, int height)
{
	struct sc_old_launch *old = open_state(function);
	struct sc_launch shape = {.grid = {(uint32_t)width, (uint32_t)height, 1}};
	size_t bytes;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, NULL, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
			 CU_LAUNCH_PARAM_END};

	if (!old)
		return;
	memcpy(shape.block, old->block, sizeof(shape.block));
	shape.shared_bytes = old->shared_bytes;
	bytes = old->bytes;
	extra[1] = old->values;
	if (old->is_beyond || bytes > MOST_BYTES)
		sc_call_count_blind(call, 1);
	else
		sc_launch_attach(call, function, &shape, NULL, extra);
	close_state(old);
}

/* HAND functions of the rows that launch. */
void sc_launch_old_single(struct sc_call *call)
{
	const cuLaunch_params *p = call->params;

	launch(call, p->f, 1, 1);
}

void sc_launch_old_grid(struct sc_call *call)
{
	const cuLaunchGrid_params *p = call->params;

	launch(call, p->f, p->grid_width, p->grid_height);
}

void sc_launch_old_grid_async(struct sc_call *call)
{
	const cuLaunchGridAsync_params *p = call->params;

	launch(call, p->f, p->grid_width, p->grid_height);
}

/* ---- several devices ---- */

/* The op of the call, in the stream of one of its launches. */
static bool base_op(const struct sc_call *call, const CUDA_LAUNCH_PARAMS *one, struct sc_op *op)
{
	struct sc_handle *stream =
		sc_stream_resolve(one->hStream, call->per_thread, sc_context_for(one->hStream));

	if (!stream)
		return false;
	*op = call->op;
	op->result = 0; /* written when the call has succeeded */
	op->stream = stream->id;
	op->context = stream->context;
	op->device = (uint8_t)stream->device;
	return true;
}

static void put(const struct sc_op *base, enum sc_op_kind kind, uint32_t event)
{
	struct sc_op op = *base;

	op.kind = (uint16_t)kind;
	op.object = event;
	op.flags |= SC_FLAG_LIBRARY; /* the program made neither the event nor the call */
	sc_put_op(&op, NULL, 0);
}

/* Each stream waits for the work in all others. No event has an address inside the list. */
static void barrier(const struct sc_op *streams, uint32_t count, const void *list)
{
	uint32_t events[MOST_DEVICES];

	for (uint32_t i = 0; i < count; i++) {
		const struct sc_handle *h =
			sc_handle_make(SC_HANDLE_EVENT, (const char *)list + 1, 0, 0);

		events[i] = h ? h->id : 0;
		put(&streams[i], SC_OP_EVENT_RECORD, events[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < count; k++)
			if (i != k)
				put(&streams[i], SC_OP_EVENT_WAIT, events[k]);
}

static void launch_one(const struct sc_call *call, const CUDA_LAUNCH_PARAMS *one,
		       const struct sc_op *op)
{
	struct sc_launch shape = {.grid = {one->gridDimX, one->gridDimY, one->gridDimZ},
				  .block = {one->blockDimX, one->blockDimY, one->blockDimZ},
				  .shared_bytes = one->sharedMemBytes,
				  .attributes = SC_LAUNCH_COOPERATIVE};
	struct sc_call single = *call;

	single.op = *op;
	single.parts = 0;
	single.function = NULL;
	sc_launch_attach(&single, one->function, &shape, one->kernelParams, NULL);
	sc_put_op(&single.op, single.part, single.parts);
}

void sc_launch_old_devices(struct sc_call *call)
{
	const cuLaunchCooperativeKernelMultiDevice_params *p = call->params;
	struct sc_op streams[MOST_DEVICES] = {0};
	uint32_t count = 0;

	while (p->launchParamsList && count < p->numDevices && count < MOST_DEVICES &&
	       base_op(call, &p->launchParamsList[count], &streams[count]))
		count++;
	call->op.kind = SC_OP_NONE;
	if (count < p->numDevices)
		sc_call_count_blind(call, p->numDevices - count);
	if (!(p->flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC))
		barrier(streams, count, p->launchParamsList);
	for (uint32_t i = 0; i < count; i++)
		launch_one(call, &p->launchParamsList[i], &streams[i]);
	if (!(p->flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC))
		barrier(streams, count, p->launchParamsList);
}
