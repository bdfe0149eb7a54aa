/* Handlers of fetches from textures: tex, tld4, txq. */
#include <math.h>

#include "simulator/executor/operation/flat_fetch.h"
#include "simulator/executor/operation/half.h"
#include "simulator/executor/texture/object.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/texture/sample.h"

enum mode { BASE, LEVEL, GRADIENT };

static uint32_t listed(const struct exec_warp *w, const struct exec_instruction *in, uint64_t at,
		       unsigned lane)
{
	return ((const uint32_t *)exec_lanes(w, in->list[at]))[lane];
}

static bool has_layers(const struct exec_fetch *f)
{
	return f->geometry == EXEC_A1D || f->geometry == EXEC_A2D || f->geometry == EXEC_ACUBE;
}

/* A layer comes before the other coordinates. */
static bool begin(struct exec_fetch *f, struct exec_warp *w, const struct exec_instruction *in,
		  unsigned lane)
{
	uint64_t at = in->value;
	unsigned axes;

	*f = (struct exec_fetch){.w = w, .in = in, .lane = lane};
	f->geometry = (enum exec_geometry)in->geometry;
	f->texture = exec_object_find(w, in, lane, 0);
	if (!f->texture)
		return 0;
	if (has_layers(f))
		f->layer = listed(w, in, at++, lane);
	axes = exec_geometry_axes(f->geometry);
	for (unsigned a = 0; a < axes; a++) {
		uint32_t bits = listed(w, in, at + a, lane);

		f->at[a] = exec_float_of(bits);
		f->texel[a] = (int32_t)bits;
	}
	return 1;
}

/* How many texels a step of the gradient in slot `k` is long. */
static double step(const struct exec_fetch *f, unsigned k)
{
	const struct exec_texture_level *l = &f->texture->levels[0];
	const uint32_t extent[3] = {l->width, l->height, l->depth};
	double sum = 0;

	for (unsigned a = 0; a < exec_geometry_axes(f->geometry); a++) {
		uint32_t bits = listed(f->w, f->in, f->in->slot[k] + (uint64_t)a, f->lane);
		double d = (double)exec_float_of(bits) *
			   (f->texture->is_normalized ? (double)extent[a] : 1);

		sum += d * d;
	}
	return sqrt(sum);
}

static bool fetch_lane(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
		       enum mode mode, struct exec_texel *out)
{
	struct exec_fetch f;

	if (!begin(&f, w, in, lane))
		return 0;
	if (mode == LEVEL)
		f.level = ((const float *)exec_lanes(w, in->slot[2]))[lane];
	if (mode == GRADIENT)
		f.level = (float)log2(fmax(step(&f, 2), step(&f, 3)));
	if (in->type2 != SC_TYPE_S32)
		return exec_sample(&f, out);
	if (mode == LEVEL)
		f.level = (float)((const int32_t *)exec_lanes(w, in->slot[2]))[lane];
	return exec_sample_texel(&f, out);
}

static void put_words(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		      const struct exec_texel *texels)
{
	uint32_t out[EXEC_LANES];

	for (unsigned k = 0; k < 4; k++) {
		for (unsigned i = 0; i < EXEC_LANES; i++)
			out[i] = texels[i].word[k];
		exec_keep(exec_lanes(w, in->list[in->slot[0] + k]), out, sizeof(*out), mask);
	}
}

static void put_halves(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		       const struct exec_texel *texels)
{
	uint16_t out[EXEC_LANES];

	for (unsigned k = 0; k < 4; k++) {
		for (unsigned i = 0; i < EXEC_LANES; i++)
			out[i] = exec_half_of_single(texels[i].number[k]);
		exec_keep(exec_lanes(w, in->list[in->slot[0] + k]), out, sizeof(*out), mask);
	}
}

static void put_pairs(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		      const struct exec_texel *texels)
{
	uint32_t out[EXEC_LANES];

	for (unsigned k = 0; k < 2; k++) {
		for (unsigned i = 0; i < EXEC_LANES; i++) {
			const float *pair = &texels[i].number[2 * k];

			out[i] = exec_half_of_single(pair[0]) |
				 (uint32_t)exec_half_of_single(pair[1]) << 16;
		}
		exec_keep(exec_lanes(w, in->list[in->slot[0] + k]), out, sizeof(*out), mask);
	}
}

/* All memory is resident. */
static void put(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		const struct exec_texel *texels)
{
	exec_set_predicate(w, in->slot[EXEC_SLOTS - 1], mask, mask);
	if (in->type == SC_TYPE_F16X2)
		put_pairs(w, in, mask, texels);
	else if (in->type == SC_TYPE_F16)
		put_halves(w, in, mask, texels);
	else
		put_words(w, in, mask, texels);
}

