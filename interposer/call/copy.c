/* Copies described by structs: one exact access per operand. */
#include "interposer/call/row_functions.h"

#include "interposer/call/array.h"
#include "interposer/object/memory.h"
#include "interposer/core/thread.h"
#include "interposer/core/scratch.h"
#include "interposer/object/handle.h"
#include "trace/op.h"

/* One side of a 2D or 3D copy, whatever struct it came from. */
struct side {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	uint64_t x, y, z;
	uint64_t pitch, height; /* of the memory; 0: packed */
};

struct box {
	uint64_t width, rows, slices;
};

static struct sc_access array_access(const struct side *s, const struct box *box)
{
	const struct sc_handle *h = sc_array_see(s->array);
	uint64_t pitch = h ? h->row_bytes : 0, slice = h ? h->row_bytes * h->row_count : 0;

	return (struct sc_access){
		.base = h ? SC_ARRAY_ADDRESS(h->id) + s->z * slice + s->y * pitch + s->x : 0,
		.width = box->width,
		.pitch = pitch,
		.rows = box->rows,
		.slice_pitch = slice,
		.slices = box->slices,
		.memory = SC_MEM_ARRAY};
}

/* 4.7: base + ((z0+z)·height + (y0+y))·pitch + x. */
static struct sc_access linear_access(const struct side *s, const struct box *box)
{
	bool is_host = s->type == CU_MEMORYTYPE_HOST;
	uint64_t pitch = s->pitch ? s->pitch : box->width;
	uint64_t slice = pitch * (s->height ? s->height : box->rows);
	uint64_t base = is_host ? (uint64_t)s->host : s->device;
	struct sc_access a = {.width = box->width,
			      .pitch = pitch,
			      .rows = box->rows,
			      .slice_pitch = slice,
			      .slices = box->slices};
	struct sc_call_operand o;

	base += s->z * slice + s->y * pitch + s->x;
	o = sc_memory_classify(
		base, (box->slices - 1) * slice + (box->rows - 1) * pitch + box->width, is_host);
	a.base = o.address;
	a.memory = o.memory;
	return a;
}

static struct sc_access access_of(const struct side *s, const struct box *box, enum sc_mode mode)
{
	struct sc_access a =
		s->type == CU_MEMORYTYPE_ARRAY ? array_access(s, box) : linear_access(s, box);

	a.mode = (uint8_t)mode;
	a.known = a.rows > 1 && !a.pitch ? SC_KNOWN_OVER : SC_KNOWN_EXACT;
	return a;
}

static void attach(struct sc_call *call, const struct side *dst, const struct side *src,
		   struct box box)
{
	struct sc_access *a = (struct sc_access *)sc_thread_scratch();

	box.rows = box.rows ? box.rows : 1;
	box.slices = box.slices ? box.slices : 1;
	if (!a || !box.width)
		return;
	a[0] = access_of(dst, &box, SC_WRITE);
	a[1] = access_of(src, &box, SC_READ);
	call->op.dst = a[0].base;
	call->op.src = a[1].base;
	call->op.dst_mem = a[0].memory;
	call->op.src_mem = a[1].memory;
	sc_call_attach(call, SC_ATTACH_ACCESSES, a, 2 * sizeof(*a));
}

/* The members of the two sides have the same names in all of CUDA's copy structs. */
#define SIDE(c, side, z0, rows)                                                                   \
	{                                                                                         \
		.type = (c)->side##MemoryType, .host = (c)->side##Host,                           \
		.device = (c)->side##Device, .array = (c)->side##Array, .x = (c)->side##XInBytes, \
		.y = (c)->side##Y, .z = (z0), .pitch = (c)->side##Pitch, .height = (rows)         \
	}

/* HAND functions of api.def's rows; each attaches one access per operand, row by row. */
void sc_copy_2d(struct sc_call *call)
{
	const cuMemcpy2D_v2_params *p = call->params; /* all 2D calls begin with this pointer */
	const CUDA_MEMCPY2D *c = p->pCopy;

	if (c) {
		struct side dst = SIDE(c, dst, 0, 0), src = SIDE(c, src, 0, 0);

		attach(call, &dst, &src, (struct box){c->WidthInBytes, c->Height, 1});
	}
}

