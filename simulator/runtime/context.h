/*
 * Primary contexts, one a device, and the device that each thread has chosen.
 *
 * A primary context is retained once a process, when its device is first used. A thread gets one
 * made current on its first call that needs it, unless the program has made another context current
 * through the driver API: then that one is used as it is.
 */
#pragma once

#include "simulator/runtime/driver.h"

/* Gives the calling thread a current context if it has none. */
CUresult rt_context_bind(void);

/* Looks again: true if the thread had no current context and now has one. */
bool rt_context_rebind(void);

/* The primary context of a device, retained if it was not. */
CUresult rt_context_primary(int device, CUcontext *context);

/* The device of the current context, or the one chosen if there is none. */
CUresult rt_get_device(const struct rt_calls *cu, int *device);

CUresult rt_set_device(const struct rt_calls *cu, int device);
CUresult rt_set_valid_devices(const struct rt_calls *cu, const int *devices, int count);
CUresult rt_device_reset(const struct rt_calls *cu);
CUresult rt_init_device(const struct rt_calls *cu, int device, unsigned int device_flags,
			unsigned int flags);
CUresult rt_set_device_flags(const struct rt_calls *cu, unsigned int flags);
CUresult rt_get_device_flags(const struct rt_calls *cu, unsigned int *flags);
CUresult rt_enable_peer(const struct rt_calls *cu, int peer, unsigned int flags);
CUresult rt_disable_peer(const struct rt_calls *cu, int peer);
