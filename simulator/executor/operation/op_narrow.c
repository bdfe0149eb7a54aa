/* Handlers of conversions that put two numbers into one register, or take them out of it, and of
 * those to tf32. */
#include "simulator/executor/operation/half.h"
#include "simulator/executor/operation/narrow.h"
#include "simulator/executor/operation/operation.h"

#define ALL_DEMANDS                                                                         \
	(EXEC_DEMAND_FTZ | EXEC_DEMAND_SATURATE | EXEC_DEMAND_DIRECTED | EXEC_DEMAND_RELU | \
	 EXEC_DEMAND_FINITE)

/* Two singles; the first one becomes the high part. */
static void pack_singles(struct exec_warp *w, const struct exec_instruction *in)
{
	const float *a = exec_lanes(w, in->slot[1]), *b = exec_lanes(w, in->slot[2]);
	const struct exec_format *f = exec_format_of(in->type);
	uint32_t mask = exec_mask(w, in), out[EXEC_LANES];

	for (unsigned i = 0; i < EXEC_LANES; i++)
		out[i] = exec_narrow((double)a[i], f, in->round, in->demands) << (f->sign + 1) |
			 exec_narrow((double)b[i], f, in->round, in->demands);
	if (in->width[0] == 2)
		EXEC_WRITE(uint16_t, mask, out[i]);
	else
		EXEC_WRITE(uint32_t, mask, out[i]);
}

/* To nearest, as most programs round. */
OPERATION2(pack_halves, uint32_t, float, float,
	   (uint32_t)exec_half_of_single(a) << 16 | exec_half_of_single(b))
OPERATION2(pack_brains, uint32_t, float, float,
	   (uint32_t)exec_brain_of_single(a) << 16 | exec_brain_of_single(b))

/* Two halves to two numbers of 8 bits. */
static void pack_bytes(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint16_t *from = exec_lanes(w, in->slot[1]);
	const struct exec_format *f = exec_format_of(in->type);
	uint32_t mask = exec_mask(w, in);
	uint16_t out[EXEC_LANES];

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t low = exec_narrow((double)exec_single_of_half(from[2 * i]), f, in->round,
					   in->demands);
		uint32_t high = exec_narrow((double)exec_single_of_half(from[2 * i + 1]), f,
					    in->round, in->demands);

		out[i] = (uint16_t)(low | high << 8);
	}
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), mask);
}

/* And back. */
static void unpack_bytes(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint16_t *from = exec_lanes(w, in->slot[1]);
	const struct exec_format *f = exec_format_of(in->type2), *half = exec_format_of(in->type);
	uint32_t mask = exec_mask(w, in), out[EXEC_LANES];

	for (unsigned i = 0; i < EXEC_LANES; i++)
		out[i] = exec_narrow(exec_widened(from[i] & 255, f), half, in->round, in->demands) |
			 exec_narrow(exec_widened(from[i] >> 8, f), half, in->round, in->demands)
				 << 16;
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), mask);
}

/* To the nearest of numbers, where nothing else is demanded; the sum carries into the exponent. */
static bool to_nearest_tf32(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask)
{
	const uint32_t *a = exec_lanes(w, in->slot[1]);
	uint32_t out[EXEC_LANES], is_nan = 0, even = in->round == EXEC_ROUND_NEAREST;

	if (in->demands & ~EXEC_DEMAND_DIRECTED || (!even && in->round != EXEC_ROUND_AWAY))
		return 0;
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		out[i] = (a[i] + 0x1000 - (even & ~(a[i] >> 13))) & ~UINT32_C(0x1FFF);
		is_nan |= (a[i] & 0x7FFFFFFF) > 0x7F800000;
	}
	if (is_nan)
		return 0;
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), mask);
	return 1;
}

static void to_tf32(struct exec_warp *w, const struct exec_instruction *in)
{
	const float *a = exec_lanes(w, in->slot[1]);
	const struct exec_format *f = exec_format_of(SC_TYPE_TF32);
	uint32_t mask = exec_mask(w, in), out[EXEC_LANES];

	if (to_nearest_tf32(w, in, mask))
		return;
	for (unsigned i = 0; i < EXEC_LANES; i++)
		out[i] = (a[i] != a[i] && in->round == EXEC_ROUND_AWAY
				  ? exec_bits_of(a[i]) >> 13
				  : exec_narrow((double)a[i], f, in->round, in->demands))
			 << 13;
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), mask);
}

static inline uint32_t clamped(int32_t a, int32_t least, int32_t most)
{
	return (uint32_t)(a < least ? least : a > most ? most : a);
}

/* cvt.pack: two integers, made as narrow as the type, above the low part of a third operand. */
OPERATION3(pack_u8, uint32_t, int32_t, int32_t, uint32_t,
	   c << 16 | clamped(a, 0, 255) << 8 | clamped(b, 0, 255))
OPERATION3(pack_s8, uint32_t, int32_t, int32_t, uint32_t,
	   c << 16 | (clamped(a, -128, 127) & 255) << 8 | (clamped(b, -128, 127) & 255))
OPERATION2(pack_u16, uint32_t, int32_t, int32_t, clamped(a, 0, 65535) << 16 | clamped(b, 0, 65535))
OPERATION2(pack_s16, uint32_t, int32_t, int32_t,
	   clamped(a, -32768, 32767) << 16 | (clamped(b, -32768, 32767) & 65535))

static const struct exec_row rows[] = {
	{"cvt.f16x2.f32", "=4 4 4", 0, pack_halves},
	{"cvt.bf16x2.f32", "=4 4 4", 0, pack_brains},
	{"cvt.f16x2.f32", "=4 4 4", ALL_DEMANDS, pack_singles},
	{"cvt.bf16x2.f32", "=4 4 4", ALL_DEMANDS, pack_singles},
	{"cvt.e4m3x2.f32", "=2 4 4", ALL_DEMANDS, pack_singles},
	{"cvt.e5m2x2.f32", "=2 4 4", ALL_DEMANDS, pack_singles},
	{"cvt.e4m3x2.f16x2", "=2 4", ALL_DEMANDS, pack_bytes},
	{"cvt.e5m2x2.f16x2", "=2 4", ALL_DEMANDS, pack_bytes},
	{"cvt.f16x2.e4m3x2", "=4 2", ALL_DEMANDS, unpack_bytes},
	{"cvt.f16x2.e5m2x2", "=4 2", ALL_DEMANDS, unpack_bytes},
	{"cvt.tf32.f32", "=4 4", ALL_DEMANDS, to_tf32},
	{"cvt.pack.u8.s32.b32", "=4 4 4 4", EXEC_DEMAND_SATURATE, pack_u8},
	{"cvt.pack.s8.s32.b32", "=4 4 4 4", EXEC_DEMAND_SATURATE, pack_s8},
	{"cvt.pack.u16.s32", "=4 4 4", EXEC_DEMAND_SATURATE, pack_u16},
	{"cvt.pack.s16.s32", "=4 4 4", EXEC_DEMAND_SATURATE, pack_s16},
};

const struct exec_rows EXEC_LEVELED(exec_narrow_rows) = EXEC_ROWS(rows);
