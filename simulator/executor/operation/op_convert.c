/* Handlers of conversions: cvt between integers and floating-point numbers of 16 to 64 bits; cvta.
 *
 * The usual conversions have loops of their own. All others go through one handler: lanes are read
 * as 64-bit integers or as doubles, which hold each source exactly, rounded or clamped, and written
 * in the width of the register, extended by the sign of the type.
 */
#include <math.h>

#include "simulator/executor/operation/half.h"
#include "simulator/executor/operation/narrow.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/operation/single.h"

#define ALL_DEMANDS                                                                             \
	(EXEC_DEMAND_FTZ | EXEC_DEMAND_SATURATE | EXEC_DEMAND_DIRECTED | EXEC_DEMAND_INTEGRAL | \
	 EXEC_DEMAND_RELU | EXEC_DEMAND_FINITE)

#define TO_ZERO (EXEC_DEMAND_FTZ | EXEC_DEMAND_DIRECTED | EXEC_DEMAND_INTEGRAL)

/* The source's lanes, before the conversion. */
struct staged {
	union {
		uint64_t integer[EXEC_LANES]; /* extended by its sign, if it has one */
		double number[EXEC_LANES];
	};
};

static bool is_float(unsigned type)
{
	return type == SC_TYPE_F32 || type == SC_TYPE_F64 || exec_format_of(type);
}

static bool is_signed(unsigned type)
{
	return sc_type_kind(type) == SC_KIND_SIGNED;
}

static uint64_t extend(uint64_t value, unsigned type)
{
	unsigned unused = 64 - sc_type_bits(type);

	value <<= unused;
	return is_signed(type) ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

static void read_numbers(struct staged *s, const void *from, unsigned type, bool is_flushed)
{
	const float *single = from;
	const double *wide = from;
	const uint16_t *narrow = from;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (type == SC_TYPE_F64)
			s->number[i] = wide[i];
		else if (exec_format_of(type))
			s->number[i] = exec_widened(narrow[i], exec_format_of(type));
		else
			s->number[i] = (double)(is_flushed ? exec_canonical(exec_flush(single[i]))
							   : single[i]);
}

static void read_integers(struct staged *s, const void *from, unsigned width, unsigned type)
{
	const uint16_t *from2 = from;
	const uint32_t *from4 = from;
	const uint64_t *from8 = from;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		s->integer[i] = extend(width == 2   ? from2[i]
				       : width == 4 ? from4[i]
						    : from8[i],
				       type);
}

/* To the nearest value of the type, if it is out of its range. */
static uint64_t clamp(uint64_t value, unsigned from, unsigned to)
{
	unsigned bits = sc_type_bits(to);
	uint64_t most = UINT64_MAX >> (64 - bits + is_signed(to));
	int64_t least = is_signed(to) ? -(int64_t)(most)-1 : 0;

	if (is_signed(from) && (int64_t)value < 0)
		return (int64_t)value < least ? (uint64_t)least : value;
	return value > most ? most : value;
}

static double integral(double a, unsigned round)
{
	switch ((enum exec_round)round) {
	case EXEC_ROUND_ZERO: return trunc(a);
	case EXEC_ROUND_DOWN: return floor(a);
	case EXEC_ROUND_UP: return ceil(a);
	case EXEC_ROUND_NONE:
	case EXEC_ROUND_NEAREST:
	case EXEC_ROUND_AWAY: break;
	}
	return rint(a);
}

/* What a device gives for what is no number. */
static uint64_t of_no_number(unsigned from, unsigned to)
{
	if (from != SC_TYPE_F64 && sc_type_bits(to) < 64)
		return 0;
	return UINT64_C(1) << (sc_type_bits(to) - 1);
}

static uint64_t integer_of(double a, const struct exec_instruction *in)
{
	unsigned bits = sc_type_bits(in->type) - is_signed(in->type);
	double limit = ldexp(1, (int)bits);

	if (a != a)
		return of_no_number(in->type2, in->type);
	a = integral(a, in->round);
	if (a >= limit)
		return UINT64_MAX >> (64 - bits);
	if (!is_signed(in->type))
		return a <= 0 ? 0 : (uint64_t)a;
	return a < -limit ? -(UINT64_C(1) << bits) : (uint64_t)(int64_t)a;
}

static void write_integers(struct exec_warp *w, const struct exec_instruction *in,
			   const uint64_t *value)
{
	uint64_t out8[EXEC_LANES];
	uint32_t out4[EXEC_LANES], mask = exec_mask(w, in);
	uint16_t out2[EXEC_LANES];
	void *to = exec_lanes(w, in->slot[0]);

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		out8[i] = extend(value[i], in->type);
		out4[i] = (uint32_t)out8[i];
		out2[i] = (uint16_t)out8[i];
	}
	exec_keep(to,
		  in->width[0] == 8   ? (void *)out8
		  : in->width[0] == 4 ? (void *)out4
				      : out2,
		  in->width[0], mask);
}

