/* Memory pools, and who may use memory of other devices (P-8, D-4). */
#pragma once

#include "interposer/call/call.h"

/* Ordinal of the device whose pool of device memory is meant, UINT64_MAX: another kind of pool. */
uint64_t sc_pool_location(const CUmemLocation *location, CUmemAllocationType type);
/* The pool that an allocation comes from: the one that it named, or the current one of the stream's
 * device. NULL: not known. */
struct sc_handle *sc_pool_of_call(const struct sc_call *call);
/* What memory of that description is: SC_MEM_DEVICE, SC_MEM_MANAGED or SC_MEM_PINNED. */
uint8_t sc_pool_memory(const CUmemPoolProps *props);
/* Tracking of creation, destruction, and of an allocation before its id is written. */
void sc_pool_created(struct sc_call *call);
void sc_pool_destroyed(struct sc_call *call);
void sc_pool_allocating(struct sc_call *call);
