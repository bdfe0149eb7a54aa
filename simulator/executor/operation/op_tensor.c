/* Handlers of copies of tiles of tensors (cp.async.bulk.tensor) and of their reductions.
 *
 * A tile is passed row by row in pieces of 16 bytes, as they lie in shared memory: what of a piece
 * lies outside of the tensor is filled when it is loaded, and left out when it is stored. Pixels
 * (im2col) are rows of channels that follow each other in a box of the tensor. Like other copies
 * they are complete at once.
 */
#include "simulator/executor/operation/mbarrier.h"
#include "simulator/executor/memory.h"
#include "simulator/executor/operation/narrow.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/operation/reduction.h"
#include "simulator/executor/texture/tensor.h"
#include "simulator/executor/watch.h"

#define MAP_ALIGNMENT 64 /* bytes */

/* One lane's copy of a tile or of pixels. */
struct transfer {
	struct exec_warp *w;
	const struct exec_instruction *in;
	unsigned lane;
	struct exec_tensor tensor;
	int64_t at[EXEC_TENSOR_RANK];	   /* of the first element */
	int64_t offset[EXEC_TENSOR_SPACE]; /* of all pixels, beside their place in their box */
	uint64_t shared;
	bool is_load;
	enum exec_reduction reduction;
};

/* A part of a row, as it lies in shared memory and in the tensor. */
struct piece {
	uint64_t shared, global;
	int64_t column;
	bool is_inside; /* its row is */
};

static bool fail(const struct transfer *f, enum exec_result result, uint64_t address)
{
	exec_fail(f->w, f->in, result, f->lane, address);
	return 0;
}

/* ---- bytes ---- */

static void round_to_tf32(char *to, const char *from)
{
	const struct exec_format *f = exec_format_of(SC_TYPE_TF32);
	uint32_t bits;
	float a;

	memcpy(&a, from, sizeof(a));
	bits = exec_narrow((double)a, f, EXEC_ROUND_NEAREST, 0) << 13;
	memcpy(to, &bits, sizeof(bits));
}

/* Moves, or adds, so many bytes between shared and other memory; false: the launch has failed. */
static bool move(const struct transfer *f, const struct piece *p, unsigned bytes)
{
	unsigned to_space = f->is_load ? SC_SPACE_SHARED : SC_SPACE_GLOBAL;
	unsigned from_space = f->is_load ? SC_SPACE_GLOBAL : SC_SPACE_SHARED;
	enum exec_use use = f->reduction ? EXEC_ATOMIC : EXEC_WRITE;
	struct exec_places source, target;
	const char *from =
		exec_places_find_one(f->w, f->in, from_space, f->lane,
				     f->is_load ? p->global : p->shared, bytes, EXEC_READ, &source);
	char *to =
		from ? exec_places_find_one(f->w, f->in, to_space, f->lane,
					    f->is_load ? p->shared : p->global, bytes, use, &target)
		     : NULL;

	if (!to)
		return 0;
	if (f->reduction)
		exec_reduce(to, from, f->reduction, f->tensor.type, f->tensor.flushes);
	else if (f->tensor.rounds && f->is_load)
		round_to_tf32(to, from);
	else
		memmove(to, from, bytes);
	if (target.borrowed)
		exec_places_end(f->w, f->in, bytes, &target);
	return 1;
}

#define OUTSIDE 0x7FF7 /* no number, in each 2 bytes */

static bool fill(const struct transfer *f, uint64_t shared, unsigned bytes)
{
	uint16_t element[4] = {OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE};
	struct exec_places target;
	char *to = exec_places_find_one(f->w, f->in, SC_SPACE_SHARED, f->lane, shared, bytes,
					EXEC_WRITE, &target);

	if (to && f->tensor.fills_nan)
		memcpy(to, element, bytes);
	else if (to)
		memset(to, 0, bytes);
	return to != NULL;
}

static bool move_element(const struct transfer *f, const struct piece *p)
{
	bool is_inside = p->is_inside && p->column >= 0 && p->column <= f->tensor.last[0];

	if (is_inside)
		return move(f, p, f->tensor.element_bytes);
	return !f->is_load || fill(f, p->shared, f->tensor.element_bytes);
}