static void to_integers(struct exec_warp *w, const struct exec_instruction *in, struct staged *s)
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (is_float(in->type2))
			s->integer[i] = integer_of(s->number[i], in);
		else if (in->demands & EXEC_DEMAND_SATURATE)
			s->integer[i] = clamp(s->integer[i], in->type2, in->type);
	write_integers(w, in, s->integer);
}

static __attribute__((noinline)) void to_singles(const struct exec_instruction *in,
						 const struct staged *s, float *out)
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (is_float(in->type2))
			out[i] = (float)s->number[i];
		else if (is_signed(in->type2))
			out[i] = (float)(int64_t)s->integer[i];
		else
			out[i] = (float)s->integer[i];
}

static __attribute__((noinline)) void to_doubles(const struct exec_instruction *in,
						 const struct staged *s, double *out)
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (is_float(in->type2))
			out[i] = s->number[i];
		else if (is_signed(in->type2))
			out[i] = (double)(int64_t)s->integer[i];
		else
			out[i] = (double)s->integer[i];
}

static void to_numbers(struct exec_warp *w, const struct exec_instruction *in, struct staged *s)
{
	float single[EXEC_LANES];
	double wide[EXEC_LANES];
	bool is_double = in->type == SC_TYPE_F64;

	if (in->demands & EXEC_DEMAND_INTEGRAL)
		for (unsigned i = 0; i < EXEC_LANES; i++)
			s->number[i] = integral(s->number[i], in->round);
	else
		exec_set_rounding(in->round);
	if (is_double)
		to_doubles(in, s, wide);
	else
		to_singles(in, s, single);
	exec_set_rounding(EXEC_ROUND_NEAREST);
	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (!is_double && (in->type2 != SC_TYPE_F64 || single[i] == single[i] ||
				   in->demands & EXEC_DEMAND_SATURATE))
			single[i] = exec_finish(single[i], in->demands);
		else if (is_double && in->demands & EXEC_DEMAND_SATURATE)
			wide[i] = wide[i] > 0 ? wide[i] < 1 ? wide[i] : 1 : 0;
	exec_keep(exec_lanes(w, in->slot[0]), is_double ? (void *)wide : single, is_double ? 8 : 4,
		  exec_mask(w, in));
}

/* An integer as a double that rounds to fewer bits as the integer does. */
static double sticky(uint64_t value)
{
	if (value >> 53)
		value = (value & ~UINT64_C(0x7FF)) | (value & 0x7FF ? 0x800 : 0);
	return (double)value;
}

static double number_of(const struct exec_instruction *in, const struct staged *s, unsigned i)
{
	if (is_float(in->type2))
		return s->number[i];
	if (is_signed(in->type2) && s->integer[i] >> 63)
		return -sticky(0 - s->integer[i]);
	return sticky(s->integer[i]);
}

/* Numbers of 16 bits, which the host's modes of rounding know nothing of. */
static void to_narrow(struct exec_warp *w, const struct exec_instruction *in, struct staged *s)
{
	const struct exec_format *f = exec_format_of(in->type);
	uint16_t out[EXEC_LANES];

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		double a = number_of(in, s, i);

		if (in->demands & EXEC_DEMAND_INTEGRAL)
			a = integral(a, in->round);
		out[i] = (uint16_t)(a != a && in->type2 == SC_TYPE_F64
					    ? exec_narrow_nan(a, f)
					    : exec_narrow(a, f, in->round, in->demands));
	}
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), exec_mask(w, in));
}

static void convert(struct exec_warp *w, const struct exec_instruction *in)
{
	const void *from = exec_lanes(w, in->slot[1]);
	struct staged s;

	if (is_float(in->type2))
		read_numbers(&s, from, in->type2, in->demands & EXEC_DEMAND_FTZ);
	else
		read_integers(&s, from, in->width[1], in->type2);
	if (exec_format_of(in->type))
		to_narrow(w, in, &s);
	else if (is_float(in->type))
		to_numbers(w, in, &s);
	else
		to_integers(w, in, &s);
}

