/* NVTX: names of memory, by the injection interface of its extension for memory.
 *
 * A heap has a name of its own; regions are registered with their size and named later, by their
 * address, which is the handle that we give out as well. Permissions are not followed: they are
 * wishes about accesses, not about order.
 */
#include "interposer/nvtx/nvtx.h"

#include <nvtx3/nvToolsExtMem.h>
#include <string.h>
#include "interposer/call/declare.h"
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/core/thread.h"
#include "interposer/core/table.h"
#include "interposer/core/module.h"
#include "interposer/core/arena.h"

static struct sc_table regions; /* address → bytes */

#define EXPORT __attribute__((visibility("default")))

#define NVTX_EXT_TYPES_GUARD
#include <nvtx3/nvtxDetail/nvtxExtTypes.h>
#undef NVTX_EXT_TYPES_GUARD

static bool is_heard(void)
{
	return sc_session_is_live() && !sc_self.busy;
}

/* ---- regions ---- */

/* Remembers the size of the region that begins there; a later call replaces the size. */
static void keep_size(const void *start, size_t bytes)
{
	_Atomic uint64_t *known = sc_table_get(&regions, (uintptr_t)start);

	if (!known) {
		known = sc_arena_get(sizeof(*known));
		if (!known || sc_table_put(&regions, (uintptr_t)start, (void *)known))
			return;
	}
	atomic_store_explicit(known, bytes, memory_order_relaxed);
}

/* The region's size, or what is left of the allocation that it begins in; 0: neither is known. */
static uint64_t size_of(const void *start)
{
	const _Atomic uint64_t *known = sc_table_get(&regions, (uintptr_t)start);
	struct sc_known_allocation a;

	if (known)
		return atomic_load_explicit(known, memory_order_relaxed);
	if (!sc_memory_look_up(&sc_memory, (uintptr_t)start, &a))
		return 0;
	return a.start + a.bytes - (uintptr_t)start;
}

static void name(const void *start, uint64_t bytes, int32_t type, nvtxMessageValue_t message)
{
	char room[SC_NVTX_TEXT];
	const char *text = sc_nvtx_text(room, type, message);

	if (start && bytes && *text)
		sc_declare_name_memory(start, bytes, text);
}

/* ---- what NVTX calls ---- */

static nvtxMemHeapHandle_t NVTX_API heap_register(nvtxDomainHandle_t domain,
						  const nvtxMemHeapDesc_t *heap)
{
	const nvtxMemVirtualRangeDesc_t *range;

	(void)domain;
	if (!heap || heap->structSize < sizeof(*heap) || !heap->typeSpecificDesc ||
	    heap->type != NVTX_MEM_TYPE_VIRTUAL_ADDRESS ||
	    heap->typeSpecificDescSize < sizeof(*range))
		return NULL;
	range = heap->typeSpecificDesc;
	if (is_heard())
		name(range->ptr, range->size, (int32_t)heap->messageType, heap->message);
	return (nvtxMemHeapHandle_t)(uintptr_t)range->ptr;
}

static void take_sizes(const void *elements, size_t count, size_t element_bytes)
{
	const nvtxMemVirtualRangeDesc_t *range;

	if (!elements || element_bytes < sizeof(*range) || !is_heard())
		return;
	for (size_t i = 0; i < count; i++) {
		range = (const void *)((const char *)elements + i * element_bytes);
		keep_size(range->ptr, range->size);
	}
}

static void NVTX_API regions_register(nvtxDomainHandle_t domain,
				      const nvtxMemRegionsRegisterBatch_t *batch)
{
	const nvtxMemVirtualRangeDesc_t *range;

	(void)domain;
	if (!batch || batch->structSize < sizeof(*batch) ||
	    batch->regionType != NVTX_MEM_TYPE_VIRTUAL_ADDRESS)
		return;
	take_sizes(batch->regionDescElements, batch->regionCount, batch->regionDescElementSize);
	if (!batch->regionHandleElementsOut || !batch->regionDescElements)
		return;
	for (size_t i = 0; i < batch->regionCount; i++) {
		range = (const void *)((const char *)batch->regionDescElements +
				       i * batch->regionDescElementSize);
		batch->regionHandleElementsOut[i] = (nvtxMemRegionHandle_t)(uintptr_t)range->ptr;
	}
}

static void NVTX_API regions_resize(nvtxDomainHandle_t domain,
				    const nvtxMemRegionsResizeBatch_t *batch)
{
	(void)domain;
	if (batch && batch->structSize >= sizeof(*batch) &&
	    batch->regionType == NVTX_MEM_TYPE_VIRTUAL_ADDRESS)
		take_sizes(batch->regionDescElements, batch->regionDescCount,
			   batch->regionDescElementSize);
}

static void NVTX_API regions_name(nvtxDomainHandle_t domain, const nvtxMemRegionsNameBatch_t *batch)
{
	const nvtxMemRegionNameDesc_t *region;

	(void)domain;
	if (!batch || batch->structSize < sizeof(*batch) || !batch->regionElements ||
	    batch->regionElementSize < sizeof(*region) || !is_heard())
		return;
	for (size_t i = 0; i < batch->regionCount; i++) {
		region = (const void *)((const char *)batch->regionElements +
					i * batch->regionElementSize);
		/* a handle of ours is the address too */
		name(region->region.pointer, size_of(region->region.pointer),
		     (int32_t)region->nameType, region->name);
	}
}

/* ---- the extension's table ---- */

static const struct {
	unsigned number;
	void (*function)(void);
} entries[] = {{NVTX3EXT_CBID_nvtxMemHeapRegister, (void (*)(void))heap_register},
	       {NVTX3EXT_CBID_nvtxMemRegionsRegister, (void (*)(void))regions_register},
	       {NVTX3EXT_CBID_nvtxMemRegionsResize, (void (*)(void))regions_resize},
	       {NVTX3EXT_CBID_nvtxMemRegionsName, (void (*)(void))regions_name}};

EXPORT int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);

/* Other extensions, and a later form of this one, go without us. */
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module)
{
	const nvtxExtModuleSegment_t *table;

	if (!module || module->moduleId != NVTX_EXT_MODULEID_MEM ||
	    module->compatId != NVTX_EXT_COMPATID_MEM || !module->segmentsCount ||
	    !module->segments)
		return 0;
	table = module->segments;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		if (entries[i].number < table->slotCount)
			table->functionSlots[entries[i].number] = (intptr_t)entries[i].function;
	}
	return 1;
}

const struct sc_module sc_module_nvtx_memory = {SC_MODULE_STATE(regions)};
