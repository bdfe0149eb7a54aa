/* Flat: the short way of fetches by all lanes from one texture of one level and up to two axes, of
 * words, as most are; its results are those of texture/sample.h. For handlers that are compiled
 * for each level.
 */
#pragma once

#include <math.h>

#include "simulator/executor/memory.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/texture/object.h"
#include "simulator/executor/texture/sample.h"

#define EXEC_FLAT_AXES 2
#define EXEC_FLAT_MOST (1U << 30) /* texels of an axis, bytes of a row */

struct exec_flat {
	const struct exec_texture *texture;
	const char *bytes;
	unsigned axes;
	bool is_mixed; /* of the texels around */
	int32_t texel[EXEC_FLAT_AXES][EXEC_LANES];
	float weight[EXEC_FLAT_AXES][EXEC_LANES]; /* of the next texel, if it is mixed */
	/* Of one corner, in bytes from the first texel; of lanes at the border 0. */
	uint64_t offset[EXEC_LANES];
	uint32_t at_border[EXEC_LANES];
};

static inline bool exec_is_flat(const struct exec_instruction *in, const struct exec_texture *t)
{
	const struct exec_texture_level *l = &t->levels[0];

	return (in->geometry == EXEC_1D || in->geometry == EXEC_2D) && t->level_count == 1 &&
	       in->type2 != SC_TYPE_S32 && sc_type_bits(in->type) == 32 &&
	       in->type != SC_TYPE_F16X2 && t->channel_bits == 32 &&
	       t->is_number == (t->channel == EXEC_CHANNEL_FLOAT) && l->width < EXEC_FLAT_MOST &&
	       l->height < EXEC_FLAT_MOST && l->row_bytes < EXEC_FLAT_MOST &&
	       exec_mode_of(t, 0) != EXEC_ADDRESS_MIRROR &&
	       exec_mode_of(t, 1) != EXEC_ADDRESS_MIRROR;
}

/* The texture that all these lanes name; NULL: they name several. */
static inline const struct exec_texture *
exec_flat_texture(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask)
{
	const uint64_t *handle = exec_lanes(w, in->slot[1]);
	unsigned any = (unsigned)__builtin_ctz(mask);
	uint64_t first = handle[any], differs = 0;

	EXEC_EACH_LANE
	differs |= (mask & exec_bits[i]) == exec_bits[i] ? handle[i] ^ first : 0;
	return differs ? NULL : exec_object_find(w, in, any, 0);
}

/* Which texel a coordinate is in, and how far it is on the way to the next one. */
static inline void exec_flat_place(struct exec_flat *f, unsigned axis, const float *at)
{
	const struct exec_texture *t = f->texture;
	double size = axis ? t->levels[0].height : t->levels[0].width;
	double scale = t->is_normalized ? size : 1;
	bool wraps = exec_mode_of(t, axis) == EXEC_ADDRESS_WRAP;
	double x[EXEC_LANES];

	EXEC_EACH_LANE
	x[i] = (double)at[i];
	if (wraps)
		EXEC_EACH_LANE
	x[i] -= floor(x[i]);
	EXEC_EACH_LANE
	{
		double whole = (x[i] != x[i] ? 0 : x[i]) * scale;

		whole = whole < -4 ? -4 : whole;
		x[i] = whole > size + 4 ? size + 4 : whole;
	}
	if (f->is_mixed)
		EXEC_EACH_LANE
		{
			double fixed = floor((x[i] - 0.5) * EXEC_WEIGHT_STEPS + 0.5);

			x[i] = floor(fixed / EXEC_WEIGHT_STEPS);
			f->weight[axis][i] = (float)(fixed / EXEC_WEIGHT_STEPS - x[i]);
		}
	EXEC_EACH_LANE
	f->texel[axis][i] = (int32_t)floor(x[i]);
}

/* Where the texels of a corner lie, which has a bit for each axis. */
static inline void exec_flat_corner(struct exec_flat *f, unsigned corner)
{
	const struct exec_texture *t = f->texture;
	const struct exec_texture_level *l = &t->levels[0];
	uint32_t bytes[EXEC_FLAT_AXES] = {exec_texel_bytes(t), (uint32_t)l->row_bytes};

	memset(f->offset, 0, sizeof(f->offset));
	memset(f->at_border, 0, sizeof(f->at_border));
	for (unsigned a = 0; a < f->axes; a++) {
		enum exec_address_mode mode = exec_mode_of(t, a);
		int32_t size = (int32_t)(a ? l->height : l->width), next = corner >> a & 1;
		int32_t before = mode == EXEC_ADDRESS_WRAP ? size : 0, last = size - 1;
		uint32_t border = mode == EXEC_ADDRESS_BORDER ? UINT32_MAX : 0;

		EXEC_EACH_LANE
		{
			int32_t at = f->texel[a][i] + next;

			f->at_border[i] |= at < 0 || at > last ? border : 0;
			at += at < 0 ? before : at > last ? -before : 0;
			at = at < 0 ? 0 : at > last ? last : at;
			f->offset[i] += (uint64_t)(uint32_t)at * bytes[a];
		}
	}
	EXEC_EACH_LANE
	f->offset[i] = f->at_border[i] ? 0 : f->offset[i];
}
