/* Strides: a box of coordinates with a linear address as strided ranges. */
#pragma once

#include "footprint/region.h"

/* Appends the bytes of a region without cuts. */
void sc_stride_emit(const struct sc_region *r, const struct sc_footprint_range *like,
		    sc_range_list *out);