/* Integers of 8 and 16 bits stand in registers of 16 or 32. */
#define FROM_NARROW(id, D, S)                                                  \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		const uint16_t *a2 = exec_lanes(w, in->slot[1]);               \
		const uint32_t *a4 = exec_lanes(w, in->slot[1]);               \
		uint32_t mask = exec_mask(w, in);                              \
		if (in->width[1] == 2)                                         \
			EXEC_WRITE(D, mask, (S)a2[i]);                         \
		else                                                           \
			EXEC_WRITE(D, mask, (S)a4[i]);                         \
	}
FROM_NARROW(u32_u8, uint32_t, uint8_t)
FROM_NARROW(u32_s8, int32_t, int8_t)
FROM_NARROW(u32_u16, uint32_t, uint16_t)
FROM_NARROW(u32_s16, int32_t, int16_t)
FROM_NARROW(f32_u8, float, uint8_t)
FROM_NARROW(f32_s8, float, int8_t)
FROM_NARROW(f32_u16, float, uint16_t)
FROM_NARROW(f32_s16, float, int16_t)

static inline int32_t signed_of(float a)
{
	bool is_there = a >= -2147483648.0F && a < 2147483648.0F;
	int32_t value = (int32_t)(is_there ? a : 0);

	value = a >= 2147483648.0F ? INT32_MAX : value;
	return a < -2147483648.0F ? INT32_MIN : value;
}

static inline uint32_t unsigned_of(float a)
{
	bool is_there = a >= 0 && a < 4294967296.0F;
	uint32_t value = (uint32_t)(is_there ? a : 0);

	return a >= 4294967296.0F ? UINT32_MAX : value;
}

/* To zero, as casts of C are; subnormal numbers are zero, too. */
#define FROM_SINGLE(id, D, value)                                              \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		const float *a = exec_lanes(w, in->slot[1]);                   \
		uint32_t mask = exec_mask(w, in);                              \
		if (in->round == EXEC_ROUND_ZERO)                              \
			EXEC_WRITE(D, mask, value(a[i]));                      \
		else                                                           \
			convert(w, in);                                        \
	}
FROM_SINGLE(s32_f32, int32_t, signed_of)
FROM_SINGLE(u32_f32, uint32_t, unsigned_of)

OPERATION1(s64_s32, int64_t, int32_t, a)
OPERATION1(u64_u32, uint64_t, uint32_t, a)
OPERATION1(s64_low_s32, int64_t, uint64_t, (int32_t)a)
OPERATION1(u64_low_u32, uint64_t, uint64_t, (uint32_t)a)
OPERATION1(low_32, uint32_t, uint64_t, a)
OPERATION1(f32_s32, float, int32_t, a)
OPERATION1(f32_u32, float, uint32_t, a)
OPERATION1(f64_s32, double, int32_t, a)
OPERATION1(f64_u32, double, uint32_t, a)
OPERATION1(f64_f32, double, float, a)
OPERATION1(f32_f16, float, uint16_t, exec_canonical(exec_single_of_half(a)))
OPERATION1(f32_bf16, float, uint16_t, exec_single_of_brain(a))
OPERATION1(same_32, uint32_t, uint32_t, a)
OPERATION1(f16_f32, uint16_t, float, exec_half_of_single(a))
OPERATION1(bf16_f32, uint16_t, float, exec_brain_of_single(a))
OPERATION1(same_64, uint64_t, uint64_t, a)

static uint64_t window(unsigned space)
{
	switch ((enum sc_space)space) {
	case SC_SPACE_SHARED: return EXEC_WINDOW_SHARED;
	case SC_SPACE_LOCAL: return EXEC_WINDOW_LOCAL;
	case SC_SPACE_PARAM: return EXEC_WINDOW_PARAM;
	case SC_SPACE_GENERIC:
	case SC_SPACE_GLOBAL:
	case SC_SPACE_CONST: break;
	}
	return 0;
}

/* Addresses of the windows have their high half to themselves. */
static void to_generic(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint64_t *a = exec_lanes(w, in->slot[1]);
	uint64_t high = window(in->space);
	uint32_t mask = exec_mask(w, in);

	EXEC_WRITE(uint64_t, mask, a[i] + high);
}

