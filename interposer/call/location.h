/* Where memory is, as CUDA names places: on a device, on a part of one (its locality domain), or at
 * the host. What part of a device it is changes nothing for the order (P-16).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

static inline bool sc_location_is_device(const CUmemLocation *location)
{
	return location->type == CU_MEM_LOCATION_TYPE_DEVICE ||
	       location->type == CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN;
}

/* The ordinal, of such a location. */
static inline uint8_t sc_location_device(const CUmemLocation *location)
{
	if (location->type == CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN)
		return location->localized.deviceId;
	return (uint8_t)location->id;
}
