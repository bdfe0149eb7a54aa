/* Answers small questions about devices, versions and driver entry points. */
#include "simulator/runtime/device.h"

#include <errno.h>

#include "simulator/runtime/api.h"
#include "simulator/runtime/entry.h"
#include "simulator/runtime/properties.h"
#include "simulator/runtime/version.h"

CUresult rt_runtime_version(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = RT_VERSION;
	return CUDA_SUCCESS;
}

/* Works with a driver that cannot be started. Without one the version is 0, which is no error. */
RT_EXPORT cudaError_t cudaDriverGetVersion(int *version)
{
	struct rt_entry entry = rt_enter(RT_LEGACY, RT_DRIVER);

	entry.error = cudaSuccess;
	if (!version)
		entry.error = cudaErrorInvalidValue;
	else if (entry.cu->cuDriverGetVersion)
		entry.error = (cudaError_t)entry.cu->cuDriverGetVersion(version);
	else
		*version = 0;
	return rt_leave(&entry);
}

CUresult rt_device_by_bus_id(const struct rt_calls *cu, int *device, const char *bus_id)
{
	CUdevice handle = 0;
	CUresult err;

	if (!device || !bus_id)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuDeviceGetByPCIBusId(&handle, bus_id);
	if (!err)
		*device = rt_device_ordinal(handle);
	return err;
}

CUresult rt_stream_device(const struct rt_calls *cu, cudaStream_t stream, int *device)
{
	CUdevice handle = 0;
	CUresult err;

	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	err = cu->cuStreamGetDevice(stream, &handle);
	if (!err)
		*device = rt_device_ordinal(handle);
	return err;
}

CUresult rt_entry_point(const struct rt_calls *cu, const char *name, void **function,
			unsigned int version, unsigned long long flags,
			enum cudaDriverEntryPointQueryResult *status)
{
	CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	cuuint64_t wanted = flags;
	CUresult err;

	if (!name || !*name || !function)
		return CUDA_ERROR_INVALID_VALUE;
	if (flags == cudaEnableDefault && cu == rt_driver_calls(RT_PER_THREAD))
		wanted = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
	*function = NULL;
	err = rt_driver_find(name, function, (int)version, wanted, &found);
	if (status)
		*status = (enum cudaDriverEntryPointQueryResult)found;
	/* The status and the NULL pointer report a name that does not exist. */
	return err == CUDA_ERROR_NOT_FOUND ? CUDA_SUCCESS : err;
}
