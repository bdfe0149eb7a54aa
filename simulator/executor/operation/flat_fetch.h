/* Fetches of all lanes from a flat texture: its texels as they are, or mixed. */
#pragma once

#include "simulator/executor/operation/flat.h"

/* The bits of lanes of which one is not zero. */
static inline uint32_t exec_flat_bits(const uint32_t *lanes)
{
	uint32_t bits = 0;

	EXEC_EACH_LANE
	bits |= lanes[i] ? exec_bits[i] : 0;
	return bits;
}

static inline void exec_flat_load(const struct exec_flat *f, unsigned channel, uint32_t *out)
{
	const char *from = f->bytes + channel * sizeof(*out);
	uint32_t left = exec_flat_bits(f->at_border);
	struct exec_texel border;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		memcpy(&out[i], from + f->offset[i], sizeof(*out));
	if (left)
		exec_texel_border(f->texture, &border);
	for (; left; left &= left - 1)
		out[__builtin_ctz(left)] = border.word[channel];
}

/* The launch touches the texels of these lanes. */
static inline void exec_flat_note(struct exec_warp *w, const struct exec_flat *f, uint32_t lanes)
{
	unsigned bytes = exec_texel_bytes(f->texture);
	uint64_t first = 0, end = 0;

	if (!w->run->launch->touched)
		return;
	for (lanes &= ~exec_flat_bits(f->at_border); lanes; lanes &= lanes - 1) {
		uint64_t at = f->offset[__builtin_ctz(lanes)];

		if (at != end || first == end) {
			if (first != end)
				exec_object_note(w, &f->texture->levels[0], first,
						 (unsigned)(end - first), EXEC_READ);
			first = at;
		}
		end = at + bytes;
	}
	if (first != end)
		exec_object_note(w, &f->texture->levels[0], first, (unsigned)(end - first),
				 EXEC_READ);
}

/* The share of each lane's corner; true: some lanes have one. */
static inline uint32_t exec_flat_weigh(const struct exec_flat *f, unsigned corner, double *share)
{
	uint32_t has[EXEC_LANES];

	EXEC_EACH_LANE
	share[i] = 1;
	for (unsigned a = 0; a < f->axes; a++)
		EXEC_EACH_LANE
	share[i] *= corner >> a & 1 ? (double)f->weight[a][i] : 1 - (double)f->weight[a][i];
	EXEC_EACH_LANE
	has[i] = share[i] != 0;
	return exec_flat_bits(has);
}

/* The texels of each lane, all of them nearest ones. */
static inline void exec_flat_nearest(struct exec_warp *w, struct exec_flat *f, uint32_t mask,
				     uint32_t out[4][EXEC_LANES])
{
	exec_flat_corner(f, 0);
	exec_flat_note(w, f, mask);
	for (unsigned k = 0; k < f->texture->channel_count; k++)
		exec_flat_load(f, k, out[k]);
}

static inline void exec_flat_mix(struct exec_warp *w, struct exec_flat *f, uint32_t mask,
				 uint32_t out[4][EXEC_LANES])
{
	double share[EXEC_LANES], sum[4][EXEC_LANES] = {0};
	uint32_t words[EXEC_LANES];
	float number[EXEC_LANES];

	for (unsigned corner = 0; corner < 1U << f->axes; corner++) {
		uint32_t lanes = exec_flat_weigh(f, corner, share) & mask;

		if (!lanes)
			continue;
		exec_flat_corner(f, corner);
		exec_flat_note(w, f, lanes);
		for (unsigned k = 0; k < f->texture->channel_count; k++) {
			exec_flat_load(f, k, words);
			memcpy(number, words, sizeof(words));
			EXEC_EACH_LANE
			sum[k][i] += share[i] != 0 ? share[i] * (double)number[i] : 0;
		}
	}
	for (unsigned k = 0; k < f->texture->channel_count; k++) {
		EXEC_EACH_LANE
		number[i] = (float)sum[k][i];
		memcpy(out[k], number, sizeof(number));
	}
}

/* False: it takes the long way, and nothing has happened. */
static inline bool exec_flat_fetch(struct exec_warp *w, const struct exec_instruction *in,
				   const struct exec_texture *t, uint32_t mask,
				   uint32_t out[4][EXEC_LANES])
{
	const struct exec_texture_level *l = &t->levels[0];
	struct exec_flat f = {.texture = t,
			      .bytes = l->bytes,
			      .axes = in->geometry == EXEC_2D ? 2 : 1,
			      .is_mixed = t->is_filtered && t->is_number};

	if (!f.bytes)
		f.bytes = exec_memory_texels(w, in, l->address,
					     (l->height - 1) * l->row_bytes +
						     (uint64_t)l->width * exec_texel_bytes(t));
	if (!f.bytes)
		return 0;
	for (unsigned a = 0; a < f.axes; a++)
		exec_flat_place(&f, a, exec_lanes(w, in->list[in->value + a]));
	if (f.is_mixed)
		exec_flat_mix(w, &f, mask, out);
	else
		exec_flat_nearest(w, &f, mask, out);
	return 1;
}
