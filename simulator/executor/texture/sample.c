/* Sampling: from coordinates to a texel, or to a mean of several. */
#include "simulator/executor/texture/sample.h"

#include <math.h>

/* One coordinate: two texels side by side, of which the second one has so many EXEC_WEIGHT_STEPS.
 */
struct place {
	int64_t texel;
	unsigned weight;
};

unsigned exec_geometry_axes(enum exec_geometry geometry)
{
	static const uint8_t axes[EXEC_GEOMETRIES] = {
		[EXEC_1D] = 1,	[EXEC_2D] = 2,	 [EXEC_3D] = 3,	   [EXEC_A1D] = 1,
		[EXEC_A2D] = 2, [EXEC_CUBE] = 3, [EXEC_ACUBE] = 3,
	};

	return axes[geometry];
}

static bool is_cube(const struct exec_fetch *f)
{
	return f->geometry == EXEC_CUBE || f->geometry == EXEC_ACUBE;
}

/* Axes of a slice: of a cube's face, say. */
static unsigned plane_axes(const struct exec_fetch *f)
{
	return is_cube(f) ? 2 : exec_geometry_axes(f->geometry);
}

static uint32_t extent(const struct exec_texture_level *l, unsigned axis)
{
	return axis == 0 ? l->width : axis == 1 ? l->height : l->depth;
}

/* Faces of cubes have a mode of their own. */
static enum exec_address_mode mode_of(const struct exec_fetch *f, unsigned axis)
{
	return is_cube(f) ? EXEC_ADDRESS_CLAMP : exec_mode_of(f->texture, axis);
}

/* A coordinate in texels, near enough to the texture for integers. No number is zero. */
static double in_texels(float coordinate, uint32_t size, bool is_normalized,
			enum exec_address_mode mode)
{
	double x = (double)coordinate, beyond = (double)size + 4;

	if (mode == EXEC_ADDRESS_WRAP)
		x -= floor(x);
	if (mode == EXEC_ADDRESS_MIRROR)
		x = fmod(x, 2);
	if (isnan(x))
		return 0;
	if (is_normalized)
		x *= size;
	if (mode == EXEC_ADDRESS_MIRROR)
		return x;
	return x < -4 ? -4 : x > beyond ? beyond : x;
}

static struct place place_of(double x, bool is_filtered)
{
	double fixed;

	if (!is_filtered)
		return (struct place){(int64_t)floor(x), 0};
	fixed = floor((x - 0.5) * EXEC_WEIGHT_STEPS + 0.5);
	return (struct place){
		(int64_t)floor(fixed / EXEC_WEIGHT_STEPS),
		(unsigned)(fixed - floor(fixed / EXEC_WEIGHT_STEPS) * EXEC_WEIGHT_STEPS)};
}

/* Where a texel outside of the texture is in it; -1: at the border. */
static int64_t inside(int64_t texel, uint32_t size, enum exec_address_mode mode)
{
	int64_t n = size, at;

	switch (mode) {
	case EXEC_ADDRESS_WRAP: at = texel % n; return at < 0 ? at + n : at;
	case EXEC_ADDRESS_MIRROR:
		at = texel % (2 * n);
		at = at < 0 ? at + 2 * n : at;
		return at < n ? at : 2 * n - 1 - at;
	case EXEC_ADDRESS_CLAMP: return texel < 0 ? 0 : texel >= n ? n - 1 : texel;
	case EXEC_ADDRESS_BORDER: break;
	}
	return texel < 0 || texel >= n ? -1 : texel;
}

/* ---- cubes ---- */

/* For each face the axis that leads to it, those of its plane, and their signs. */
static const struct {
	uint8_t major, s, t;
	int8_t major_sign, s_sign, t_sign;
} faces[6] = {
	{0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1}, {1, 0, 2, 1, 1, 1},
	{1, 0, 2, -1, 1, -1}, {2, 0, 1, 1, 1, -1},  {2, 0, 1, -1, -1, -1},
};

static unsigned face_of(const double direction[3])
{
	double x = fabs(direction[0]), y = fabs(direction[1]), z = fabs(direction[2]);
	unsigned axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;

	return axis * 2 + (direction[axis] < 0);
}

/* Normalized coordinates in the face that a direction meets. */
static unsigned meet_face(const double direction[3], double st[2])
{
	unsigned face = face_of(direction);
	double major = fabs(direction[faces[face].major]);

	st[0] = (faces[face].s_sign * direction[faces[face].s] / major + 1) / 2;
	st[1] = (faces[face].t_sign * direction[faces[face].t] / major + 1) / 2;
	return face;
}

