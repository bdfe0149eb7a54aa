/* The shared page of an event: numbers of records that were made, and of those that are done. */
#include "simulator/driver/ipc/shared_event.h"

#include <stdlib.h>

#include "simulator/driver/ipc/share.h"

struct page {
	_Atomic uint64_t last;
	_Atomic uint64_t done[SIM_SHARED_RECORDS];
};

_Static_assert(sizeof(struct page) == SIM_SHARED_EVENT_BYTES, "a page");

static struct page *page_of(const struct sim_shared_event *shared)
{
	return (struct page *)(void *)shared->page->backing->bytes;
}

/* Pairs with the release in sim_shared_event_record(). */
static uint64_t last_of(const struct sim_shared_event *shared)
{
	return atomic_load_explicit(&page_of(shared)->last, memory_order_acquire);
}

/* Outside the table of addresses, as arrays are. */
static struct sim_alloc *new_page(struct sim_backing *backing)
{
	struct sim_alloc *page = backing ? calloc(1, sizeof(*page)) : NULL;

	if (page)
		*page = (struct sim_alloc){.refs = 1,
					   .place = SIM_PLACE_ARRAY,
					   .size_bytes = SIM_SHARED_EVENT_BYTES,
					   .backing = backing};
	else if (backing)
		sim_backing_put(backing);
	return page;
}

static struct sim_shared_event *new_event(struct sim_backing *backing, bool is_imported)
{
	struct sim_alloc *page = new_page(backing);
	struct sim_shared_event *shared = page ? calloc(1, sizeof(*shared)) : NULL;

	if (shared)
		*shared = (struct sim_shared_event){.page = page, .is_imported = is_imported};
	else
		sim_memory_put(page);
	return shared;
}

struct sim_shared_event *sim_shared_event_new(void)
{
	int fd = sim_share_new(SIM_SHARE_EVENT, 0, SIM_SHARED_EVENT_BYTES);

	return fd < 0 ? NULL : new_event(sim_backing_new_file(fd, SIM_SHARED_EVENT_BYTES), false);
}

struct sim_shared_event *sim_shared_event_open(int fd)
{
	return new_event(sim_backing_new_imported(fd, SIM_SHARED_EVENT_BYTES), true);
}

void sim_shared_event_free(struct sim_shared_event *shared)
{
	if (shared)
		sim_memory_put(shared->page);
	free(shared);
}

static struct sim_work at_place(const struct sim_shared_event *shared, uint64_t number,
				CUstreamBatchMemOpType type)
{
	char *place = (char *)&page_of(shared)->done[number % SIM_SHARED_RECORDS];

	sim_memory_get(shared->page);
	return (struct sim_work){.kind = SIM_WORK_MEMOP,
				 .memop = {.type = type,
					   .value = number,
					   .flags = CU_STREAM_WAIT_VALUE_GEQ,
					   .target = {.alloc = shared->page, .bytes = place}}};
}

struct sim_work sim_shared_event_record(struct sim_shared_event *shared)
{
	shared->own =
		1 + atomic_fetch_add_explicit(&page_of(shared)->last, 1, memory_order_acq_rel);
	return at_place(shared, shared->own, CU_STREAM_MEM_OP_WRITE_VALUE_64);
}

bool sim_shared_event_is_own(const struct sim_shared_event *shared)
{
	return shared->own && shared->own == last_of(shared);
}

/* Pairs with the release of the write when the record is performed (memop.c). */
bool sim_shared_event_is_awaited(const struct sim_shared_event *shared)
{
	uint64_t last = last_of(shared);
	uint64_t done = atomic_load_explicit(&page_of(shared)->done[last % SIM_SHARED_RECORDS],
					     memory_order_acquire);

	return last != shared->own && last && (int64_t)(done - last) < 0;
}

struct sim_work sim_shared_event_wait(const struct sim_shared_event *shared)
{
	return at_place(shared, last_of(shared), CU_STREAM_MEM_OP_WAIT_VALUE_64);
}