static bool move_piece(const struct transfer *f, struct piece p)
{
	unsigned size = f->tensor.element_bytes, count = EXEC_TENSOR_PIECE / size;
	bool is_whole =
		p.is_inside && p.column >= 0 && p.column + count <= (int64_t)f->tensor.last[0] + 1;

	if (is_whole && !f->reduction && !f->tensor.rounds)
		return move(f, &p, EXEC_TENSOR_PIECE);
	for (unsigned i = 0; i < count; i++) {
		if (!move_element(f, &p))
			return 0;
		p.column++;
		p.global += size;
		p.shared += size;
	}
	return 1;
}

/* ---- tiles and pixels ---- */

/* The bits of an address that count pieces change with those that count rows of all pieces. */
static uint64_t swizzled(uint64_t address, unsigned swizzle)
{
	uint64_t mask = (UINT64_C(1) << swizzle) - 1;

	return address ^ ((address >> 7 & mask) << 4);
}

/* The row that begins at those coordinates, to or from that place in shared memory. */
static bool move_row(const struct transfer *f, const int64_t *coordinates, uint64_t shared)
{
	const struct exec_tensor *t = &f->tensor;
	uint32_t bytes = exec_tensor_row(t);
	struct piece p = {.global = t->address, .is_inside = 1};

	for (unsigned d = 1; d < t->rank; d++) {
		p.is_inside &= coordinates[d] >= 0 && coordinates[d] <= t->last[d];
		p.global += (uint64_t)coordinates[d] * t->stride[d - 1];
	}
	for (uint32_t at = 0; at < bytes; at += EXEC_TENSOR_PIECE) {
		struct piece part = p;

		part.column = coordinates[0] + at / t->element_bytes;
		part.global += (uint64_t)part.column * t->element_bytes;
		part.shared = swizzled(shared + at, t->swizzle);
		if (!move_piece(f, part))
			return 0;
	}
	return 1;
}

static bool move_tile_row(const struct transfer *f, uint32_t row)
{
	const struct exec_tensor *t = &f->tensor;
	int64_t at[EXEC_TENSOR_RANK] = {f->at[0]};
	uint32_t left = row;

	for (unsigned d = 1; d < t->rank; d++) {
		uint32_t extent = exec_tensor_extent(t, d);

		at[d] = f->at[d] + (int64_t)(left % extent) * t->step[d];
		left /= extent;
	}
	return move_row(f, at, f->shared + (uint64_t)row * exec_tensor_pitch(t));
}

/* The first and the last place in their box where pixels may lie. */
static int64_t lower(const struct exec_tensor *t, unsigned d)
{
	return t->lower[d - 1];
}

static int64_t upper(const struct exec_tensor *t, unsigned d)
{
	return (int64_t)t->last[d] + t->upper[d - 1];
}

static void go_to_next_pixel(const struct exec_tensor *t, int64_t *at)
{
	unsigned d = 1;

	for (; d + 1 < t->rank; d++) {
		at[d] += t->step[d];
		if (at[d] <= upper(t, d))
			return;
		at[d] = lower(t, d);
	}
	at[d] += t->step[d];
}

static bool move_pixels(const struct transfer *f)
{
	const struct exec_tensor *t = &f->tensor;
	int64_t pixel[EXEC_TENSOR_RANK], at[EXEC_TENSOR_RANK];

	memcpy(pixel, f->at, sizeof(pixel));
	for (uint32_t i = 0; i < t->pixels; i++) {
		memcpy(at, pixel, sizeof(at));
		for (unsigned d = 1; d + 1 < t->rank; d++)
			at[d] += f->offset[d - 1];
		if (!move_row(f, at, f->shared + (uint64_t)i * exec_tensor_pitch(t)))
			return 0;
		go_to_next_pixel(t, pixel);
	}
	return 1;
}

