/* What descriptions of textures and surfaces mean: shapes, formats, and how texels are read. */
#include "simulator/driver/texture/texture.h"

#include "simulator/driver/copy/array.h"
#include "simulator/driver/call.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/memory/memory.h"

#define ALIGNMENT_BYTES	      512 /* of linear memory */
#define PITCH_ALIGNMENT_BYTES 32
#define LINEAR_MOST	      ((size_t)1 << 28) /* texels */
#define PITCH_WIDTH_MOST      131072
#define PITCH_HEIGHT_MOST     65000
#define PITCH_BYTES_MOST      2097120

struct format {
	CUarray_format name;
	enum exec_channel channel;
	unsigned int bits;
};

/* In the order of CUresourceViewFormat, which has three of each: 1, 2 and 4 channels. */
static const struct format formats[] = {
	{CU_AD_FORMAT_UNSIGNED_INT8, EXEC_CHANNEL_UNSIGNED, 8},
	{CU_AD_FORMAT_SIGNED_INT8, EXEC_CHANNEL_SIGNED, 8},
	{CU_AD_FORMAT_UNSIGNED_INT16, EXEC_CHANNEL_UNSIGNED, 16},
	{CU_AD_FORMAT_SIGNED_INT16, EXEC_CHANNEL_SIGNED, 16},
	{CU_AD_FORMAT_UNSIGNED_INT32, EXEC_CHANNEL_UNSIGNED, 32},
	{CU_AD_FORMAT_SIGNED_INT32, EXEC_CHANNEL_SIGNED, 32},
	{CU_AD_FORMAT_HALF, EXEC_CHANNEL_FLOAT, 16},
	{CU_AD_FORMAT_FLOAT, EXEC_CHANNEL_FLOAT, 32},
};

static CUresult set_format(struct exec_texture *t, CUarray_format name, unsigned int channels)
{
	size_t i;

	if (channels != 1 && channels != 2 && channels != 4)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (formats[i].name != name)
			continue;
		t->channel = (uint8_t)formats[i].channel;
		t->channel_bits = (uint8_t)formats[i].bits;
		t->channel_count = (uint8_t)channels;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* ---- resources ---- */

static CUresult add_array(struct sim_texture *texture, CUarray array)
{
	struct exec_texture *t = &texture->made;

	if (!sim_handle_is(array, SIM_KIND_ARRAY))
		return CUDA_ERROR_INVALID_VALUE;
	texture->arrays[texture->array_count] = array;
	texture->bytes[texture->array_count++] = array->alloc;
	t->is_layered = array->descriptor.Flags & CUDA_ARRAY3D_LAYERED;
	t->is_cube = array->descriptor.Flags & CUDA_ARRAY3D_CUBEMAP;
	t->levels[t->level_count++] =
		(struct exec_texture_level){.bytes = array->alloc->backing->bytes,
					    .address = array->place,
					    .width = (uint32_t)array->descriptor.Width,
					    .height = (uint32_t)array->rows,
					    .depth = (uint32_t)array->slices,
					    .row_bytes = array->row_bytes,
					    .slice_bytes = array->row_bytes * array->rows};
	return set_format(t, array->descriptor.Format, array->descriptor.NumChannels);
}

static CUresult add_mipmap(struct sim_texture *texture, CUmipmappedArray mipmap)
{
	CUresult result = CUDA_SUCCESS;
	unsigned int i;

	if (!sim_handle_is(mipmap, SIM_KIND_MIPMAP))
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < mipmap->count && result == CUDA_SUCCESS; i++)
		result = add_array(texture, mipmap->levels[i]);
	return result;
}

