/* Batches of managed ranges. */
#include "interposer/call/row_functions.h"

#include "interposer/object/memory.h"
#include "interposer/core/thread.h"

static void attach(struct sc_call *call, const CUdeviceptr *addresses, const size_t *sizes,
		   size_t count, enum sc_mode mode)
{
	struct sc_access *a = sc_call_room(count, 1);
	size_t n = 0;

	if (!a || !addresses || !sizes)
		return;
	for (; n < count; n++)
		a[n] = sc_memory_access(addresses[n], sizes[n], mode);
	if (n == 1) {
		call->op.dst = a->base;
		call->op.dst_mem = a->memory;
		call->op.bytes = a->width;
	} else if (n) {
		sc_call_attach(call, SC_ATTACH_ACCESSES, a, (uint32_t)(n * sizeof(*a)));
	}
}

/* The attached accesses only name the ranges: a prefetch touches no data (M-6). */
void sc_managed_prefetch(struct sc_call *call)
{
	const cuMemPrefetchBatchAsync_params *p = call->params;

	attach(call, p->dptrs, p->sizes, p->count, SC_READ);
}

void sc_managed_discard(struct sc_call *call)
{
	const cuMemDiscardBatchAsync_params *p = call->params;

	attach(call, p->dptrs, p->sizes, p->count, SC_WRITE);
}

void sc_managed_discard_and_prefetch(struct sc_call *call)
{
	const cuMemDiscardAndPrefetchBatchAsync_params *p = call->params;

	attach(call, p->dptrs, p->sizes, p->count, SC_WRITE);
}
