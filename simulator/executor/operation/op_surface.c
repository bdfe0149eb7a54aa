/* Handlers of accesses to surfaces: suld, sust, sured, suq.
 *
 * Unformatted accesses (.b) count the first coordinate in bytes, formatted ones (.p) in elements.
 */
#include "simulator/executor/operation/half.h"
#include "simulator/executor/texture/object.h"
#include "simulator/executor/operation/operation.h"

struct surface_access {
	struct exec_warp *w;
	const struct exec_instruction *in;
	const struct exec_texture *surface;
	unsigned lane;
	unsigned bytes;
	bool is_formatted;
	enum exec_use use;
};

static int64_t listed(const struct surface_access *a, unsigned k)
{
	const struct exec_instruction *in = a->in;

	return ((const int32_t *)exec_lanes(a->w, in->list[in->value + k]))[a->lane];
}

/* The coordinates as bytes of a row, row, slice. */
static void coordinates(const struct surface_access *a, int64_t at[3])
{
	enum exec_geometry g = (enum exec_geometry)a->in->geometry;
	unsigned first = g == EXEC_A1D || g == EXEC_A2D;

	at[0] = listed(a, first);
	at[1] = g == EXEC_1D || g == EXEC_A1D ? 0 : listed(a, first + 1);
	at[2] = g == EXEC_3D ? listed(a, 2) : first ? (int64_t)(uint32_t)listed(a, 0) : 0;
	if (a->is_formatted)
		at[0] *= exec_texel_bytes(a->surface);
}

static int64_t clamped(int64_t at, int64_t last)
{
	return at < 0 ? 0 : at > last ? last : at;
}

/* Of an element only the channels that have registers are stored. */
static unsigned touched_bytes(const struct surface_access *a)
{
	unsigned channels =
		a->in->count < a->surface->channel_count ? a->in->count : a->surface->channel_count;

	return a->is_formatted ? channels * (a->surface->channel_bits / 8U) : a->bytes;
}

static char *bytes_at(const struct surface_access *a, const int64_t at[3])
{
	const struct exec_texture_level *l = &a->surface->levels[0];
	uint64_t offset =
		(uint64_t)at[2] * l->slice_bytes + (uint64_t)at[1] * l->row_bytes + (uint64_t)at[0];

	exec_object_note(a->w, l, offset, touched_bytes(a), a->use);
	return l->bytes + offset;
}

/* The place of the lane's bytes. NULL: there is none; the launch has failed, unless the access
 * takes zero for what is outside. */
static char *place(const struct surface_access *a)
{
	const struct exec_texture_level *l = &a->surface->levels[0];
	int64_t at[3], row = (int64_t)l->width * exec_texel_bytes(a->surface);
	const int64_t last[3] = {row - a->bytes, (int64_t)l->height - 1, (int64_t)l->depth - 1};
	bool is_outside = last[0] < 0;

	coordinates(a, at);
	for (unsigned k = 0; k < 3; k++) {
		if (a->in->outside == EXEC_OUTSIDE_CLAMP && last[0] >= 0)
			at[k] = clamped(at[k], last[k]);
		is_outside |= at[k] < 0 || at[k] > last[k];
	}
	if (is_outside && a->in->outside != EXEC_OUTSIDE_ZERO)
		exec_fail(a->w, a->in, EXEC_OUTSIDE_SURFACE, a->lane, (uint64_t)at[0]);
	else if (!is_outside && at[0] & (a->bytes - 1))
		exec_fail(a->w, a->in, EXEC_MISALIGNED_ADDRESS, a->lane, (uint64_t)at[0]);
	else if (!is_outside)
		return bytes_at(a, at);
	return NULL;
}

/* False: the launch has failed. */
static bool find_place(struct surface_access *a, unsigned lane, char **at)
{
	*at = NULL;
	a->lane = lane;
	a->surface = exec_object_find(a->w, a->in, lane, 1);
	if (!a->surface)
		return 0;
	if (a->is_formatted)
		a->bytes = exec_texel_bytes(a->surface);
	*at = place(a);
	return a->w->state != EXEC_WARP_ENDED;
}

