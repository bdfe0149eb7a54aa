/* Handlers of mov that move several registers, and of 16 bits of a special register. */
#include <string.h>

#include "simulator/executor/operation/operation.h"

/* All are read before one is written: they may be the same in another order. */
static void move(struct exec_warp *w, const struct exec_instruction *in, unsigned bytes,
		 unsigned count)
{
	uint32_t mask = exec_mask(w, in);
	uint64_t copy[4][EXEC_LANES];

	for (unsigned k = 0; k < count; k++)
		memcpy(copy[k], exec_lanes(w, in->list[in->slot[1] + k]),
		       (size_t)bytes * EXEC_LANES);
	for (unsigned k = 0; k < count; k++)
		exec_keep(exec_lanes(w, in->list[in->slot[0] + k]), copy[k], bytes, mask);
}

#define MOVE(bytes, count)                                                                         \
	static void move_##bytes##_##count(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                                          \
		move(w, in, bytes, count);                                                         \
	}
MOVE(2, 2)
MOVE(2, 4)
MOVE(4, 2)
MOVE(4, 4)
MOVE(8, 2)

OPERATION1(low_16, uint16_t, uint32_t, a)

static const struct exec_row rows[] = {
	{"mov.v2.[bus]16", "=*22 *22", 0, move_2_2},  {"mov.v4.[bus]16", "=*24 *24", 0, move_2_4},
	{"mov.v2.[busf]32", "=*42 *42", 0, move_4_2}, {"mov.v4.[busf]32", "=*44 *44", 0, move_4_4},
	{"mov.v2.[busf]64", "=*82 *82", 0, move_8_2}, {"mov.b128", "=*82 *82", 0, move_8_2},
	{"mov.[bu]16.special", "=2 4", 0, low_16},
};

const struct exec_rows exec_move_rows = EXEC_ROWS(rows);