static void from_generic(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint64_t *a = exec_lanes(w, in->slot[1]);
	uint64_t high = window(in->space);
	uint32_t mask = exec_mask(w, in);

	EXEC_WRITE(uint64_t, mask, a[i] - high);
}

static void is_in_space(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint64_t *a = exec_lanes(w, in->slot[1]);
	uint64_t high = window(in->first_space) >> EXEC_WINDOW_BITS;
	uint64_t first = EXEC_WINDOW_SHARED >> EXEC_WINDOW_BITS;
	uint64_t last = EXEC_WINDOW_PARAM >> EXEC_WINDOW_BITS;
	uint32_t bits = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint64_t part = a[i] >> EXEC_WINDOW_BITS;
		bool is_there = high ? part == high : part < first || part > last;

		/* Of shared memory only .shared::cluster means that of the other blocks, too. */
		if (in->first_space == SC_SPACE_SHARED && in->count != EXEC_OF_CLUSTER)
			is_there &= exec_rank_of(w->block, (uint32_t)a[i]) == w->block->rank;

		bits |= is_there ? UINT32_C(1) << i : 0;
	}
	exec_set_predicate(w, in->slot[0], exec_mask(w, in), bits);
}

static const struct exec_row rows[] = {
	{"cvt.s64.s32", "=8 4", 0, s64_s32},
	{"cvt.s64.s32", "=8 8", 0, s64_low_s32},
	{"cvt.[us]64.u32", "=8 4", 0, u64_u32},
	{"cvt.[us]64.u32", "=8 8", 0, u64_low_u32},
	{"cvt.[us]32.[us]64", "=4 8", 0, low_32},
	{"cvt.f32.s32", "=4 4", 0, f32_s32},
	{"cvt.f32.u32", "=4 4", 0, f32_u32},
	{"cvt.f64.s32", "=8 4", 0, f64_s32},
	{"cvt.f64.u32", "=8 4", 0, f64_u32},
	{"cvt.f64.f32", "=8 4", 0, f64_f32},
	{"cvt.f32.f32", "=4 4", 0, same_32},
	{"cvt.f32.f16", "=4 2", 0, f32_f16},
	{"cvt.f32.bf16", "=4 2", 0, f32_bf16},
	{"cvt.f16.f32", "=2 4", 0, f16_f32},
	{"cvt.bf16.f32", "=2 4", 0, bf16_f32},
	{"cvt.[us]64.[us]64", "=8 8", 0, same_64},
	{"cvt.[us]32.u8", "=4 w", 0, u32_u8},
	{"cvt.[us]32.s8", "=4 w", 0, u32_s8},
	{"cvt.[us]32.u16", "=4 w", 0, u32_u16},
	{"cvt.[us]32.s16", "=4 w", 0, u32_s16},
	{"cvt.f32.u8", "=4 w", 0, f32_u8},
	{"cvt.f32.s8", "=4 w", 0, f32_s8},
	{"cvt.f32.u16", "=4 w", 0, f32_u16},
	{"cvt.f32.s16", "=4 w", 0, f32_s16},
	{"cvt.s32.f32", "=4 4", TO_ZERO, s32_f32},
	{"cvt.u32.f32", "=4 4", TO_ZERO, u32_f32},
#define FROM(to, form, from, source) {"cvt." to "." from, form " " source, ALL_DEMANDS, convert},
#define TO(to, form)                  \
	FROM(to, form, "[us]8", "w")  \
	FROM(to, form, "[us]16", "w") \
	FROM(to, form, "[us]32", "w") \
	FROM(to, form, "[us]64", "8") \
	FROM(to, form, "f32", "4")    \
	FROM(to, form, "f64", "8")    \
	FROM(to, form, "f16", "2")    \
	FROM(to, form, "bf16", "2")
#define EACH_TO            \
	TO("[us]8", "=w")  \
	TO("[us]16", "=w") \
	TO("[us]32", "=w") \
	TO("[us]64", "=8") \
	TO("f32", "=4")    \
	TO("f64", "=8")    \
	TO("f16", "=2")    \
	TO("bf16", "=2")
	EACH_TO
#undef EACH_TO
#undef FROM
#undef TO
	{"cvta.u64", "=8 8", 0, to_generic},
	{"cvta.to.u64", "=8 8", 0, from_generic},
	{"isspacep", "=p 8", 0, is_in_space},
};

const struct exec_rows EXEC_LEVELED(exec_convert_rows) = EXEC_ROWS(rows);
