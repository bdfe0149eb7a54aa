/* The simulated devices: names, sizes, attributes. */
#include <stdio.h>
#include <string.h>

#include "base/sim_device.h"
#include "simulator/driver/api.h"
#include "simulator/driver/context/visible.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/ipc/share.h"

CUresult sim_cuDeviceGet(CUdevice *device, int ordinal)
{
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_device_get(ordinal))
		return CUDA_ERROR_INVALID_DEVICE;
	*device = ordinal;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetCount(int *count)
{
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = sim_driver.device_count;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetName(char *name, int len, CUdevice dev)
{
	if (!name || len <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(name, (size_t)len, SC_SIM_DEVICE_NAME);
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
	const struct sim_device *device = sim_device_get(dev);

	if (!uuid)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	*uuid = sim_visible_uuid(device->number);
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
	return sim_cuDeviceGetUuid_v2(uuid, dev);
}

CUresult sim_cuDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev)
{
	(void)luid;
	(void)deviceNodeMask;
	(void)dev;
	return CUDA_ERROR_NOT_SUPPORTED; /* Windows only */
}

CUresult sim_cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
	struct sim_device *device = sim_device_get(dev);

	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	*bytes = device->total_bytes;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
#define NUMBER device->number
#define ATTRIBUTE(name, value) \
	case CU_DEVICE_ATTRIBUTE_##name: *pi = value; return CUDA_SUCCESS;
	const struct sim_device *device = sim_device_get(dev);

	if (!pi)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	switch ((int)attrib) {
#include "simulator/driver/context/device_attribute.def"
	}
	return CUDA_ERROR_INVALID_VALUE;
#undef ATTRIBUTE
#undef NUMBER
}

CUresult sim_cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
	const struct sim_device *device = sim_device_get(dev);

	if (!pciBusId || len <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(pciBusId, (size_t)len, "0000:%02x:00.0", device->number + 1);
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
	unsigned int domain = 0, bus, slot;
	const struct sim_device *device;

	if (!dev || !pciBusId)
		return CUDA_ERROR_INVALID_VALUE;
	if (sscanf(pciBusId, "%x:%x:%x", &domain, &bus, &slot) != 3) {
		domain = 0;
		if (sscanf(pciBusId, "%x:%x", &bus, &slot) != 2)
			return CUDA_ERROR_INVALID_VALUE;
	}
	device =
		domain || slot || bus > SIM_MAX_DEVICES ? NULL : sim_device_of_number((int)bus - 1);
	if (!device)
		return CUDA_ERROR_INVALID_DEVICE;
	*dev = device->ordinal;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
	if (!major || !minor)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	*major = 9;
	*minor = 0;
	return CUDA_SUCCESS;
}

/* All devices reach each other. */
CUresult sim_cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
	if (!canAccessPeer)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_device_get(dev) || !sim_device_get(peerDev))
		return CUDA_ERROR_INVALID_DEVICE;
	*canAccessPeer = dev != peerDev;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
				     CUdevice dstDevice)
{
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_device_get(srcDevice) || !sim_device_get(dstDevice) || srcDevice == dstDevice)
		return CUDA_ERROR_INVALID_DEVICE;
	switch ((int)attrib) {
	case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK: *value = 0; return CUDA_SUCCESS;
	case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
	case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED: *value = 1; return CUDA_SUCCESS;
	case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
	case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
		*value = 0;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
	if (!pi || (unsigned int)type >= CU_EXEC_AFFINITY_TYPE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	*pi = 0;
	return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
						unsigned numChannels, CUdevice dev)
{
	if (!maxWidthInElements || !numChannels || numChannels > 4 || !format)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	*maxWidthInElements = (size_t)1 << 28;
	return CUDA_SUCCESS;
}