/* True: it is done, or the launch has failed. */
static bool fetch_flat(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask)
{
	const struct exec_texture *t = exec_flat_texture(w, in, mask);
	uint32_t out[4][EXEC_LANES] = {0};

	if (w->state == EXEC_WARP_ENDED)
		return 1;
	if (!t || !exec_is_flat(in, t) || !exec_flat_fetch(w, in, t, mask, out))
		return 0;
	exec_set_predicate(w, in->slot[EXEC_SLOTS - 1], mask, mask);
	for (unsigned k = 0; k < 4; k++)
		exec_keep(exec_lanes(w, in->list[in->slot[0] + k]), out[k], sizeof(**out), mask);
	return 1;
}

static void fetch_lanes(struct exec_warp *w, const struct exec_instruction *in, enum mode mode,
			uint32_t mask)
{
	struct exec_texel texels[EXEC_LANES] = {0};

	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (mask >> i & 1 && !fetch_lane(w, in, i, mode, &texels[i]))
			return;
	put(w, in, mask, texels);
}

static void fetch(struct exec_warp *w, const struct exec_instruction *in, enum mode mode)
{
	uint32_t mask = exec_mask(w, in);

	if (mask && !fetch_flat(w, in, mask))
		fetch_lanes(w, in, mode, mask);
}

#define FETCH(id, mode)                                                        \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		fetch(w, in, mode);                                            \
	}
FETCH(tex, BASE)
FETCH(tex_level, LEVEL)
FETCH(tex_grad, GRADIENT)

static void gather(struct exec_warp *w, const struct exec_instruction *in, unsigned component)
{
	struct exec_texel texels[EXEC_LANES] = {0};
	uint32_t mask = exec_mask(w, in);
	struct exec_fetch f;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (mask >> i & 1 &&
		    (!begin(&f, w, in, i) || !exec_sample_gather(&f, component, &texels[i])))
			return;
	put(w, in, mask, texels);
}

#define GATHER(id, component)                                                  \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		gather(w, in, component);                                      \
	}
GATHER(gather_r, 0)
GATHER(gather_g, 1)
GATHER(gather_b, 2)
GATHER(gather_a, 3)

#define QUERY(id, query)                                                       \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		exec_object_query(w, in, 0, query);                            \
	}
QUERY(query_width, EXEC_QUERY_WIDTH)
QUERY(query_height, EXEC_QUERY_HEIGHT)
QUERY(query_depth, EXEC_QUERY_DEPTH)
QUERY(query_layers, EXEC_QUERY_LAYERS)
QUERY(query_levels, EXEC_QUERY_LEVELS)
QUERY(query_type, EXEC_QUERY_TYPE)
QUERY(query_order, EXEC_QUERY_ORDER)
QUERY(query_normalized, EXEC_QUERY_NORMALIZED)

#define MODE(part, more, handler)                                       \
	{"tex" part ".[fsu]32.[fs]32", "=|*44 t" more, 0, handler},     \
		{"tex" part ".f16.[fs]32", "=|*24 t" more, 0, handler}, \
	{                                                               \
		"tex" part ".f16x2.[fs]32", "=|*42 t" more, 0, handler  \
	}
#define COMPONENT(part, handler)                                   \
	{                                                          \
		"tld4." part ".[fsu]32.f32", "=|*44 t", 0, handler \
	}

static const struct exec_row rows[] = {
	MODE("", "", tex),
	MODE(".base", "", tex),
	MODE(".level", " 4", tex_level),
	MODE(".grad", " g g", tex_grad),
	COMPONENT("r", gather_r),
	COMPONENT("g", gather_g),
	COMPONENT("b", gather_b),
	COMPONENT("a", gather_a),
	{"txq.width.b32", "=4 a", 0, query_width},
	{"txq.height.b32", "=4 a", 0, query_height},
	{"txq.depth.b32", "=4 a", 0, query_depth},
	{"txq.level.width.b32", "=4 a 4", 0, query_width},
	{"txq.level.height.b32", "=4 a 4", 0, query_height},
	{"txq.level.depth.b32", "=4 a 4", 0, query_depth},
	{"txq.array_size.b32", "=4 a", 0, query_layers},
	{"txq.num_mipmap_levels.b32", "=4 a", 0, query_levels},
	{"txq.channel_data_type.b32", "=4 a", 0, query_type},
	{"txq.channel_order.b32", "=4 a", 0, query_order},
	{"txq.normalized_coords.b32", "=4 a", 0, query_normalized},
};

const struct exec_rows EXEC_LEVELED(exec_texture_rows) = EXEC_ROWS(rows);
