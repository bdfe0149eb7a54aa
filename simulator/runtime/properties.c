/* Reads the devices' properties when the driver is opened and serves them from memory. */
#include "simulator/runtime/properties.h"

#include <stdlib.h>
#include <string.h>

struct device {
	CUdevice handle;
	RT_PROPERTIES properties;
};

static struct device *devices; /* owned, lives as long as the process */
static int device_count;

static CUresult read_attributes(const struct rt_calls *cu, struct device *device)
{
	RT_PROPERTIES *p = &device->properties;
	int value;
	CUresult err;

#define PROPERTY(member, attribute)                                                              \
	value = 0;                                                                               \
	err = cu->cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_##attribute, device->handle); \
	if (err && err != CUDA_ERROR_INVALID_VALUE)                                              \
		return err;                                                                      \
	p->member = (__typeof__(p->member))value;
#include "simulator/runtime/properties.def"
#undef PROPERTY
	return CUDA_SUCCESS;
}

static CUresult read_device(const struct rt_calls *cu, struct device *device, int ordinal)
{
	RT_PROPERTIES *p = &device->properties;
	CUuuid uuid;
	CUresult err = cu->cuDeviceGet(&device->handle, ordinal);

	if (!err)
		err = cu->cuDeviceGetName(p->name, sizeof(p->name), device->handle);
	if (!err)
		err = cu->cuDeviceTotalMem(&p->totalGlobalMem, device->handle);
	if (!err)
		err = read_attributes(cu, device);
	if (!err)
		err = cu->cuDeviceGetUuid(&uuid, device->handle);
	if (!err)
		memcpy(&p->uuid, &uuid, sizeof(uuid));
	return err;
}

CUresult rt_properties_read(const struct rt_calls *cu)
{
	int count = 0;
	CUresult err = cu->cuDeviceGetCount(&count);

	if (err)
		return err;
	if (count <= 0)
		return CUDA_ERROR_NO_DEVICE;
	if (count > RT_MAX_DEVICES)
		count = RT_MAX_DEVICES;
	devices = calloc((size_t)count, sizeof(*devices));
	if (!devices)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (int i = 0; i < count && !err; i++)
		err = read_device(cu, &devices[i], i);
	device_count = count;
	return err;
}

int rt_device_count(void)
{
	return device_count;
}

bool rt_device_exists(int ordinal)
{
	return ordinal >= 0 && ordinal < device_count;
}

CUdevice rt_device_handle(int ordinal)
{
	return rt_device_exists(ordinal) ? devices[ordinal].handle : -1;
}

int rt_device_ordinal(CUdevice handle)
{
	for (int i = 0; i < device_count; i++) {
		if (devices[i].handle == handle)
			return i;
	}
	return 0;
}

CUresult rt_get_device_count(int *count)
{
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = device_count;
	return CUDA_SUCCESS;
}

CUresult rt_get_device_properties(void *properties, size_t bytes, int device)
{
	if (!properties)
		return CUDA_ERROR_INVALID_VALUE;
	if (!rt_device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	memcpy(properties, &devices[device].properties, bytes);
	return CUDA_SUCCESS;
}

/* How many of the wanted minima a device reaches; a zero member asks for nothing. */
static int score(const RT_PROPERTIES *have, const RT_PROPERTIES *want)
{
	return (have->major >= want->major) + (have->minor >= want->minor) +
	       (have->totalGlobalMem >= want->totalGlobalMem) +
	       (have->multiProcessorCount >= want->multiProcessorCount) +
	       (have->sharedMemPerBlock >= want->sharedMemPerBlock) +
	       (have->maxThreadsPerBlock >= want->maxThreadsPerBlock);
}

CUresult rt_choose_device(int *device, const void *wanted)
{
	int best = 0;

	if (!device || !wanted)
		return CUDA_ERROR_INVALID_VALUE;
	for (int i = 1; i < device_count; i++) {
		if (score(&devices[i].properties, wanted) >
		    score(&devices[best].properties, wanted))
			best = i;
	}
	*device = best;
	return CUDA_SUCCESS;
}
