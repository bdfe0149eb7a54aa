/* Retains primary contexts and keeps track of each thread's device. */
#include "simulator/runtime/context.h"

#include <stdatomic.h>

#include "simulator/runtime/lock.h"
#include "simulator/runtime/properties.h"

struct primary {
	_Atomic unsigned int resets; /* how often the context was thrown away */
	CUcontext context;	     /* borrowed from the driver, under the lock */
	bool is_retained;	     /* under the lock */
};

static struct primary primaries[RT_MAX_DEVICES];

static _Thread_local int chosen_device;
/* One more than the resets of the chosen device when the thread was last bound, 0 for never. */
static _Thread_local unsigned int bound;

static unsigned int generation(int device)
{
	return atomic_load_explicit(&primaries[device].resets, memory_order_acquire) + 1;
}

static CUresult retain(struct primary *primary, int device)
{
	const struct rt_calls *cu = rt_driver_calls(RT_LEGACY);
	CUresult err;

	if (primary->is_retained)
		return CUDA_SUCCESS;
	err = cu->cuDevicePrimaryCtxRetain(&primary->context, rt_device_handle(device));
	primary->is_retained = !err;
	return err;
}

CUresult rt_context_primary(int device, CUcontext *context)
{
	CUresult err;

	if (!rt_device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	rt_lock();
	err = retain(&primaries[device], device);
	*context = primaries[device].context;
	rt_unlock();
	return err;
}

static CUresult make_current(int device)
{
	CUcontext context = NULL;
	CUresult err = rt_context_primary(device, &context);

	if (!err)
		err = rt_driver_calls(RT_LEGACY)->cuCtxSetCurrent(context);
	if (!err)
		bound = generation(device);
	return err;
}

/* True if the thread's context is one that the program itself has made current. */
static bool is_foreign(CUcontext current)
{
	bool is_ours;

	rt_lock();
	is_ours = current == primaries[chosen_device].context;
	rt_unlock();
	return current && !is_ours;
}

/* A reference of a context that is not the wanted one goes again. Under the lock. */
static CUresult retain_if(struct primary *primary, int device, CUcontext wanted)
{
	bool was_retained = primary->is_retained;
	CUresult err = retain(primary, device);

	if (err || was_retained || primary->context == wanted)
		return err;
	primary->is_retained = false;
	primary->context = NULL;
	return rt_driver_calls(RT_LEGACY)->cuDevicePrimaryCtxRelease(rt_device_handle(device));
}

/*
 * The program made this context current itself. A primary context gets a reference of the
 * runtime's own, so that it outlives the program's; other contexts are the program's alone.
 */
static CUresult adopt(CUcontext current)
{
	const struct rt_calls *cu = rt_driver_calls(RT_LEGACY);
	CUdevice handle = 0;
	unsigned int flags;
	int is_active = 0, device;
	CUresult err = cu->cuCtxGetDevice(&handle);

	if (!err)
		err = cu->cuDevicePrimaryCtxGetState(handle, &flags, &is_active);
	device = rt_device_ordinal(handle);
	if (err || !is_active || !rt_device_exists(device))
		return err;
	rt_lock();
	err = retain_if(&primaries[device], device, current);
	rt_unlock();
	return err;
}

CUresult rt_context_bind(void)
{
	const struct rt_calls *cu = rt_driver_calls(RT_LEGACY);
	CUcontext current = NULL;
	CUresult err;

	if (bound == generation(chosen_device))
		return CUDA_SUCCESS;
	err = cu->cuCtxGetCurrent(&current);
	if (err)
		return err;
	if (!is_foreign(current))
		return make_current(chosen_device);
	err = adopt(current);
	if (!err)
		bound = generation(chosen_device);
	return err;
}

bool rt_context_rebind(void)
{
	CUcontext current = NULL;

	if (rt_driver_calls(RT_LEGACY)->cuCtxGetCurrent(&current) || current)
		return false;
	return make_current(chosen_device) == CUDA_SUCCESS;
}

CUresult rt_get_device(const struct rt_calls *cu, int *device)
{
	CUdevice handle = 0;
	CUresult err;

	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuCtxGetDevice(&handle);
	if (err && err != CUDA_ERROR_INVALID_CONTEXT)
		return err;
	*device = err ? chosen_device : rt_device_ordinal(handle);
	return CUDA_SUCCESS;
}

CUresult rt_set_device(const struct rt_calls *cu, int device)
{
	(void)cu;
	if (!rt_device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	chosen_device = device;
	return make_current(device);
}

/* The thread is left without a context, so that its next call looks for one anew. */
CUresult rt_set_valid_devices(const struct rt_calls *cu, const int *devices, int count)
{
	CUresult err;

	if (count < 0 || (count > 0 && !devices))
		return CUDA_ERROR_INVALID_VALUE;
	for (int i = 0; i < count; i++) {
		if (!rt_device_exists(devices[i]))
			return CUDA_ERROR_INVALID_DEVICE;
	}
	err = cu->cuCtxSetCurrent(NULL);
	if (err)
		return err;
	bound = 0;
	if (count)
		chosen_device = devices[0];
	return CUDA_SUCCESS;
}

CUresult rt_device_reset(const struct rt_calls *cu)
{
	int device = 0;
	CUresult err = rt_get_device(cu, &device);

	if (err)
		return err;
	rt_lock();
	err = cu->cuDevicePrimaryCtxReset(rt_device_handle(device));
	if (!err) {
		primaries[device].is_retained = false;
		/* Pairs with the acquire in generation(). */
		atomic_fetch_add_explicit(&primaries[device].resets, 1, memory_order_release);
	}
	rt_unlock();
	return err;
}

/* Makes the context and leaves the thread's current one as it was. */
CUresult rt_init_device(const struct rt_calls *cu, int device, unsigned int device_flags,
			unsigned int flags)
{
	CUcontext context = NULL;
	CUresult err = CUDA_SUCCESS;

	if (!rt_device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (flags & ~(unsigned int)cudaInitDeviceFlagsAreValid)
		return CUDA_ERROR_INVALID_VALUE;
	if (flags & cudaInitDeviceFlagsAreValid)
		err = cu->cuDevicePrimaryCtxSetFlags(rt_device_handle(device), device_flags);
	if (!err)
		err = rt_context_primary(device, &context);
	if (!err)
		err = cu->cuCtxPushCurrent(context);
	return err ? err : cu->cuCtxPopCurrent(&context);
}

CUresult rt_set_device_flags(const struct rt_calls *cu, unsigned int flags)
{
	int device = 0;
	CUresult err;

	if (flags & ~(unsigned int)cudaDeviceMask)
		return CUDA_ERROR_INVALID_VALUE;
	err = rt_get_device(cu, &device);
	if (err)
		return err;
	return cu->cuDevicePrimaryCtxSetFlags(rt_device_handle(device),
					      flags & ~(unsigned int)cudaDeviceMapHost);
}

/* Mapping of host memory is always on with unified addressing, and is always reported. */
CUresult rt_get_device_flags(const struct rt_calls *cu, unsigned int *flags)
{
	CUcontext current = NULL;
	int is_active = 0;
	CUresult err;

	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuCtxGetCurrent(&current);
	if (err)
		return err;
	if (current)
		err = cu->cuCtxGetFlags(flags);
	else
		err = cu->cuDevicePrimaryCtxGetState(rt_device_handle(chosen_device), flags,
						     &is_active);
	if (!err)
		*flags |= cudaDeviceMapHost;
	return err;
}

CUresult rt_enable_peer(const struct rt_calls *cu, int peer, unsigned int flags)
{
	CUcontext context = NULL;
	CUresult err = rt_context_primary(peer, &context);

	return err ? err : cu->cuCtxEnablePeerAccess(context, flags);
}

CUresult rt_disable_peer(const struct rt_calls *cu, int peer)
{
	CUcontext context = NULL;
	CUresult err = rt_context_primary(peer, &context);

	return err ? err : cu->cuCtxDisablePeerAccess(context);
}