void sc_copy_3d(struct sc_call *call)
{
	const cuMemcpy3D_v2_params *p = call->params;
	const CUDA_MEMCPY3D *c = p->pCopy;

	if (c) {
		struct side dst = SIDE(c, dst, c->dstZ, c->dstHeight);
		struct side src = SIDE(c, src, c->srcZ, c->srcHeight);

		attach(call, &dst, &src, (struct box){c->WidthInBytes, c->Height, c->Depth});
	}
}

static uint32_t context_id(CUcontext raw)
{
	const struct sc_handle *h = raw ? sc_handle_see(SC_HANDLE_CONTEXT, raw) : NULL;

	return h ? h->id : 0;
}

void sc_copy_3d_peer(struct sc_call *call)
{
	const cuMemcpy3DPeer_params *p = call->params;
	const CUDA_MEMCPY3D_PEER *c = p->pCopy;

	if (c) {
		struct side dst = SIDE(c, dst, c->dstZ, c->dstHeight);
		struct side src = SIDE(c, src, c->srcZ, c->srcHeight);

		call->op.flags |= SC_FLAG_PEER;
		call->op.dst_context = context_id(c->dstContext);
		call->op.src_context = context_id(c->srcContext);
		attach(call, &dst, &src, (struct box){c->WidthInBytes, c->Height, c->Depth});
	}
}

/* ---- batches: one op in stream order, its copies mutually unordered (4.6) ---- */

_Static_assert((int)SC_SOURCE_STREAM == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM &&
		       (int)SC_SOURCE_DURING_CALL == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL &&
		       (int)SC_SOURCE_ANY == CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
	       "the trace has CUDA's numbers");

static uint8_t order_of(CUmemcpySrcAccessOrder order)
{
	return order > 0 && order <= (int)SC_SOURCE_ANY ? (uint8_t)order : SC_SOURCE_UNKNOWN;
}

/* attrs[k] is that of the copies from attrsIdxs[k] on. */
struct attributes {
	const CUmemcpyAttributes *items;
	const size_t *begins;
	size_t count;
};

static void batch(struct sc_call *call, CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
		  size_t count, struct attributes attributes)
{
	struct sc_access *a = sc_call_room(count, 2);
	uint8_t order = SC_SOURCE_UNKNOWN;
	uint32_t n = 0;
	size_t k = 0;

	call->op.value = count;
	if (!a || !dsts || !srcs || !sizes)
		return;
	if (!attributes.items || !attributes.begins)
		attributes.count = 0;
	for (size_t i = 0; i < count; i++) {
		for (; k < attributes.count && attributes.begins[k] <= i; k++)
			order = order_of(attributes.items[k].srcAccessOrder);
		a[n++] = sc_memory_access(dsts[i], sizes[i], SC_WRITE);
		a[n] = sc_memory_access(srcs[i], sizes[i], SC_READ);
		a[n++].order = order;
	}
	if (n)
		sc_call_attach(call, SC_ATTACH_ACCESSES, a, n * (uint32_t)sizeof(*a));
}

void sc_copy_batch(struct sc_call *call)
{
	const cuMemcpyBatchAsync_params *p = call->params;

	batch(call, p->dsts, p->srcs, p->sizes, p->count,
	      (struct attributes){p->attrs, p->attrsIdxs, p->numAttrs});
}

void sc_copy_batch_v2(struct sc_call *call)
{
	const cuMemcpyBatchAsync_v2_params *p = call->params;

	batch(call, p->dsts, p->srcs, p->sizes, p->count,
	      (struct attributes){p->attrs, p->attrsIdxs, p->numAttrs});
}

/* A row length or layer height of 0 means packed; an element of linear memory is a byte. */
static struct sc_access operand_access(const CUmemcpy3DOperand *o, const CUextent3D *extent,
				       enum sc_mode mode)
{
	struct side s = {.type = CU_MEMORYTYPE_UNIFIED};
	struct box box = {extent->width, extent->height, extent->depth};

	if (o->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
		s.type = CU_MEMORYTYPE_ARRAY;
		s.array = o->op.array.array;
		s.x = o->op.array.offset.x;
		s.y = o->op.array.offset.y;
		s.z = o->op.array.offset.z;
	} else {
		s.device = o->op.ptr.ptr;
		s.pitch = o->op.ptr.rowLength;
		s.height = o->op.ptr.layerHeight;
	}
	return access_of(&s, &box, mode);
}

