/* CUDA arrays: their shape and their place in the trace's address space. */
#include "interposer/call/array.h"

#include "interposer/driver/driver.h"
#include "interposer/driver/simulated.h"
#include "interposer/core/put.h"
#include "interposer/object/handle.h"
#include "interposer/call/row_functions.h"

static uint64_t element_bytes(CUarray_format format, unsigned channels)
{
	switch ((unsigned)format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8: return channels;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF: return 2ull * channels;
	}
	return 4ull * channels; /* 32-bit formats; block formats are over-approximated */
}

static uint64_t count(uint64_t n)
{
	return n ? n : 1;
}

static void shape(struct sc_call *call, uint64_t row, uint64_t rows, uint64_t slices)
{
	call->facts.pitch = row;
	call->facts.value = rows;
	call->facts.bytes = row * rows * slices;
}

/* HAND functions of the rows that create arrays: how many bytes one has. */
void sc_array_create(struct sc_call *call)
{
	const cuArrayCreate_v2_params *p = call->params;
	const CUDA_ARRAY_DESCRIPTOR *d = p->pAllocateArray;

	shape(call, d->Width * element_bytes(d->Format, d->NumChannels), count(d->Height), 1);
}

void sc_array_create_3d(struct sc_call *call)
{
	const cuArray3DCreate_v2_params *p = call->params;
	const CUDA_ARRAY3D_DESCRIPTOR *d = p->pAllocateArray;

	shape(call, d->Width * element_bytes(d->Format, d->NumChannels), count(d->Height),
	      count(d->Depth));
}

struct sc_handle *sc_array_made(struct sc_call *call)
{
	struct sc_handle *h =
		sc_handle_make(SC_HANDLE_ARRAY, call->facts.handle, 0, call->op.context);

	if (h) {
		h->row_bytes = call->facts.pitch;
		h->row_count = call->facts.value;
		sc_simulated_place_array((void *)call->facts.handle, SC_ARRAY_ADDRESS(h->id));
	}
	return h;
}

void sc_array_freed(const void *array, uint32_t id)
{
	struct sc_handle *h = sc_handle_find(SC_HANDLE_ARRAY, array);

	if (h && !h->was_freed && h->id != id)
		return;
	h = sc_handle_make(SC_HANDLE_ARRAY, array, 0, 0);
	if (h)
		h->was_freed = true;
}

struct sc_handle *sc_array_see(CUarray array)
{
	struct sc_handle *h = sc_handle_see(SC_HANDLE_ARRAY, array);
	CUDA_ARRAY3D_DESCRIPTOR d;

	if (!h || h->row_bytes || h->was_freed || !sc_driver()->ArrayGetDescriptor ||
	    sc_driver()->ArrayGetDescriptor(&d, array))
		return h;
	h->row_bytes = d.Width * element_bytes(d.Format, d.NumChannels);
	h->row_count = count(d.Height);
	return h;
}

/* ---- levels of mipmapped arrays, whose handles end with the whole, without a call ---- */

/* AFTER function: a level of a mipmapped array, new unless it was given out before. HAND function:
 * the levels are gone. */
void sc_array_level(struct sc_call *call)
{
	const cuMipmappedArrayGetLevel_params *p = call->params;
	struct sc_handle *whole = sc_handle_see(SC_HANDLE_ARRAY, p->hMipmappedArray);
	struct sc_handle *level = sc_handle_find(SC_HANDLE_ARRAY, *p->pLevelArray);

	if (!whole || (level && level->outer == whole && level->outer_id == whole->id))
		return;
	level = sc_handle_make(SC_HANDLE_ARRAY, *p->pLevelArray, 0, whole->context);
	if (!level)
		return;
	sc_handle_set_outer(level, whole);
	sc_simulated_place_array(*p->pLevelArray, SC_ARRAY_ADDRESS(level->id));
}

/* A later whole with the handle is another one, and so are its levels. */
void sc_array_levels_end(struct sc_call *call)
{
	const cuMipmappedArrayDestroy_params *p = call->params;

	if (p->hMipmappedArray)
		sc_handle_make(SC_HANDLE_ARRAY, p->hMipmappedArray, 0, 0);
}

/* Levels of mipmapped arrays are not followed here. */
void sc_array_mapped(struct sc_call *call)
{
	const cuMemMapArrayAsync_params *p = call->params;
	struct sc_op op = call->op;
	uint64_t unknown = 0;

	call->op.kind = SC_OP_NONE;
	for (unsigned i = 0; p->mapInfoList && i < p->count; i++) {
		const CUarrayMapInfo *m = &p->mapInfoList[i];
		struct sc_handle *h = NULL;

		if (m->resourceType == CU_RESOURCE_TYPE_ARRAY && m->resource.array)
			h = sc_handle_see(SC_HANDLE_ARRAY, m->resource.array);
		unknown += !h;
		if (!h)
			continue;
		op.dst = SC_ARRAY_ADDRESS(h->id);
		op.dst_mem = SC_MEM_ARRAY;
		op.value = m->memOperationType;
		sc_put_op(&op, NULL, 0);
	}
	if (unknown)
		sc_call_count_blind(call, unknown);
}
