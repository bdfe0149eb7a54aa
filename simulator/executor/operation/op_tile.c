/* Handlers that move matrices of 8 rows with 8 elements of 2 bytes: ldmatrix, stmatrix, movmatrix.
 *
 * The first eight lanes have the addresses of the first matrix's rows, the next eight those of the
 * second one's. Four lanes hold a row: two elements each, in one register for each matrix.
 */
#include "simulator/executor/memory.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/path.h"

#define SIDE	  8
#define ROW_BYTES 16

struct tile {
	uint16_t row[SIDE][SIDE];
};

static uint32_t gather(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t mask = exec_mask(w, in);

	return mask ? exec_path_gather(w, in, mask, NULL) : 0;
}

/* The two elements that a lane has in its register. */
static uint32_t take(const struct tile *t, unsigned lane, bool is_turned)
{
	unsigned row = lane / 4, column = lane % 4 * 2;

	if (is_turned)
		return t->row[column][row] | (uint32_t)t->row[column + 1][row] << 16;
	return t->row[row][column] | (uint32_t)t->row[row][column + 1] << 16;
}

static void put(struct tile *t, unsigned lane, bool is_turned, uint32_t value)
{
	unsigned row = lane / 4, column = lane % 4 * 2;

	*(is_turned ? &t->row[column][row] : &t->row[row][column]) = (uint16_t)value;
	*(is_turned ? &t->row[column + 1][row] : &t->row[row][column + 1]) =
		(uint16_t)(value >> 16);
}

/* The lanes with the addresses of `count` matrices. */
static uint32_t address_lanes(unsigned count)
{
	return count == 4 ? EXEC_ALL : (UINT32_C(1) << SIDE * count) - 1;
}

static void load(struct exec_warp *w, const struct exec_instruction *in, unsigned count,
		 bool is_turned)
{
	uint32_t mask = gather(w, in), lanes = mask & address_lanes(count);
	struct tile tiles[4] = {0};
	struct exec_places p;

	if (!lanes || !exec_places_find(w, in, lanes, ROW_BYTES, EXEC_READ, &p))
		return;
	for (unsigned l = 0; l < SIDE * count; l++)
		if (lanes >> l & 1)
			memcpy(tiles[l / SIDE].row[l % SIDE], p.lane[l], ROW_BYTES);
	for (unsigned k = 0; k < count; k++) {
		uint32_t out[EXEC_LANES];

		for (unsigned l = 0; l < EXEC_LANES; l++)
			out[l] = take(&tiles[k], l, is_turned);
		exec_keep(exec_lanes(w, in->list[in->slot[0] + k]), out, sizeof(*out), mask);
	}
}

static void store(struct exec_warp *w, const struct exec_instruction *in, unsigned count,
		  bool is_turned)
{
	uint32_t mask = gather(w, in), lanes = mask & address_lanes(count);
	struct tile tiles[4] = {0};
	struct exec_places p;

	if (!lanes || !exec_places_find(w, in, lanes, ROW_BYTES, EXEC_WRITE, &p))
		return;
	for (unsigned k = 0; k < count; k++) {
		const uint32_t *from = exec_lanes(w, in->list[in->slot[2] + k]);

		for (unsigned l = 0; l < EXEC_LANES; l++)
			put(&tiles[k], l, is_turned, from[l]);
	}
	for (unsigned l = 0; l < SIDE * count; l++)
		if (lanes >> l & 1)
			memcpy(p.lane[l], tiles[l / SIDE].row[l % SIDE], ROW_BYTES);
	if (p.borrowed)
		exec_places_end(w, in, ROW_BYTES, &p);
}

static void movmatrix(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint32_t *from = exec_lanes(w, in->slot[1]);
	uint32_t mask = gather(w, in), out[EXEC_LANES];
	struct tile t = {0};

	for (unsigned l = 0; l < EXEC_LANES; l++)
		put(&t, l, 0, from[l]);
	for (unsigned l = 0; l < EXEC_LANES; l++)
		out[l] = take(&t, l, 1);
	if (mask)
		exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), mask);
}

#define MOVES(count)                                                                             \
	static void load_##count(struct exec_warp *w, const struct exec_instruction *in)         \
	{                                                                                        \
		load(w, in, count, 0);                                                           \
	}                                                                                        \
	static void load_turned_##count(struct exec_warp *w, const struct exec_instruction *in)  \
	{                                                                                        \
		load(w, in, count, 1);                                                           \
	}                                                                                        \
	static void store_##count(struct exec_warp *w, const struct exec_instruction *in)        \
	{                                                                                        \
		store(w, in, count, 0);                                                          \
	}                                                                                        \
	static void store_turned_##count(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                                        \
		store(w, in, count, 1);                                                          \
	}
MOVES(1)
MOVES(2)
MOVES(4)

static const struct exec_row rows[] = {
#define ROWS(count)                                                                        \
	{"ldmatrix.sync.m8n8.x" #count ".b16", "=*4" #count " a", 0, load_##count},        \
		{"ldmatrix.sync.m8n8.x" #count ".trans.b16", "=*4" #count " a", 0,         \
		 load_turned_##count},                                                     \
		{"stmatrix.sync.m8n8.x" #count ".b16", "_ a *4" #count, 0, store_##count}, \
		{"stmatrix.sync.m8n8.x" #count ".trans.b16", "_ a *4" #count, 0,           \
		 store_turned_##count},
	ROWS(1) ROWS(2) ROWS(4){"movmatrix.sync.m8n8.trans.b16", "=4 4", 0, movmatrix},
};

const struct exec_rows exec_tile_rows = EXEC_ROWS(rows);
