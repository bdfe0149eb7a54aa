/* Handlers of integer and bit instructions; integer.def has those that one expression describes. */
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/operation/single.h"

typedef uint16_t EXEC_u16;
typedef uint32_t EXEC_u32;
typedef uint64_t EXEC_u64;
typedef int16_t EXEC_s16;
typedef int32_t EXEC_s32;
typedef int64_t EXEC_s64;

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 wide_signed;

static inline uint64_t multiply_high(uint64_t a, uint64_t b)
{
	return (uint64_t)((wide)a * b >> 64);
}

static inline int64_t multiply_high_signed(int64_t a, int64_t b)
{
	return (int64_t)((wide_signed)a * b >> 64);
}

static inline int64_t divide(int64_t a, int64_t b)
{
	if (b == 0)
		return -1;
	return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static inline int64_t remainder_of(int64_t a, int64_t b)
{
	if (b == 0)
		return -1;
	return b == -1 ? 0 : a % b;
}

static inline uint32_t reverse(uint32_t a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0F0F0F0F) | (a & 0x0F0F0F0F) << 4;
	return __builtin_bswap32(a);
}

/* bfe: `length` bits from `start` on; the sign is that of the field, or of all bits if it ends past
 * them. Of 32 bits, only 8 bits of both numbers count; of 64 all do. */
static inline uint64_t extract(uint64_t a, uint64_t start, uint64_t length, unsigned bits,
			       bool is_signed)
{
	uint64_t have, value, top, ones;

	if (bits == 32) {
		start &= 255;
		length &= 255;
	}
	if (!length)
		return 0;
	top = start + length - 1;
	have = start >= bits ? 0 : length < bits - start ? length : bits - start;
	ones = have < 64 ? (UINT64_C(1) << have) - 1 : UINT64_MAX;
	value = have ? a >> start & ones : 0;
	return is_signed && a >> (top < bits ? top : bits - 1) & 1 ? value | ~ones : value;
}

/* prmt: four selectors of 4 bits choose bytes of b:a; the highest bit repeats the byte's sign. */
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors)
{
	uint64_t from = (uint64_t)b << 32 | a;
	uint32_t out = 0;

	for (unsigned i = 0; i < 4; i++) {
		uint32_t s = selectors >> 4 * i & 15, byte = (uint32_t)(from >> 8 * (s & 7)) & 255;

		if (s & 8)
			byte = byte & 128 ? 255 : 0;
		out |= byte << 8 * i;
	}
	return out;
}

/* The product of the low 24 bits; of a signed one 48 bits are kept. */
static inline uint64_t multiply_24(uint32_t a, uint32_t b)
{
	return (uint64_t)(a & 0xFFFFFF) * (b & 0xFFFFFF);
}

static inline int64_t multiply_24_signed(int32_t a, int32_t b)
{
	return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) *
	       (int64_t)((int32_t)((uint32_t)b << 8) >> 8);
}

static inline int32_t saturated(int64_t a)
{
	return a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : (int32_t)a;
}

static inline int32_t positive(int32_t a)
{
	return a < 0 ? 0 : a;
}

static inline uint32_t positive_16x2(uint32_t a)
{
	return (a & 0x8000 ? 0 : a & 0xFFFF) | (a >> 31 ? 0 : a & 0xFFFF0000);
}

/* fns: the position of the set bit that `offset` counts from `base` on, upwards or downwards. */
static inline uint32_t nth_set(uint32_t bits, uint32_t base, int32_t offset)
{
	uint32_t at = base, left = offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset;
	uint32_t step = offset < 0 ? UINT32_MAX : 1;

	if (offset == INT32_MIN)
		return 0;
	if (!offset)
		return base < 32 && bits >> base & 1 ? base : UINT32_MAX;
	for (; at < 32; at += step)
		if (bits >> at & 1 && !--left)
			return at;
	return UINT32_MAX;
}

#define INTEGER1(id, pattern, form, D, A, value)		 OPERATION1(id, D, A, value)
#define INTEGER2(id, pattern, form, D, A, B, value)		 OPERATION2(id, D, A, B, value)
#define INTEGER3(id, pattern, form, D, A, B, C, value)		 OPERATION3(id, D, A, B, C, value)
#define DEMANDED2(id, pattern, form, demands, D, A, B, value)	 OPERATION2(id, D, A, B, value)
#define DEMANDED3(id, pattern, form, demands, D, A, B, C, value) OPERATION3(id, D, A, B, C, value)
#include "simulator/executor/operation/integer.def"
#undef INTEGER1
#undef INTEGER2
#undef INTEGER3
#undef DEMANDED2
#undef DEMANDED3