/* ---- whole bytes ---- */

static void load_lane(const struct surface_access *a, const char *from)
{
	const struct exec_instruction *in = a->in;
	unsigned bytes = a->bytes / in->count;

	for (unsigned k = 0; k < in->count; k++) {
		uint64_t value = 0;

		if (from)
			memcpy(&value, from + (size_t)k * bytes, bytes);
		memcpy((char *)exec_lanes(a->w, in->slot[2 + k]) +
			       (size_t)a->lane * in->width[2 + k],
		       &value, in->width[2 + k]);
	}
}

static void suld(struct exec_warp *w, const struct exec_instruction *in)
{
	struct surface_access a = {.w = w,
				   .in = in,
				   .bytes = sc_type_bits(in->type) / 8 * in->count,
				   .use = EXEC_READ};
	uint32_t mask = exec_mask(w, in);
	char *from;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		if (!find_place(&a, i, &from))
			return;
		load_lane(&a, from);
	}
}

static uint64_t lane_value(const struct surface_access *a, unsigned k)
{
	const struct exec_instruction *in = a->in;
	uint64_t value = 0;

	memcpy(&value,
	       (const char *)exec_lanes(a->w, in->slot[2 + k]) + (size_t)a->lane * in->width[2 + k],
	       in->width[2 + k]);
	return value;
}

static void sust(struct exec_warp *w, const struct exec_instruction *in)
{
	struct surface_access a = {.w = w,
				   .in = in,
				   .bytes = sc_type_bits(in->type) / 8 * in->count,
				   .use = EXEC_WRITE};
	uint32_t mask = exec_mask(w, in);
	char *to;

	w->wrote |= mask != 0;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		if (!find_place(&a, i, &to))
			return;
		for (unsigned k = 0; to && k < in->count; k++) {
			uint64_t value = lane_value(&a, k);

			memcpy(to + (size_t)k * (a.bytes / in->count), &value, a.bytes / in->count);
		}
	}
}

/* ---- elements ---- */

/* A register's value in the format of a channel: integers outside of its range are its ends. */
static uint32_t encoded(const struct exec_texture *t, uint32_t bits)
{
	uint32_t largest = t->channel_bits == 32 ? UINT32_MAX : (1U << t->channel_bits) - 1;
	int32_t most = (int32_t)(largest >> 1), value;

	switch ((enum exec_channel)t->channel) {
	case EXEC_CHANNEL_UNSIGNED: return bits > largest ? largest : bits;
	case EXEC_CHANNEL_SIGNED:
		value = (int32_t)bits;
		return (uint32_t)(value > most ? most : value < -most - 1 ? -most - 1 : value);
	case EXEC_CHANNEL_FLOAT: break;
	}
	return t->channel_bits == 16 ? exec_half_of_single(exec_float_of(bits)) : bits;
}

static void sust_formatted(struct exec_warp *w, const struct exec_instruction *in)
{
	struct surface_access a = {.w = w, .in = in, .is_formatted = 1, .use = EXEC_WRITE};
	uint32_t mask = exec_mask(w, in);
	char *to;

	w->wrote |= mask != 0;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		if (!find_place(&a, i, &to))
			return;
		for (unsigned k = 0; to && k < in->count && k < a.surface->channel_count; k++) {
			uint32_t value = encoded(a.surface, (uint32_t)lane_value(&a, k));
			unsigned bytes = a.surface->channel_bits / 8U;

			memcpy(to + (size_t)k * bytes, &value, bytes);
		}
	}
}

/* ---- reductions ---- */