/* A texel beside one edge of a face is one of the face there. */
static unsigned cross_edge(unsigned face, uint32_t size, int64_t texel[2])
{
	double direction[3], st[2];

	if (texel[0] >= 0 && texel[0] < size && texel[1] >= 0 && texel[1] < size)
		return face;
	direction[faces[face].major] = faces[face].major_sign;
	for (unsigned k = 0; k < 2; k++)
		st[k] = ((double)texel[k] + 0.5) / size * 2 - 1;
	direction[faces[face].s] = faces[face].s_sign * st[0];
	direction[faces[face].t] = faces[face].t_sign * st[1];
	face = meet_face(direction, st);
	for (unsigned k = 0; k < 2; k++)
		texel[k] = inside((int64_t)floor(st[k] * size), size, EXEC_ADDRESS_CLAMP);
	return face;
}

/* ---- one level ---- */

struct level_fetch {
	const struct exec_fetch *f;
	unsigned level;
	unsigned axes;
	struct place place[3];
	unsigned slice; /* the layer, or the first face of the cube there */
	unsigned face;
};

static bool is_between_faces(const struct level_fetch *l)
{
	return is_cube(l->f) && l->f->texture->is_seamless;
}

static struct level_fetch locate(const struct exec_fetch *f, unsigned level, bool is_filtered)
{
	const struct exec_texture *t = f->texture;
	const struct exec_texture_level *in = &t->levels[level];
	struct level_fetch l = {.f = f, .level = level, .axes = plane_axes(f), .slice = f->layer};
	double direction[3] = {(double)f->at[0], (double)f->at[1], (double)f->at[2]}, st[2];

	if (is_cube(f)) {
		l.face = meet_face(direction, st);
		l.slice = f->layer * 6;
	}
	for (unsigned a = 0; a < l.axes; a++) {
		float at = is_cube(f) ? (float)st[a] : f->at[a];
		double x =
			in_texels(at, extent(in, a), is_cube(f) || t->is_normalized, mode_of(f, a));

		l.place[a] = place_of(x, is_filtered);
	}
	return l;
}

/* Is that corner of the filter outside of the face in both directions, where three faces meet? */
static bool is_cube_corner(const struct level_fetch *l, unsigned corner)
{
	int64_t size = l->f->texture->levels[l->level].width;

	for (unsigned a = 0; a < 2; a++) {
		int64_t texel = l->place[a].texel + (corner >> a & 1);

		if (texel >= 0 && texel < size)
			return 0;
	}
	return is_between_faces(l);
}

/* The texel at a corner of the filter; `corner` has a bit for each axis. */
static bool read_corner(const struct level_fetch *l, unsigned corner, struct exec_texel *out)
{
	const struct exec_texture *t = l->f->texture;
	const struct exec_texture_level *in = &t->levels[l->level];
	int64_t texel[3] = {0, 0, 0}, slice;
	unsigned face = l->face;
	uint32_t at[3];

	for (unsigned a = 0; a < l->axes; a++)
		texel[a] = l->place[a].texel + (corner >> a & 1);
	if (is_between_faces(l))
		face = cross_edge(face, in->width, texel);
	for (unsigned a = 0; a < l->axes; a++) {
		int64_t where = inside(texel[a], extent(in, a), mode_of(l->f, a));

		if (where < 0) {
			exec_texel_border(t, out);
			return 1;
		}
		at[a] = (uint32_t)where;
	}
	if (l->axes < 2)
		at[1] = 0;
	slice = (int64_t)l->slice + face;
	if (l->axes < 3)
		at[2] = (uint32_t)inside(slice, in->depth, EXEC_ADDRESS_CLAMP);
	return exec_texel_read(l->f, l->level, at, out);
}

/* The share of each corner of the filter. */
static void weigh(const struct level_fetch *l, double weight[8])
{
	unsigned corners = 1U << l->axes;

	for (unsigned c = 0; c < corners; c++) {
		weight[c] = 1;
		for (unsigned a = 0; a < l->axes; a++) {
			unsigned steps = c >> a & 1 ? l->place[a].weight
						    : EXEC_WEIGHT_STEPS - l->place[a].weight;

			weight[c] *= (double)steps / EXEC_WEIGHT_STEPS;
		}
	}
	for (unsigned c = 0; c < corners; c++) {
		if (!is_cube_corner(l, c))
			continue;
		for (unsigned other = 0; other < corners; other++)
			weight[other] += other == c ? 0 : weight[c] / 3;
		weight[c] = 0;
	}
}