/* lop3: the table of a function of three bits, as an immediate. */
static void lop3(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint32_t *a = exec_lanes(w, in->slot[1]), *b = exec_lanes(w, in->slot[2]);
	const uint32_t *c = exec_lanes(w, in->slot[3]);
	uint32_t mask = exec_mask(w, in), out[EXEC_LANES] = {0};

	for (unsigned k = 0; k < 8; k++)
		if (in->value >> k & 1)
			for (unsigned i = 0; i < EXEC_LANES; i++)
				out[i] |= (k & 4 ? a[i] : ~a[i]) & (k & 2 ? b[i] : ~b[i]) &
					  (k & 1 ? c[i] : ~c[i]);
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), mask);
}

/* The same, and a predicate: whether the result is not zero, combined with another predicate. */
static void lop3_test(struct exec_warp *w, const struct exec_instruction *in, uint32_t bits)
{
	if (in->slot[EXEC_SLOTS - 1] != EXEC_SLOT_SINK)
		exec_set_predicate(w, in->slot[EXEC_SLOTS - 1], exec_mask(w, in), bits);
}

static uint32_t not_zero(const struct exec_warp *w, const struct exec_instruction *in)
{
	const uint32_t *a = exec_lanes(w, in->slot[0]);
	uint32_t bits = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		bits |= a[i] ? UINT32_C(1) << i : 0;
	return bits;
}

static void lop3_or(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t p = exec_predicate(w, in, 5);

	lop3(w, in);
	lop3_test(w, in, not_zero(w, in) | p);
}

static void lop3_and(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t p = exec_predicate(w, in, 5);

	lop3(w, in);
	lop3_test(w, in, not_zero(w, in) & p);
}

/* Of 32 bits, only 8 bits of both numbers count; of 64 all do. */
static inline uint32_t field_number(uint32_t a, unsigned bits)
{
	return bits == 32 ? a & 255 : a;
}

static inline uint64_t field_mask(uint32_t start, uint32_t length, unsigned bits)
{
	uint64_t ones = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;

	return start >= bits ? 0 : ones << start;
}

/* bfi: `length` bits of a into b, at `start`. */
#define INSERT(id, T, bits)                                                                 \
	static void id(struct exec_warp *w, const struct exec_instruction *in)              \
	{                                                                                   \
		const T *a = exec_lanes(w, in->slot[1]), *b = exec_lanes(w, in->slot[2]);   \
		const uint32_t *start = exec_lanes(w, in->slot[3]);                         \
		const uint32_t *length = exec_lanes(w, in->slot[4]);                        \
		T out[EXEC_LANES];                                                          \
		for (unsigned i = 0; i < EXEC_LANES; i++) {                                 \
			uint32_t at = field_number(start[i], bits);                         \
			T m = (T)field_mask(at, field_number(length[i], bits), bits);       \
			out[i] = (b[i] & ~m) | ((at < (bits) ? a[i] << at : 0) & m);        \
		}                                                                           \
		exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), exec_mask(w, in)); \
	}
INSERT(bfi_b32, uint32_t, 32)
INSERT(bfi_b64, uint64_t, 64)

#define SELECT(id, T)                                                                     \
	static void id(struct exec_warp *w, const struct exec_instruction *in)            \
	{                                                                                 \
		const T *a = exec_lanes(w, in->slot[1]), *b = exec_lanes(w, in->slot[2]); \
		uint32_t p = exec_predicate(w, in, 3), mask = exec_mask(w, in);           \
		EXEC_WRITE(T, mask, p >> i & 1 ? a[i] : b[i]);                            \
	}
SELECT(selp_16, uint16_t)
SELECT(selp_32, uint32_t)
SELECT(selp_64, uint64_t)

/* {a, b} = c; bytes have registers of 16 bits. */
#define UNPACK(id, PART, T, bits)                                                 \
	static void id(struct exec_warp *w, const struct exec_instruction *in)    \
	{                                                                         \
		const T *from = exec_lanes(w, in->slot[2]);                       \
		uint32_t mask = exec_mask(w, in);                                 \
		PART low[EXEC_LANES], high[EXEC_LANES];                           \
		for (unsigned i = 0; i < EXEC_LANES; i++) {                       \
			low[i] = (PART)(from[i] & ((UINT64_C(1) << (bits)) - 1)); \
			high[i] = (PART)(from[i] >> (bits));                      \
		}                                                                 \
		exec_keep(exec_lanes(w, in->slot[0]), low, sizeof(PART), mask);   \
		exec_keep(exec_lanes(w, in->slot[1]), high, sizeof(PART), mask);  \
	}
