/* Memory fills: values of 1, 2 or 4 bytes over rows (section 4.8). */
#pragma once

#include <cuda.h>

#include "simulator/driver/schedule/work.h"

struct sim_fill_spec {
	CUdeviceptr dst;
	size_t pitch_bytes; /* ignored for one row */
	unsigned int value;
	unsigned int element_bytes;
	size_t width; /* elements */
	size_t height;
};

/* Checks the target and takes a reference; on success the fill must be released as a work. */
CUresult sim_fill_resolve(const struct sim_fill_spec *spec, struct sim_fill *fill);
