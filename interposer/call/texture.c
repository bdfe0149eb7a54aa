/* Texture and surface objects: the memory that each stands for, since kernels get only the handle.
 *
 * Of mipmapped arrays no memory is written: their levels are not followed.
 */
#include "interposer/call/row_functions.h"

#include "interposer/call/array.h"
#include "interposer/core/put.h"

static void place_array(struct sc_op *op, CUarray array)
{
	const struct sc_handle *h = sc_array_see(array);

	op->dst = h ? SC_ARRAY_ADDRESS(h->id) : 0;
	op->dst_mem = SC_MEM_ARRAY; /* all of it: how many slices it has is not asked for */
}

static void place(struct sc_op *op, const CUDA_RESOURCE_DESC *r)
{
	switch ((unsigned)r->resType) {
	case CU_RESOURCE_TYPE_ARRAY: place_array(op, r->res.array.hArray); break;
	case CU_RESOURCE_TYPE_LINEAR:
		op->dst = r->res.linear.devPtr;
		op->bytes = r->res.linear.sizeInBytes;
		break;
	case CU_RESOURCE_TYPE_PITCH2D:
		op->dst = r->res.pitch2D.devPtr;
		op->bytes = r->res.pitch2D.pitchInBytes * r->res.pitch2D.height;
		break;
	}
}

static void put(uint64_t handle, bool is_surface, const CUDA_RESOURCE_DESC *resource)
{
	struct sc_op op = sc_put_new(SC_OP_TEXTURE);
	const struct sc_handle *context = sc_context_current();

	if (!context)
		return;
	op.context = context->id;
	op.object = is_surface;
	op.value = handle;
	place(&op, resource);
	sc_put_op(&op, NULL, 0);
}

/* AFTER functions of the rows that create such objects: TEXTURE ops. */
void sc_texture_made(struct sc_call *call)
{
	const cuTexObjectCreate_params *p = call->params;

	if (p->pTexObject && p->pResDesc)
		put(*p->pTexObject, false, p->pResDesc);
}

void sc_texture_surface_made(struct sc_call *call)
{
	const cuSurfObjectCreate_params *p = call->params;

	if (p->pSurfObject && p->pResDesc)
		put(*p->pSurfObject, true, p->pResDesc);
}

/* HAND function: the op is about a surface object. */
void sc_texture_is_surface(struct sc_call *call)
{
	call->op.object = 1;
}