UNPACK(unpack2_16, uint16_t, uint16_t, 8)
UNPACK(unpack2_32, uint16_t, uint32_t, 16)
UNPACK(unpack2_64, uint32_t, uint64_t, 32)

/* {a, b, c, d} = e, and back. */
#define PARTS4(name, T, bits)                                                                    \
	static void un##name(struct exec_warp *w, const struct exec_instruction *in)             \
	{                                                                                        \
		const T *from = exec_lanes(w, in->slot[4]);                                      \
		uint16_t parts[4][EXEC_LANES];                                                   \
		uint32_t mask = exec_mask(w, in);                                                \
		for (unsigned i = 0; i < EXEC_LANES; i++)                                        \
			for (unsigned k = 0; k < 4; k++)                                         \
				parts[k][i] =                                                    \
					(uint16_t)(from[i] >> (bits)*k & ((1U << (bits)) - 1));  \
		for (unsigned k = 0; k < 4; k++)                                                 \
			exec_keep(exec_lanes(w, in->slot[k]), parts[k], sizeof(uint16_t), mask); \
	}                                                                                        \
	static void name(struct exec_warp *w, const struct exec_instruction *in)                 \
	{                                                                                        \
		const uint16_t *from[4];                                                         \
		T whole[EXEC_LANES] = {0};                                                       \
		for (unsigned k = 0; k < 4; k++)                                                 \
			from[k] = exec_lanes(w, in->slot[1 + k]);                                \
		for (unsigned i = 0; i < EXEC_LANES; i++)                                        \
			for (unsigned k = 0; k < 4; k++)                                         \
				whole[i] |= (T)(from[k][i] & ((1U << (bits)) - 1)) << (bits)*k;  \
		exec_keep(exec_lanes(w, in->slot[0]), whole, sizeof(T), exec_mask(w, in));       \
	}
PARTS4(pack4_32, uint32_t, 8)
PARTS4(pack4_64, uint64_t, 16)

static const struct exec_row rows[] = {
#define INTEGER1(id, pattern, form, D, A, value)		 {pattern, form, 0, id},
#define INTEGER2(id, pattern, form, D, A, B, value)		 {pattern, form, 0, id},
#define INTEGER3(id, pattern, form, D, A, B, C, value)		 {pattern, form, 0, id},
#define DEMANDED2(id, pattern, form, demands, D, A, B, value)	 {pattern, form, demands, id},
#define DEMANDED3(id, pattern, form, demands, D, A, B, C, value) {pattern, form, demands, id},
#include "simulator/executor/operation/integer.def"
#undef INTEGER1
#undef INTEGER2
#undef INTEGER3
#undef DEMANDED2
#undef DEMANDED3
	{"lop3.b32", "=4 4 4 4 i", 0, lop3},
	{"lop3.or.b32", "=s 4 4 4 i p", 0, lop3_or},
	{"lop3.and.b32", "=s 4 4 4 i p", 0, lop3_and},
	{"bfi.b32", "=4 4 4 4 4", 0, bfi_b32},
	{"bfi.b64", "=8 8 8 4 4", 0, bfi_b64},
	{"selp.[usbf]16", "=2 2 2 p", 0, selp_16},
	{"selp.[usbf]32", "=4 4 4 p", 0, selp_32},
	{"selp.[usbf]64", "=8 8 8 p", 0, selp_64},
	{"mov.b16.unpack2", "={ 2 2 } 2", 0, unpack2_16},
	{"mov.b32.unpack2", "={ 2 2 } 4", 0, unpack2_32},
	{"mov.b64.unpack2", "={ 4 4 } 8", 0, unpack2_64},
	{"mov.b32.unpack4", "={ 2 2 2 2 } 4", 0, unpack4_32},
	{"mov.b64.unpack4", "={ 2 2 2 2 } 8", 0, unpack4_64},
	{"mov.b32.pack4", "=4 { 2 2 2 2 }", 0, pack4_32},
	{"mov.b64.pack4", "=8 { 2 2 2 2 }", 0, pack4_64},
};

const struct exec_rows EXEC_LEVELED(exec_integer_rows) = EXEC_ROWS(rows);
