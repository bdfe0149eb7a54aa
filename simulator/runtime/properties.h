/*
 * The devices: how many, their driver handles and their full property structures.
 *
 * All of it is read once, when the driver is opened, and constant afterwards.
 */
#ifndef SIMULATOR_RUNTIME_PROPERTIES_H
#define SIMULATOR_RUNTIME_PROPERTIES_H

#include "simulator/runtime/driver.h"

/* More devices than this are not seen. */
#define RT_MAX_DEVICES 256

/* Reads every device; called by rt_driver_open() before any other function of this file. */
CUresult rt_properties_read(const struct rt_calls *cu);

int rt_device_count(void);
CUdevice rt_device_handle(int ordinal);

/* The ordinal of a driver handle, 0 if it is unknown. */
int rt_device_ordinal(CUdevice handle);

/* True if the number names a device. */
bool rt_device_exists(int ordinal);

CUresult rt_get_device_count(int *count);
CUresult rt_get_device_properties(struct cudaDeviceProp *properties, int device);
CUresult rt_choose_device(int *device, const struct cudaDeviceProp *wanted);

#endif
