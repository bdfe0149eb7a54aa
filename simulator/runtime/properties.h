/*
 * The devices: how many, their driver handles and their full property structures.
 *
 * All of it is read once, when the driver is opened, and constant afterwards.
 */
#pragma once

#include <stddef.h>

#include "simulator/runtime/driver.h"
#include "simulator/runtime/version.h"

/* More devices than this are not seen. */
#define RT_MAX_DEVICES 256

/* The properties as the version has them. */
#if RT_MAJOR >= 13
#define RT_PROPERTIES	    struct cudaDeviceProp
#define RT_PROPERTIES_BYTES sizeof(struct cudaDeviceProp)
#else
struct rt_properties {
#define MEMBER(type, name, dimension)	 type name dimension;
#define MEMBER_12(type, name, dimension) type name dimension;
#include "simulator/runtime/properties_12.def"
#undef MEMBER
#undef MEMBER_12
	int reserved[63];
};
#define RT_PROPERTIES	       struct rt_properties
#define RT_PROPERTIES_BYTES_11 offsetof(struct rt_properties, hostRegisterSupported)
#if RT_MAJOR == 12
#define RT_PROPERTIES_BYTES sizeof(struct rt_properties)
#else
#define RT_PROPERTIES_BYTES RT_PROPERTIES_BYTES_11
#endif
#endif

/* Reads every device; called by rt_driver_open() before any other function of this file. */
CUresult rt_properties_read(const struct rt_calls *cu);

int rt_device_count(void);
CUdevice rt_device_handle(int ordinal);

/* The ordinal of a driver handle, 0 if it is unknown. */
int rt_device_ordinal(CUdevice handle);

/* True if the number names a device. */
bool rt_device_exists(int ordinal);

CUresult rt_get_device_count(int *count);
/* Writes the first bytes of the properties. */
CUresult rt_get_device_properties(void *properties, size_t bytes, int device);

/* The device that reaches most of the wanted minima, all of which stand in what 11 has, too. */
CUresult rt_choose_device(int *device, const void *wanted);