/* One level in linear memory, which must be there. */
static CUresult add_rows(struct exec_texture *t, CUdeviceptr address, size_t width, size_t height,
			 size_t row_bytes)
{
	const struct sim_alloc *alloc = sim_memory_find(address);
	size_t bytes = row_bytes * (height - 1) + width * exec_texel_bytes(t), left;

	if (!alloc || address % ALIGNMENT_BYTES)
		return CUDA_ERROR_INVALID_VALUE;
	left = alloc->size_bytes - (address - alloc->base);
	if (bytes > left && !sim_memory_covers(alloc, address, bytes, false))
		return CUDA_ERROR_INVALID_VALUE;
	t->level_count = 1;
	t->levels[0] = (struct exec_texture_level){.address = address,
						   .width = (uint32_t)width,
						   .height = (uint32_t)height,
						   .depth = 1,
						   .row_bytes = row_bytes,
						   .slice_bytes = row_bytes * height};
	return CUDA_SUCCESS;
}

static CUresult add_linear(struct sim_texture *texture)
{
	const CUDA_RESOURCE_DESC *r = &texture->resource;
	struct exec_texture *t = &texture->made;
	CUresult result = set_format(t, r->res.linear.format, r->res.linear.numChannels);
	size_t texels;

	if (result != CUDA_SUCCESS)
		return result;
	t->is_linear = true;
	texels = r->res.linear.sizeInBytes / exec_texel_bytes(t);
	if (!texels || texels > LINEAR_MOST)
		return CUDA_ERROR_INVALID_VALUE;
	return add_rows(t, r->res.linear.devPtr, texels, 1, texels * exec_texel_bytes(t));
}

static CUresult add_pitched(struct sim_texture *texture)
{
	const CUDA_RESOURCE_DESC *r = &texture->resource;
	struct exec_texture *t = &texture->made;
	size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height,
	       pitch = r->res.pitch2D.pitchInBytes;
	CUresult result = set_format(t, r->res.pitch2D.format, r->res.pitch2D.numChannels);

	if (result != CUDA_SUCCESS)
		return result;
	if (!width || width > PITCH_WIDTH_MOST || !height || height > PITCH_HEIGHT_MOST ||
	    pitch > PITCH_BYTES_MOST || pitch % PITCH_ALIGNMENT_BYTES ||
	    pitch < width * exec_texel_bytes(t))
		return CUDA_ERROR_INVALID_VALUE;
	return add_rows(t, r->res.pitch2D.devPtr, width, height, pitch);
}