/* Where a GPU lets a copy begin. */
static bool may_begin_there(const struct transfer *f)
{
	const struct exec_tensor *t = &f->tensor;

	if (f->at[0] * t->element_bytes % EXEC_TENSOR_PIECE)
		return fail(f, EXEC_MISALIGNED_TILE, f->shared);
	for (unsigned d = 0; d < t->rank; d++)
		if (!f->is_load && f->at[d] < 0)
			return fail(f, EXEC_TILE_BEFORE, f->shared);
	for (unsigned d = 1; t->kind == EXEC_TENSOR_PIXELS && d + 1 < t->rank; d++)
		if (f->at[d] < lower(t, d) || f->at[d] > upper(t, d) ||
		    (!f->is_load && lower(t, d) < 0))
			return fail(f, EXEC_PIXEL_OUTSIDE, f->shared);
	return 1;
}

static bool move_all(const struct transfer *f)
{
	uint32_t rows = exec_tensor_row_count(&f->tensor);

	if (f->shared % 128)
		return fail(f, EXEC_MISALIGNED_ADDRESS, f->shared);
	if (!may_begin_there(f))
		return 0;
	if (f->tensor.kind == EXEC_TENSOR_PIXELS)
		return move_pixels(f);
	for (uint32_t row = 0; row < rows; row++)
		if (!move_tile_row(f, row))
			return 0;
	return 1;
}

/* Reads the map whose address is in that slot, and the coordinates after it. */
static bool read_map(struct transfer *f, unsigned slot, enum exec_tensor_kind kind)
{
	const exec_slot *list = f->in->list + f->in->slot[slot + 2];
	uint64_t address = exec_second_address(f->w, f->in, slot, f->lane);
	struct exec_instruction generic = *f->in;

	generic.space = SC_SPACE_GENERIC;
	if (address % MAP_ALIGNMENT)
		return fail(f, EXEC_MISALIGNED_ADDRESS, address);
	if (!exec_memory_read(f->w, &generic, f->lane, address, &f->tensor, sizeof(f->tensor)))
		return 0;
	if (!exec_tensor_is_good(&f->tensor) || f->tensor.rank != f->in->count ||
	    f->tensor.kind != kind ||
	    (f->reduction && !exec_is_reduction(f->reduction, f->tensor.type)))
		return fail(f, EXEC_WRONG_TENSOR, address);
	for (unsigned d = 0; d < f->in->count; d++)
		f->at[d] = ((const int32_t *)exec_lanes(f->w, list[d]))[f->lane];
	return 1;
}

enum { TO = 1, MAP = 2, COORDINATES = 4, BARRIER = 5, BLOCKS = 7 }; /* slots of a load */
enum { STORED_MAP = 1, STORED_FROM = 4 };			    /* of a store */

static uint64_t first_address(const struct transfer *f)
{
	return f->in->value + exec_address_in(f->w, f->in, TO, f->lane);
}

static bool load_counted(struct transfer *f, uint64_t shared, uint64_t barrier)
{
	f->shared = shared;
	exec_watch_bulk(f->w);
	return move_all(f) &&
	       exec_mbarrier_complete(f->w, f->in, f->lane, barrier, exec_tensor_bytes(&f->tensor));
}

static bool load_to_many(struct transfer *f, uint32_t blocks)
{
	uint32_t to = (uint32_t)first_address(f);
	uint32_t barrier = (uint32_t)exec_second_address(f->w, f->in, BARRIER, f->lane);

	for (unsigned rank = 0; rank < EXEC_CLUSTER_MOST; rank++)
		if (blocks >> rank & 1 && !load_counted(f, exec_address_with_rank(to, rank),
							exec_address_with_rank(barrier, rank)))
			return 0;
	return 1;
}

/* The offsets of pixels follow the coordinates in the list. A word of the instruction has room for
 * all: 16 bits for one, 8 for each of two, 5 for each of three, where one that is too large goes
 * into the next. */
static void read_offsets(struct transfer *f)
{
	const exec_slot *list = f->in->list + f->in->slot[COORDINATES] + f->in->count;
	unsigned count = f->in->count - 2U, word = 0;

	for (unsigned d = 0; d < count && d < EXEC_TENSOR_SPACE; d++) {
		unsigned offset = ((const uint16_t *)exec_lanes(f->w, list[d]))[f->lane];

		f->offset[d] = count == 1 ? offset : offset & 0xFF;
		word |= offset << 5 * d;
	}
	for (unsigned d = 0; count == EXEC_TENSOR_SPACE && d < EXEC_TENSOR_SPACE; d++)
		f->offset[d] = word >> 5 * d & 0x1F;
}

