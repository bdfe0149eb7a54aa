/* NVTX: names and pieces of memory, by the injection interface of its extension for memory.
 *
 * A heap has a name of its own; regions are registered with their size and named later, by their
 * address, which is the handle that we give out as well. The regions of a heap that is used as a
 * sub-allocator are what it hands out (P-15): unregistered ones went back to it, in no stream's
 * order that NVTX knows of. Regions of other heaps have names only. Permissions are not followed:
 * they are wishes about accesses, not about order.
 */
#include "interposer/nvtx/nvtx.h"

#include <nvtx3/nvToolsExtMem.h>
#include <stdatomic.h>
#include <string.h>
#include "include/streamcheck/calls.h"
#include "interposer/call/declare.h"
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/core/thread.h"
#include "interposer/core/table.h"
#include "interposer/core/module.h"
#include "interposer/core/arena.h"

/* A heap or a region. */
struct extent {
	_Atomic uint64_t bytes;
	atomic_bool is_pool; /* a heap that hands out its regions, or a region of such a one */
};

/* Address → struct extent. */
static struct {
	struct sc_table heaps, regions;
} described;

#define EXPORT __attribute__((visibility("default")))

#define NVTX_EXT_TYPES_GUARD
#include <nvtx3/nvtxDetail/nvtxExtTypes.h>
#undef NVTX_EXT_TYPES_GUARD

static const char process_wide[1]; /* stands for the heap of all memory, which is no pool */

static bool is_heard(void)
{
	return sc_session_is_live() && !sc_self.busy;
}

/* ---- regions ---- */

/* Remembers what begins there; a later call replaces it. */
static void keep(struct sc_table *table, const void *start, size_t bytes, bool is_pool)
{
	struct extent *known = sc_table_get(table, (uintptr_t)start);

	if (!known) {
		known = sc_arena_get(sizeof(*known));
		if (!known || sc_table_put(table, (uintptr_t)start, known))
			return;
	}
	atomic_store_explicit(&known->bytes, bytes, memory_order_relaxed);
	atomic_store_explicit(&known->is_pool, is_pool, memory_order_relaxed);
}

static bool is_pool(struct sc_table *table, const void *start)
{
	struct extent *known = sc_table_get(table, (uintptr_t)start);

	return known && atomic_load_explicit(&known->is_pool, memory_order_relaxed);
}

/* The region's size, or what is left of the allocation that it begins in; 0: neither is known. */
static uint64_t size_of(const void *start)
{
	const struct extent *known = sc_table_get(&described.regions, (uintptr_t)start);
	struct sc_known_allocation a;

	if (known)
		return atomic_load_explicit(&known->bytes, memory_order_relaxed);
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
	if (is_heard()) {
		keep(&described.heaps, range->ptr, range->size,
		     heap->usage == NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR);
		name(range->ptr, range->size, (int32_t)heap->messageType, heap->message);
	}
	return (nvtxMemHeapHandle_t)(uintptr_t)range->ptr;
}

/* All regions of the heap end. */
static void NVTX_API heap_reset(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap)
{
	const struct extent *known;

	(void)domain;
	if (!heap || !is_heard() || !is_pool(&described.heaps, heap))
		return;
	known = sc_table_get(&described.heaps, (uintptr_t)heap);
	sc_declare_pieces_end(heap, atomic_load_explicit(&known->bytes, memory_order_relaxed));
}

static void NVTX_API heap_unregister(nvtxDomainHandle_t domain, nvtxMemHeapHandle_t heap)
{
	heap_reset(domain, heap);
	if (heap && is_heard() && is_pool(&described.heaps, heap))
		keep(&described.heaps, heap, 0, 0);
}

/* `heap` NULL: regions that are there change their sizes. */
static void take_sizes(const void *heap, const void *elements, size_t count, size_t element_bytes)
{
	const nvtxMemVirtualRangeDesc_t *range;

	if (!elements || element_bytes < sizeof(*range) || !is_heard())
		return;
	for (size_t i = 0; i < count; i++) {
		bool is_piece;

		range = (const void *)((const char *)elements + i * element_bytes);
		is_piece = heap ? is_pool(&described.heaps, heap)
				: is_pool(&described.regions, range->ptr);
		keep(&described.regions, range->ptr, range->size, is_piece);
		if (is_piece)
			sc_declare_piece(range->ptr, range->size, STREAMCHECK_NO_STREAM);
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
	take_sizes(batch->heap ? (const void *)batch->heap : process_wide,
		   batch->regionDescElements, batch->regionCount, batch->regionDescElementSize);
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
		take_sizes(NULL, batch->regionDescElements, batch->regionDescCount,
			   batch->regionDescElementSize);
}

static void NVTX_API regions_unregister(nvtxDomainHandle_t domain,
					const nvtxMemRegionsUnregisterBatch_t *batch)
{
	const nvtxMemRegionRef_t *region;

	(void)domain;
	if (!batch || batch->structSize < sizeof(*batch) || !batch->refElements ||
	    batch->refElementSize < sizeof(*region) || !is_heard())
		return;
	for (size_t i = 0; i < batch->refCount; i++) {
		region = (const void *)((const char *)batch->refElements +
					i * batch->refElementSize);
		/* a handle of ours is the address too */
		if (!is_pool(&described.regions, region->pointer))
			continue;
		keep(&described.regions, region->pointer, 0, 0);
		sc_declare_piece_end(region->pointer, STREAMCHECK_NO_STREAM);
	}
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

/* ---- the extensions' tables ---- */

static const struct sc_nvtx_entry entries[] = {
	{NVTX3EXT_CBID_nvtxMemHeapRegister, (void (*)(void))heap_register},
	{NVTX3EXT_CBID_nvtxMemHeapUnregister, (void (*)(void))heap_unregister},
	{NVTX3EXT_CBID_nvtxMemHeapReset, (void (*)(void))heap_reset},
	{NVTX3EXT_CBID_nvtxMemRegionsUnregister, (void (*)(void))regions_unregister},
	{NVTX3EXT_CBID_nvtxMemRegionsRegister, (void (*)(void))regions_register},
	{NVTX3EXT_CBID_nvtxMemRegionsResize, (void (*)(void))regions_resize},
	{NVTX3EXT_CBID_nvtxMemRegionsName, (void (*)(void))regions_name},
	{0, NULL}};

EXPORT int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);

/* Other extensions, and later forms of these, go without us. */
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module)
{
	const nvtxExtModuleSegment_t *table;
	const struct sc_nvtx_entry *entry = NULL;

	if (!module || !module->segmentsCount || !module->segments)
		return 0;
	if (module->moduleId == NVTX_EXT_MODULEID_MEM && module->compatId == NVTX_EXT_COMPATID_MEM)
		entry = entries;
	else if (sc_nvtx_is_payload(module->moduleId, module->compatId))
		entry = sc_nvtx_payload;
	if (!entry)
		return 0;
	table = module->segments;
	for (; entry->function; entry++) {
		if (entry->place < table->slotCount)
			table->functionSlots[entry->place] = (intptr_t)entry->function;
	}
	return 1;
}

const struct sc_module sc_module_nvtx_memory = {SC_MODULE_STATE(described)};
