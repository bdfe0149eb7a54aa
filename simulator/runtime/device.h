/* Small questions about devices, streams' devices, versions and driver entry points. */
#pragma once

#include "simulator/runtime/driver.h"

CUresult rt_runtime_version(int *version);
CUresult rt_device_by_bus_id(const struct rt_calls *cu, int *device, const char *bus_id);
CUresult rt_stream_device(const struct rt_calls *cu, cudaStream_t stream, int *device);

/* Finds a driver function; without flags, in the flavour of the caller. */
CUresult rt_entry_point(const struct rt_calls *cu, const char *name, void **function,
			unsigned int version, unsigned long long flags,
			enum cudaDriverEntryPointQueryResult *status);
