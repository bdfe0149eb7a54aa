/* Creates arrays and translates element formats. */
#include "simulator/runtime/array.h"

#include "simulator/runtime/api.h"
#include "simulator/runtime/properties.h"

static const struct format {
	CUarray_format driver;
	enum cudaChannelFormatKind kind;
	int bits;
} formats[] = {
	{CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
	{CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
	{CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
	{CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
	{CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
	{CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
	{CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
	{CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32},
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

RT_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
							     enum cudaChannelFormatKind kind)
{
	return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = kind};
}

/* The number of channels, 0 if they are unequal or leave a gap. */
static unsigned int count_channels(const struct cudaChannelFormatDesc *format)
{
	const int bits[] = {format->x, format->y, format->z, format->w};
	unsigned int count = 0;

	while (count < 4 && bits[count] == format->x)
		count++;
	for (unsigned int i = count; i < 4; i++) {
		if (bits[i])
			return 0;
	}
	return count == 3 ? 0 : count;
}

CUresult rt_format_encode(const struct cudaChannelFormatDesc *format, CUarray_format *driver,
			  unsigned int *channels)
{
	*channels = count_channels(format);
	for (size_t i = 0; *channels && i < FORMAT_COUNT; i++) {
		if (formats[i].kind == format->f && formats[i].bits == format->x) {
			*driver = formats[i].driver;
			return CUDA_SUCCESS;
		}
	}
	return rt_fail(cudaErrorInvalidChannelDescriptor);
}

CUresult rt_format_decode(CUarray_format driver, unsigned int channels,
			  struct cudaChannelFormatDesc *format)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		int bits = formats[i].bits;

		if (formats[i].driver != driver)
			continue;
		*format = cudaCreateChannelDesc(bits, channels > 1 ? bits : 0,
						channels > 2 ? bits : 0, channels > 3 ? bits : 0,
						formats[i].kind);
		return CUDA_SUCCESS;
	}
	return rt_fail(cudaErrorInvalidChannelDescriptor);
}

static CUresult describe(const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
			 unsigned int flags, CUDA_ARRAY3D_DESCRIPTOR *wanted)
{
	wanted->Width = extent.width;
	wanted->Height = extent.height;
	wanted->Depth = extent.depth;
	wanted->Flags = flags;
	return rt_format_encode(format, &wanted->Format, &wanted->NumChannels);
}

CUresult rt_malloc_array(const struct rt_calls *cu, cudaArray_t *array,
			 const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
			 unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR wanted = {0};
	CUresult err;

	if (!array || !format)
		return CUDA_ERROR_INVALID_VALUE;
	*array = NULL;
	err = describe(format, extent, flags, &wanted);
	return err ? err : cu->cuArray3DCreate((CUarray *)(void *)array, &wanted);
}

CUresult rt_malloc_mipmapped(const struct rt_calls *cu, cudaMipmappedArray_t *array,
			     const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
			     unsigned int levels, unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR wanted = {0};
	CUresult err;

	if (!array || !format)
		return CUDA_ERROR_INVALID_VALUE;
	*array = NULL;
	err = describe(format, extent, flags, &wanted);
	return err ? err
		   : cu->cuMipmappedArrayCreate((CUmipmappedArray *)(void *)array, &wanted, levels);
}

static CUresult read_descriptor(const struct rt_calls *cu, cudaArray_t array,
				CUDA_ARRAY3D_DESCRIPTOR *found)
{
	if (!array)
		return CUDA_ERROR_INVALID_HANDLE;
	return cu->cuArray3DGetDescriptor(found, (CUarray)(void *)array);
}

CUresult rt_array_info(const struct rt_calls *cu, struct cudaChannelFormatDesc *format,
		       struct cudaExtent *extent, unsigned int *flags, cudaArray_t array)
{
	CUDA_ARRAY3D_DESCRIPTOR found = {0};
	CUresult err = read_descriptor(cu, array, &found);

	if (err)
		return err;
	if (extent)
		*extent = (struct cudaExtent){found.Width, found.Height, found.Depth};
	if (flags)
		*flags = found.Flags;
	return format ? rt_format_decode(found.Format, found.NumChannels, format) : CUDA_SUCCESS;
}

static CUresult element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *found, size_t *bytes)
{
	struct cudaChannelFormatDesc format;
	CUresult err = rt_format_decode(found->Format, found->NumChannels, &format);

	if (!err)
		*bytes = (size_t)format.x / 8 * found->NumChannels;
	return err;
}

CUresult rt_array_element_bytes(const struct rt_calls *cu, cudaArray_t array, size_t *bytes)
{
	CUDA_ARRAY3D_DESCRIPTOR found = {0};
	CUresult err = read_descriptor(cu, array, &found);

	return err ? err : element_bytes(&found, bytes);
}

CUresult rt_array_row_bytes(const struct rt_calls *cu, cudaArray_t array, size_t *bytes)
{
	CUDA_ARRAY3D_DESCRIPTOR found = {0};
	CUresult err = read_descriptor(cu, array, &found);

	if (!err)
		err = element_bytes(&found, bytes);
	if (!err)
		*bytes *= found.Width;
	return err;
}

CUresult rt_linear_texture_width(const struct rt_calls *cu, size_t *width,
				 const struct cudaChannelFormatDesc *format, int device)
{
	CUarray_format driver;
	unsigned int channels;
	CUresult err;

	if (!width || !format)
		return CUDA_ERROR_INVALID_VALUE;
	err = rt_format_encode(format, &driver, &channels);
	if (err)
		return err;
	return cu->cuDeviceGetTexture1DLinearMaxWidth(width, driver, channels,
						      rt_device_handle(device));
}