static CUresult set_resource(struct sim_texture *texture)
{
	const CUDA_RESOURCE_DESC *r = &texture->resource;

	if (r->flags)
		return CUDA_ERROR_INVALID_VALUE;
	switch ((unsigned int)r->resType) {
	case CU_RESOURCE_TYPE_ARRAY: return add_array(texture, r->res.array.hArray);
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		return add_mipmap(texture, r->res.mipmap.hMipmappedArray);
	case CU_RESOURCE_TYPE_LINEAR: return add_linear(texture);
	case CU_RESOURCE_TYPE_PITCH2D: return add_pitched(texture);
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* ---- views ---- */

/* The same bytes as other channels. */
static CUresult view_format(struct exec_texture *t, unsigned int wanted)
{
	static const unsigned int channels[3] = {1, 2, 4};
	unsigned int bytes = exec_texel_bytes(t);
	const struct format *format;
	CUresult result;

	if (wanted == CU_RES_VIEW_FORMAT_NONE)
		return CUDA_SUCCESS;
	if (wanted > CU_RES_VIEW_FORMAT_FLOAT_4X32)
		return sim_call_unsupported("resource views of compressed formats");
	format = &formats[(wanted - 1) / 3];
	result = set_format(t, format->name, channels[(wanted - 1) % 3]);
	return result == CUDA_SUCCESS && exec_texel_bytes(t) != bytes ? CUDA_ERROR_INVALID_VALUE
								      : result;
}

static void view_levels(struct exec_texture *t, unsigned int first, unsigned int last)
{
	unsigned int i;

	t->level_count = last - first + 1;
	for (i = 0; i < t->level_count; i++)
		t->levels[i] = t->levels[first + i];
}

static void view_layers(struct exec_texture *t, unsigned int first, unsigned int last)
{
	unsigned int i;

	for (i = 0; i < t->level_count; i++) {
		t->levels[i].bytes += first * t->levels[i].slice_bytes;
		if (t->levels[i].address)
			t->levels[i].address += first * t->levels[i].slice_bytes;
		t->levels[i].depth = last - first + 1;
	}
}

/* Extents are those of the first level. */
static CUresult set_view(struct sim_texture *texture)
{
	const CUDA_RESOURCE_VIEW_DESC *v = &texture->view;
	struct exec_texture *t = &texture->made;
	CUresult result;

	if (!texture->has_view)
		return CUDA_SUCCESS;
	if (!texture->array_count || v->firstMipmapLevel > v->lastMipmapLevel ||
	    v->lastMipmapLevel >= t->level_count || v->firstLayer > v->lastLayer)
		return CUDA_ERROR_INVALID_VALUE;
	view_levels(t, v->firstMipmapLevel, v->lastMipmapLevel);
	if (v->width != t->levels[0].width || (v->height ? v->height : 1) != t->levels[0].height)
		return CUDA_ERROR_INVALID_VALUE;
	result = view_format(t, (unsigned int)v->format);
	if (result != CUDA_SUCCESS || !t->is_layered)
		return result;
	if (v->lastLayer >= t->levels[0].depth)
		return CUDA_ERROR_INVALID_VALUE;
	view_layers(t, v->firstLayer, v->lastLayer);
	return CUDA_SUCCESS;
}

/* ---- samplers ---- */

static bool is_sampler(const CUDA_TEXTURE_DESC *s)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if ((unsigned int)s->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
			return false;
	return (unsigned int)s->filterMode <= CU_TR_FILTER_MODE_LINEAR &&
	       (unsigned int)s->mipmapFilterMode <= CU_TR_FILTER_MODE_LINEAR;
}

/* Linear memory has no sampler. What the manual excludes the driver takes all the same: a linear
 * filter of integers (none then), mipmapped arrays without normalized coordinates. */
static CUresult set_sampler(struct sim_texture *texture)
{
	const CUDA_TEXTURE_DESC *s = &texture->sampler;
	struct exec_texture *t = &texture->made;
	unsigned int i;

	if (!is_sampler(s))
		return CUDA_ERROR_INVALID_VALUE;
	t->is_number = t->channel == EXEC_CHANNEL_FLOAT ||
		       (t->channel_bits < 32 && !(s->flags & CU_TRSF_READ_AS_INTEGER));
	for (i = 0; i < 3; i++)
		t->address_mode[i] = (uint8_t)(t->is_linear ? EXEC_ADDRESS_BORDER
							    : (unsigned int)s->addressMode[i]);
	if (t->is_linear)
		return CUDA_SUCCESS;
	t->is_normalized = s->flags & CU_TRSF_NORMALIZED_COORDINATES;
	t->is_srgb = s->flags & CU_TRSF_SRGB;
	t->is_seamless = s->flags & CU_TRSF_SEAMLESS_CUBEMAP;
	t->is_filtered = s->filterMode == CU_TR_FILTER_MODE_LINEAR && t->is_number;
	t->is_mip_filtered = s->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
	t->bias = s->mipmapLevelBias;
	t->least_level = s->minMipmapLevelClamp;
	t->most_level = s->maxMipmapLevelClamp;
	for (i = 0; i < 4; i++)
		t->border[i] = s->borderColor[i];
	return CUDA_SUCCESS;
}

/* A surface is an array; that it was made for it the driver does not demand. */
static CUresult set_surface(const struct sim_texture *texture)
{
	return texture->resource.resType == CU_RESOURCE_TYPE_ARRAY ? CUDA_SUCCESS
								   : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_texture_describe(struct sim_texture *texture)
{
	CUresult result = set_resource(texture);

	if (result != CUDA_SUCCESS)
		return result;
	if (texture->made.is_surface)
		return set_surface(texture);
	result = set_view(texture);
	return result == CUDA_SUCCESS ? set_sampler(texture) : result;
}
