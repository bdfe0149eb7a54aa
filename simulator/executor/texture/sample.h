/* Sampling: from coordinates to a texel, or to a mean of several.
 *
 * As "Texture Fetching" of the CUDA programming guide has it: weights of linear filtering are
 * multiples of 1/256, rounded to nearest; products and sums are rounded once. Coordinates may be
 * any numbers: no texel outside of the texture is read.
 */
#pragma once

#include "simulator/executor/texture/texel.h"

#define EXEC_WEIGHT_STEPS 256 /* of a weight */

/* Wrap and mirror need normalized coordinates, and clamp others. */
static inline enum exec_address_mode exec_mode_of(const struct exec_texture *t, unsigned axis)
{
	enum exec_address_mode mode = (enum exec_address_mode)t->address_mode[axis];

	return t->is_normalized || mode == EXEC_ADDRESS_BORDER ? mode : EXEC_ADDRESS_CLAMP;
}

/* The coordinates that a geometry has, beside the layer: 1 to 3. */
unsigned exec_geometry_axes(enum exec_geometry geometry);

/* False: the launch has failed. */
bool exec_sample(const struct exec_fetch *f, struct exec_texel *out);

/* By integer coordinates, neither filtered nor clamped: outside all is zero. */
bool exec_sample_texel(const struct exec_fetch *f, struct exec_texel *out);

/* That component of the four texels of which a linear filter would make a mean. */
bool exec_sample_gather(const struct exec_fetch *f, unsigned component, struct exec_texel *out);
