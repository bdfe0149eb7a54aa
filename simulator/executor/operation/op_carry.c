/* Handlers of arithmetic in more words than one: the carry of each thread is a bit of the warp.
 *
 * add.cc sets it, addc adds it, addc.cc does both; a subtraction's is what it borrows.
 */
#include "simulator/executor/operation/operation.h"

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 wide_signed;

/* A handler: `total` of a lane of a, b, c and the carry before, with the carry as the bit above. */
#define CARRY(id, T, sets, total)                                                           \
	static void id(struct exec_warp *w, const struct exec_instruction *in)              \
	{                                                                                   \
		const T *as = exec_lanes(w, in->slot[1]), *bs = exec_lanes(w, in->slot[2]); \
		const T *cs = exec_lanes(w, in->slot[3]);                                   \
		uint32_t mask = exec_mask(w, in), after = 0;                                \
		T out[EXEC_LANES];                                                          \
		for (unsigned i = 0; i < EXEC_LANES; i++) {                                 \
			T a = as[i], b = bs[i], c = cs[i];                                  \
			uint32_t carry = w->carry >> i & 1;                                 \
			wide sum = (total);                                                 \
			(void)b, (void)c, (void)carry;                                      \
			out[i] = (T)sum;                                                    \
			after |= (uint32_t)(sum >> 8 * sizeof(T) & 1) << i;                 \
		}                                                                           \
		exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(T), mask);                \
		if (sets)                                                                   \
			w->carry = (w->carry & ~mask) | (after & mask);                     \
	}

/* The three that there are of each: they set the carry, add and set it, or add it. */
#define SETS(id, T, total)                      \
	CARRY(id##_sets, T, 1, total)           \
	CARRY(id##_both, T, 1, (total) + carry) \
	CARRY(id##_adds, T, 0, (total) + carry)
#define BORROWS(id, T, total)                 \
	CARRY(id##_sets, T, 1, total)         \
	CARRY(id##_both, T, 1, (total)-carry) \
	CARRY(id##_adds, T, 0, (total)-carry)
#define WIDTHS(T, S, bits)                                          \
	SETS(add_##bits, T, (wide)a + b)                            \
	BORROWS(sub_##bits, T, (wide)a - b)                         \
	SETS(mad_lo_##bits, T, (wide)(T)((wide)a * b) + c)          \
	SETS(mad_hi_u##bits, T, (wide)(T)((wide)a * b >> bits) + c) \
	SETS(mad_hi_s##bits, T, (wide)(T)((wide_signed)(S)a * (wide_signed)(S)b >> bits) + c)

WIDTHS(uint32_t, int32_t, 32)
WIDTHS(uint64_t, int64_t, 64)

static const struct exec_row rows[] = {
#define ROWS(id, op, part, types, form)                         \
	{op part ".cc." types, form, 0, id##_sets},             \
		{op "c" part ".cc." types, form, 0, id##_both}, \
		{op "c" part "." types, form, 0, id##_adds},
#define ROWS_OF(bits, width)                                                                     \
	ROWS(add_##bits, "add", "", "[us]" #bits, "=" width " " width " " width)                 \
	ROWS(sub_##bits, "sub", "", "[us]" #bits, "=" width " " width " " width)                 \
	ROWS(mad_lo_##bits, "mad", ".lo", "[us]" #bits, "=" width " " width " " width " " width) \
	ROWS(mad_hi_u##bits, "mad", ".hi", "u" #bits, "=" width " " width " " width " " width)   \
	ROWS(mad_hi_s##bits, "mad", ".hi", "s" #bits, "=" width " " width " " width " " width)
	ROWS_OF(32, "4") ROWS_OF(64, "8")};

const struct exec_rows exec_carry_rows = EXEC_ROWS(rows);
