/*
 * Arrays, and element formats in the runtime's and in the driver's words.
 *
 * Only formats with one to four equal channels of 8, 16 or 32 bits are known; others are
 * cudaErrorInvalidChannelDescriptor.
 */
#pragma once

#include "simulator/runtime/driver.h"

CUresult rt_malloc_array(const struct rt_calls *cu, cudaArray_t *array,
			 const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
			 unsigned int flags);
CUresult rt_malloc_mipmapped(const struct rt_calls *cu, cudaMipmappedArray_t *array,
			     const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
			     unsigned int levels, unsigned int flags);

/* Each result may be NULL. */
CUresult rt_array_info(const struct rt_calls *cu, struct cudaChannelFormatDesc *format,
		       struct cudaExtent *extent, unsigned int *flags, cudaArray_t array);

CUresult rt_array_element_bytes(const struct rt_calls *cu, cudaArray_t array, size_t *bytes);
CUresult rt_array_row_bytes(const struct rt_calls *cu, cudaArray_t array, size_t *bytes);

CUresult rt_linear_texture_width(const struct rt_calls *cu, size_t *width,
				 const struct cudaChannelFormatDesc *format, int device);

CUresult rt_format_encode(const struct cudaChannelFormatDesc *format, CUarray_format *driver,
			  unsigned int *channels);
CUresult rt_format_decode(CUarray_format driver, unsigned int channels,
			  struct cudaChannelFormatDesc *format);
