/* Devices: DRIVER and DEVICE ops. */
#include "interposer/call/row_functions.h"

#include <stdatomic.h>
#include <string.h>
#include "interposer/core/put.h"
#include "interposer/core/module.h"
#include "interposer/driver/driver.h"

static atomic_bool is_described; /* the devices were written */

static bool has(CUdevice device, CUdevice_attribute attribute)
{
	int value = 0;

	return sc_driver()->DeviceGetAttribute &&
	       !sc_driver()->DeviceGetAttribute(&value, attribute, device) && value;
}

/* As in sm_90: 90; 0 if the driver does not say. */
static uint64_t arch_of(CUdevice device)
{
	const struct sc_driver *d = sc_driver();
	int major = 0, minor = 0;

	if (!d->DeviceGetAttribute ||
	    d->DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ||
	    d->DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
		return 0;
	return (uint64_t)major * 10 + (uint64_t)minor;
}

static void describe(int ordinal)
{
	const struct sc_driver *d = sc_driver();
	struct sc_op op = {.kind = SC_OP_DEVICE, .device = (uint8_t)ordinal};
	struct sc_attachment part = {.type = SC_ATTACH_TEXT};
	char name[128] = "";
	CUdevice device;

	if (d->DeviceGet(&device, ordinal))
		return;
	if (d->DeviceGetName)
		d->DeviceGetName(name, sizeof(name) - 1, device);
	if (has(device, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS))
		op.value |= SC_DEVICE_PAGEABLE_ACCESS;
	if (has(device, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS))
		op.value |= SC_DEVICE_CONCURRENT_MANAGED;
	op.value |= arch_of(device) << SC_DEVICE_ARCH_SHIFT;
	part.data = name;
	part.bytes = (uint32_t)strlen(name);
	sc_put_op(&op, &part, 1);
}

/* AFTER function of cuInit. */
void sc_device_describe(struct sc_call *call)
{
	const struct sc_driver *d = sc_driver();
	struct sc_op op = {.kind = SC_OP_DRIVER};
	int version = 0, count = 0;

	(void)call;
	if (atomic_exchange(&is_described, true))
		return;
	sc_modules_initialized();
	if (d->DriverGetVersion && !d->DriverGetVersion(&version)) {
		op.value = (uint64_t)version;
		sc_put_op(&op, NULL, 0);
	}
	if (!d->DeviceGetCount || !d->DeviceGet || d->DeviceGetCount(&count))
		return;
	for (int i = 0; i < count; i++)
		describe(i);
}

/* AFTER functions of cuProfilerStart and cuProfilerStop. */
void sc_device_profiler_started(struct sc_call *call)
{
	(void)call;
	sc_modules_profiler_started();
}

void sc_device_profiler_stopped(struct sc_call *call)
{
	(void)call;
	sc_modules_profiler_stopped();
}

const struct sc_module sc_module_device = {SC_MODULE_STATE(is_described)};