static void batch_3d(struct sc_call *call, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t count)
{
	struct sc_access *a = sc_call_room(count, 2);
	uint32_t n = 0;

	call->op.value = count;
	if (!a || !ops)
		return;
	for (size_t i = 0; i < count; i++) {
		a[n++] = operand_access(&ops[i].dst, &ops[i].extent, SC_WRITE);
		a[n] = operand_access(&ops[i].src, &ops[i].extent, SC_READ);
		a[n++].order = order_of(ops[i].srcAccessOrder);
	}
	if (n)
		sc_call_attach(call, SC_ATTACH_ACCESSES, a, n * (uint32_t)sizeof(*a));
}

void sc_copy_batch_3d(struct sc_call *call)
{
	const cuMemcpy3DBatchAsync_params *p = call->params;

	batch_3d(call, p->opList, p->numOps);
}

void sc_copy_batch_3d_v2(struct sc_call *call)
{
	const cuMemcpy3DBatchAsync_v2_params *p = call->params;

	batch_3d(call, p->opList, p->numOps);
}

/* One copy, as a batch of one would do it. */
void sc_copy_with_attributes(struct sc_call *call)
{
	cuMemcpyWithAttributesAsync_params *p = call->params;
	const size_t begin = 0;

	batch(call, &p->dst, &p->src, &p->size, 1, (struct attributes){p->attr, &begin, !!p->attr});
}

void sc_copy_with_attributes_3d(struct sc_call *call)
{
	const cuMemcpy3DWithAttributesAsync_params *p = call->params;

	batch_3d(call, p->op, 1);
}

/* An offset into a logical endpoint is memory of other processes, or memory whose binding to the
 * endpoint was recorded (BLIND): it has no access here. */
static uint32_t add_fabric(struct sc_access *a, uint32_t n, const CUfabricCpyOperand *o,
			   size_t size, enum sc_mode mode)
{
	if (o->type != CU_FABRIC_COPY_OPERAND_TYPE_POINTER)
		return n;
	a[n] = sc_memory_access(o->op.ptr.ptr, size, mode);
	a[n].order = SC_SOURCE_STREAM;
	return n + 1;
}

/* 4.6: sources and destinations are always accessed in the order of the stream. */
void sc_copy_fabric(struct sc_call *call)
{
	const cuFabricCpyBatchAsync_params *p = call->params;
	struct sc_access *a = sc_call_room(p->numOps, 2);
	uint32_t n = 0;

	call->op.value = p->numOps;
	if (!a || !p->opList)
		return;
	for (size_t i = 0; i < p->numOps; i++) {
		const CUDA_FABRIC_COPY_BATCH_OP *o = &p->opList[i];

		n = add_fabric(a, n, &o->dst, o->size, SC_WRITE);
		n = add_fabric(a, n, &o->src, o->size, SC_READ);
	}
	if (n)
		sc_call_attach(call, SC_ATTACH_ACCESSES, a, n * (uint32_t)sizeof(*a));
}

/* Three accesses each: how much is written is known to be at most so much. */
void sc_copy_decompress(struct sc_call *call)
{
	const cuMemBatchDecompressAsync_params *p = call->params;
	struct sc_access *a = sc_call_room(p->count, 3);
	uint32_t n = 0;

	call->op.value = p->count;
	if (!a || !p->paramsArray)
		return;
	for (size_t i = 0; i < p->count; i++) {
		const CUmemDecompressParams *d = &p->paramsArray[i];

		a[n] = sc_memory_access((CUdeviceptr)d->dst, d->dstNumBytes, SC_WRITE);
		a[n++].known = SC_KNOWN_OVER;
		a[n++] = sc_memory_access((CUdeviceptr)d->dstActBytes, sizeof(*d->dstActBytes),
					  SC_WRITE);
		a[n] = sc_memory_access((CUdeviceptr)d->src, d->srcNumBytes, SC_READ);
		a[n++].order = SC_SOURCE_STREAM;
	}
	if (n)
		sc_call_attach(call, SC_ATTACH_ACCESSES, a, n * (uint32_t)sizeof(*a));
}