/* Adds the level's share to the four sums. */
static bool add_filtered(const struct exec_fetch *f, unsigned level, double share, double sum[4])
{
	struct level_fetch l = locate(f, level, 1);
	struct exec_texel texel;
	double weight[8];

	weigh(&l, weight);
	for (unsigned c = 0; c < 1U << l.axes; c++) {
		if (weight[c] == 0)
			continue;
		if (!read_corner(&l, c, &texel))
			return 0;
		for (unsigned k = 0; k < 4; k++)
			sum[k] += share * weight[c] * (double)texel.number[k];
	}
	return 1;
}

static bool sample_nearest(const struct exec_fetch *f, unsigned level, struct exec_texel *out)
{
	struct level_fetch l = locate(f, level, 0);

	return read_corner(&l, 0, out);
}

static bool add_level(const struct exec_fetch *f, unsigned level, double share, double sum[4])
{
	struct exec_texel texel;

	if (f->texture->is_filtered)
		return add_filtered(f, level, share, sum);
	if (!sample_nearest(f, level, &texel))
		return 0;
	for (unsigned k = 0; k < 4; k++)
		sum[k] += share * (double)texel.number[k];
	return 1;
}

/* ---- levels ---- */

/* The level that the fetch wants, among those that there are. */
static double level_of(const struct exec_fetch *f)
{
	const struct exec_texture *t = f->texture;
	double level = (double)f->level + (double)t->bias, last = t->level_count - 1;

	if (level > (double)t->most_level)
		level = (double)t->most_level;
	if (!(level > (double)t->least_level))
		level = (double)t->least_level;
	return !(level > 0) ? 0 : level > last ? last : level;
}

/* The layer, of which a fetch takes the nearest one that there is. */
static struct exec_fetch with_layer(const struct exec_fetch *f)
{
	struct exec_fetch out = *f;
	uint32_t layers = f->texture->levels[0].depth;

	if (is_cube(f))
		layers = layers < 6 ? 1 : layers / 6;
	if (out.layer >= layers)
		out.layer = layers - 1;
	return out;
}

bool exec_sample(const struct exec_fetch *given, struct exec_texel *out)
{
	const struct exec_fetch f = with_layer(given);
	const struct exec_texture *t = f.texture;
	double level = level_of(&f), sum[4] = {0};
	struct place at = place_of(level + 0.5, 1);
	unsigned first = (unsigned)at.texel, weight = at.weight;

	if (!t->is_mip_filtered || !t->is_number) {
		first = (unsigned)floor(level + 0.5);
		weight = 0;
	}
	if (!weight && (!t->is_filtered || !t->is_number))
		return sample_nearest(&f, first, out);
	if (!add_level(&f, first, 1 - (double)weight / EXEC_WEIGHT_STEPS, sum))
		return 0;
	if (weight && !add_level(&f, first + 1, (double)weight / EXEC_WEIGHT_STEPS, sum))
		return 0;
	for (unsigned k = 0; k < 4; k++)
		out->number[k] = (float)sum[k];
	return 1;
}

bool exec_sample_texel(const struct exec_fetch *given, struct exec_texel *out)
{
	const struct exec_fetch f = with_layer(given);
	unsigned axes = plane_axes(&f), level = (unsigned)floor(level_of(&f) + 0.5);
	uint32_t at[3] = {0, 0, 0};

	*out = (struct exec_texel){.word = {0}};
	for (unsigned a = 0; a < axes; a++) {
		at[a] = (uint32_t)f.texel[a];
		if (at[a] >= extent(&f.texture->levels[level], a))
			return 1;
	}
	if (axes < 3)
		at[2] = f.layer;
	return exec_texel_read(&f, level, at, out);
}

bool exec_sample_gather(const struct exec_fetch *given, unsigned component, struct exec_texel *out)
{
	/* Counter-clockwise from the lower left, as tld4 has it. */
	static const uint8_t corners[4] = {2, 3, 1, 0};
	const struct exec_fetch f = with_layer(given);
	struct level_fetch l = locate(&f, (unsigned)floor(level_of(&f) + 0.5), 1);
	struct exec_texel texel;

	for (unsigned k = 0; k < 4; k++) {
		if (!read_corner(&l, corners[k], &texel))
			return 0;
		out->word[k] = texel.word[component];
	}
	return 1;
}
