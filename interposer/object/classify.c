/* What kind of memory an operand is in: the table first, then the driver (specification 4.1). */
#include "interposer/object/memory.h"

#include "interposer/driver/driver.h"
#include "interposer/core/thread.h"

/* Everything that the driver says about an address; false if it is not CUDA's. */
static bool ask_driver(uint64_t address, struct sc_known_allocation *out)
{
	unsigned type = 0, managed = 0;
	CUdeviceptr start = 0;
	void *host = NULL;
	size_t bytes = 0;
	CUpointer_attribute what[] = {
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
		CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
		CU_POINTER_ATTRIBUTE_HOST_POINTER};
	void *data[] = {&type, &managed, &start, &bytes, &host};

	if (!sc_driver()->PointerGetAttributes || sc_self.callback)
		return false;
	if (sc_driver()->PointerGetAttributes(5, what, data, (CUdeviceptr)address) || !type)
		return false;
	*out = (struct sc_known_allocation){.start = start ? start : address, .bytes = bytes};
	if (managed)
		out->memory = SC_MEM_MANAGED;
	else if (type == CU_MEMORYTYPE_HOST)
		out->memory = SC_MEM_PINNED;
	else
		out->memory = type == CU_MEMORYTYPE_ARRAY ? SC_MEM_ARRAY : SC_MEM_DEVICE;
	if (out->memory == SC_MEM_PINNED && host && (uint64_t)host != address)
		out->host = (uint64_t)host - (address - out->start);
	return true;
}

/* An operand that only partly lies in host memory known to CUDA is not pinned (4.1). */
static bool holds(const struct sc_known_allocation *a, uint64_t address, uint64_t bytes)
{
	return !sc_memory_is_host(a->memory) || bytes <= a->bytes - (address - a->start);
}

struct sc_call_operand sc_memory_classify(uint64_t address, uint64_t bytes, bool is_host)
{
	struct sc_call_operand operand = {.address = address, .memory = SC_MEM_PAGEABLE};
	struct sc_known_allocation a;
	bool known;

	if (!address)
		return (struct sc_call_operand){0};
	known = sc_memory_look_up(&sc_memory, address, &a);
	if (!known && !is_host)
		known = ask_driver(address, &a);
	if (!known || !holds(&a, address, bytes))
		return operand;
	operand.memory = a.memory;
	operand.object = a.object;
	operand.flags = a.flags & (SC_FLAG_SYNC_MEMOPS | SC_FLAG_POOL);
	if (a.host)
		operand.address = a.host + (address - a.start);
	return operand;
}

struct sc_access sc_memory_access(uint64_t address, uint64_t bytes, enum sc_mode mode)
{
	struct sc_call_operand o = sc_memory_classify(address, bytes, false);

	return (struct sc_access){.base = o.address,
				  .width = bytes,
				  .rows = 1,
				  .slices = 1,
				  .mode = (uint8_t)mode,
				  .known = SC_KNOWN_EXACT,
				  .memory = o.memory};
}
