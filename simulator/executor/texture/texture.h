/* Texture and surface objects as kernels see them: formats, shapes, and where the texels lie.
 *
 * The driver describes an object once; the executor reads the description in all threads of a
 * launch. Texels of arrays are bytes here; those of linear memory are found by their address, as
 * other accesses of the kernel. An array has an address only where a tool placed it, to list what
 * launches touch.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXEC_TEXTURE_LEVELS 20 /* most of a mipmapped array */
#define EXEC_TEXEL_BYTES    16 /* most of a texel */

enum exec_channel { EXEC_CHANNEL_UNSIGNED, EXEC_CHANNEL_SIGNED, EXEC_CHANNEL_FLOAT };

/* What instructions name: tex.2d of an array without layers, and so on. */
enum exec_geometry {
	EXEC_NO_GEOMETRY,
	EXEC_1D,
	EXEC_2D,
	EXEC_3D,
	EXEC_A1D,
	EXEC_A2D,
	EXEC_CUBE,
	EXEC_ACUBE,
	EXEC_GEOMETRIES
};

/* What an access to a surface does outside of it. */
enum exec_outside {
	EXEC_OUTSIDE_TRAP,
	EXEC_OUTSIDE_CLAMP,
	EXEC_OUTSIDE_ZERO /* a store: nothing */
};

/* In the order of CUaddress_mode. */
enum exec_address_mode {
	EXEC_ADDRESS_WRAP,
	EXEC_ADDRESS_CLAMP,
	EXEC_ADDRESS_MIRROR,
	EXEC_ADDRESS_BORDER
};

/* One array, or one level of a mipmapped one. */
struct exec_texture_level {
	char *bytes;		       /* NULL: linear memory, from `address` on */
	uint64_t address;	       /* 0: the array has none */
	uint32_t width, height, depth; /* in texels, at least 1; layers count as depth */
	uint64_t row_bytes, slice_bytes;
};

struct exec_texture {
	bool is_surface;
	bool is_linear;	 /* no sampler: only integer coordinates, what is outside is zero */
	bool is_layered; /* the depth of a level is layers */
	bool is_cube;	 /* so are the six faces, of each layer */
	bool is_number;	 /* texels are read as floating point: integers as parts of the largest */
	bool is_normalized; /* coordinates are */
	bool is_srgb;
	bool is_filtered; /* linear */
	bool is_mip_filtered;
	bool is_seamless;
	uint8_t channel; /* enum exec_channel */
	uint8_t channel_bits;
	uint8_t channel_count;
	uint8_t address_mode[3]; /* enum exec_address_mode */
	float border[4];
	float bias, least_level, most_level;
	uint32_t level_count;
	struct exec_texture_level levels[EXEC_TEXTURE_LEVELS];
};

static inline unsigned exec_texel_bytes(const struct exec_texture *t)
{
	return t->channel_bits / 8U * t->channel_count;
}