static void load_all(struct exec_warp *w, const struct exec_instruction *in,
		     enum exec_tensor_kind kind)
{
	const uint16_t *blocks = in->width[BLOCKS] ? exec_lanes(w, in->slot[BLOCKS]) : NULL;
	uint32_t mask = exec_mask(w, in);
	bool ok = 1;

	for (unsigned l = 0; ok && l < EXEC_LANES; l++) {
		struct transfer f = {.w = w, .in = in, .lane = l, .is_load = 1};

		if (!(mask >> l & 1))
			continue;
		if (kind == EXEC_TENSOR_PIXELS)
			read_offsets(&f);
		ok = read_map(&f, MAP, kind) &&
		     (blocks ? load_to_many(&f, blocks[l])
			     : load_counted(&f, first_address(&f),
					    exec_second_address(w, in, BARRIER, l)));
	}
}

static void load_tile(struct exec_warp *w, const struct exec_instruction *in)
{
	load_all(w, in, EXEC_TENSOR_TILES);
}

static void load_pixels(struct exec_warp *w, const struct exec_instruction *in)
{
	load_all(w, in, EXEC_TENSOR_PIXELS);
}

static void store_or_reduce(struct exec_warp *w, const struct exec_instruction *in,
			    enum exec_reduction r, enum exec_tensor_kind kind)
{
	uint32_t mask = exec_mask(w, in);
	bool ok = 1;

	for (unsigned l = 0; ok && l < EXEC_LANES; l++) {
		struct transfer f = {.w = w, .in = in, .lane = l, .reduction = r};

		if (!(mask >> l & 1))
			continue;
		f.shared = (uint32_t)exec_second_address(w, in, STORED_FROM, l);
		ok = read_map(&f, STORED_MAP, kind) && move_all(&f);
	}
}

static void store_tile(struct exec_warp *w, const struct exec_instruction *in)
{
	store_or_reduce(w, in, EXEC_NO_REDUCTION, EXEC_TENSOR_TILES);
}

static void store_pixels(struct exec_warp *w, const struct exec_instruction *in)
{
	store_or_reduce(w, in, EXEC_NO_REDUCTION, EXEC_TENSOR_PIXELS);
}

static void nothing(struct exec_warp *w, const struct exec_instruction *in)
{
	(void)w;
	(void)in;
}

#define EACH(name, id)                                                                 \
	static void store_##id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                              \
		store_or_reduce(w, in, EXEC_REDUCTION_##name, EXEC_TENSOR_TILES);      \
	}
EXEC_REDUCTIONS
#undef EACH

#define COUNTED "mbarrier::complete_tx::bytes"
#define EACH(name, id) \
	{"cp.reduce.async.bulk.tensor.[12345]d." #id ".bulk_group", "_ T b ?x", 0, store_##id},

static const struct exec_row rows[] = {
	{"cp.async.bulk.tensor.[12345]d." COUNTED, "_ a T b ?x", 0, load_tile},
	{"cp.async.bulk.tensor.[12345]d." COUNTED ".multicast::cluster", "_ a T b 2 ?x", 0,
	 load_tile},
	{"cp.async.bulk.tensor.[345]d.im2col." COUNTED, "_ a T b o ?x", 0, load_pixels},
	{"cp.async.bulk.tensor.[345]d.im2col." COUNTED ".multicast::cluster", "_ a T b o 2 ?x", 0,
	 load_pixels},
	{"cp.async.bulk.tensor.[12345]d.bulk_group", "_ T b ?x", 0, store_tile},
	{"cp.async.bulk.tensor.[345]d.im2col_no_offs.bulk_group", "_ T b ?x", 0, store_pixels},
	{"cp.async.bulk.prefetch.tensor.[12345]d.L2", "_ T ?x", 0, nothing},
	{"cp.async.bulk.prefetch.tensor.[345]d.L2.im2col", "_ T o ?x", 0, nothing},
	{"prefetch.tensormap", "_ a", 0, nothing},
	EXEC_REDUCTIONS};

const struct exec_rows exec_tensor_rows = EXEC_ROWS(rows);