#define REDUCTION(id, T, value)                                                                  \
	static void id(struct exec_warp *w, const struct exec_instruction *in)                   \
	{                                                                                        \
		struct surface_access access = {                                                 \
			.w = w, .in = in, .bytes = sizeof(T), .use = EXEC_ATOMIC};               \
		const T *operands = exec_lanes(w, in->slot[2]);                                  \
		uint32_t mask = exec_mask(w, in);                                                \
		char *at;                                                                        \
		w->wrote |= mask != 0;                                                           \
		for (unsigned i = 0; i < EXEC_LANES; i++) {                                      \
			T a, b = operands[i];                                                    \
			if (!(mask >> i & 1))                                                    \
				continue;                                                        \
			if (!find_place(&access, i, &at))                                        \
				return;                                                          \
			if (!at)                                                                 \
				continue;                                                        \
			a = __atomic_load_n((T *)at, __ATOMIC_RELAXED);                          \
			while (!__atomic_compare_exchange_n((T *)at, &a, (T)(value), 0,          \
							    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) \
				;                                                                \
		}                                                                                \
	}
REDUCTION(add_4, uint32_t, a + b)
REDUCTION(add_8, uint64_t, a + b)
REDUCTION(min_u32, uint32_t, a < b ? a : b)
REDUCTION(max_u32, uint32_t, a > b ? a : b)
REDUCTION(min_s32, int32_t, a < b ? a : b)
REDUCTION(max_s32, int32_t, a > b ? a : b)
REDUCTION(min_u64, uint64_t, a < b ? a : b)
REDUCTION(max_u64, uint64_t, a > b ? a : b)
REDUCTION(min_s64, int64_t, a < b ? a : b)
REDUCTION(max_s64, int64_t, a > b ? a : b)
REDUCTION(and_b32, uint32_t, a &b)
REDUCTION(or_b32, uint32_t, a | b)

#define QUERY(id, query)                                                       \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		exec_object_query(w, in, 1, query);                            \
	}
QUERY(query_width, EXEC_QUERY_WIDTH)
QUERY(query_height, EXEC_QUERY_HEIGHT)
QUERY(query_depth, EXEC_QUERY_DEPTH)
QUERY(query_layers, EXEC_QUERY_LAYERS)
QUERY(query_type, EXEC_QUERY_TYPE)
QUERY(query_order, EXEC_QUERY_ORDER)

static const struct exec_row rows[] = {
	{"suld.b.b8", "=v t", 0, suld},
	{"suld.b.b16", "=v t", 0, suld},
	{"suld.b.b32", "=v t", 0, suld},
	{"suld.b.b64", "=v t", 0, suld},
	{"sust.b.b8", "_ t v", 0, sust},
	{"sust.b.b16", "_ t v", 0, sust},
	{"sust.b.b32", "_ t v", 0, sust},
	{"sust.b.b64", "_ t v", 0, sust},
	{"sust.p.b32", "_ t v", 0, sust_formatted},
	{"sured.b.add.[us]32", "_ t 4", 0, add_4},
	{"sured.b.add.[us]64", "_ t 8", 0, add_8},
	{"sured.b.min.u32", "_ t 4", 0, min_u32},
	{"sured.b.max.u32", "_ t 4", 0, max_u32},
	{"sured.b.min.s32", "_ t 4", 0, min_s32},
	{"sured.b.max.s32", "_ t 4", 0, max_s32},
	{"sured.b.min.u64", "_ t 8", 0, min_u64},
	{"sured.b.max.u64", "_ t 8", 0, max_u64},
	{"sured.b.min.s64", "_ t 8", 0, min_s64},
	{"sured.b.max.s64", "_ t 8", 0, max_s64},
	{"sured.b.and.b32", "_ t 4", 0, and_b32},
	{"sured.b.or.b32", "_ t 4", 0, or_b32},
	{"suq.width.b32", "=4 a", 0, query_width},
	{"suq.height.b32", "=4 a", 0, query_height},
	{"suq.depth.b32", "=4 a", 0, query_depth},
	{"suq.array_size.b32", "=4 a", 0, query_layers},
	{"suq.channel_data_type.b32", "=4 a", 0, query_type},
	{"suq.channel_order.b32", "=4 a", 0, query_order},
};

const struct exec_rows exec_surface_rows = EXEC_ROWS(rows);
