/* Handlers of copies of tiles of tensors (cp.async.bulk.tensor), and of bulk reductions.
 *
 * A tile is passed row by row in pieces of 16 bytes, as they lie in shared memory: what of a piece
 * lies outside of the tensor is filled when it is loaded, and left out when it is stored. Like
 * other copies they are complete at once.
 */
#include "simulator/executor/half.h"
#include "simulator/executor/mbarrier.h"
#include "simulator/executor/memory.h"
#include "simulator/executor/operation.h"
#include "simulator/executor/tensor.h"

enum reduction { NO_REDUCTION, ADD, MIN, MAX, INC, DEC, AND, OR, XOR };

/* One lane's copy of a tile, or of plain bytes. */
struct transfer {
	struct exec_warp *w;
	const struct exec_instruction *in;
	unsigned lane;
	struct exec_tensor tensor;
	int64_t at[EXEC_TENSOR_RANK]; /* of the tile's first element */
	uint64_t shared;
	bool is_load;
	enum reduction reduction;
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

/* ---- reductions ---- */

static float single_of(uint64_t bits, unsigned type)
{
	return type == SC_TYPE_F16    ? exec_single_of_half((uint16_t)bits)
	       : type == SC_TYPE_BF16 ? exec_single_of_brain((uint16_t)bits)
				      : exec_float_of((uint32_t)bits);
}

static uint64_t bits_of(float value, unsigned type)
{
	return type == SC_TYPE_F16    ? exec_half_of_single(value)
	       : type == SC_TYPE_BF16 ? exec_brain_of_single(value)
				      : exec_bits_of(exec_canonical(value));
}

static uint64_t reduced_float(enum reduction r, unsigned type, uint64_t old, uint64_t a)
{
	float x = single_of(old, type), y = single_of(a, type);

	return bits_of(r == ADD ? x + y : r == MIN ? exec_smaller(x, y) : exec_larger(x, y), type);
}

static bool is_less(unsigned type, uint64_t a, uint64_t b)
{
	if (type == SC_TYPE_S32)
		return (int32_t)a < (int32_t)b;
	return type == SC_TYPE_S64 ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t reduced(enum reduction r, unsigned type, uint64_t old, uint64_t a)
{
	double x, y;

	if (type == SC_TYPE_F16 || type == SC_TYPE_BF16 || type == SC_TYPE_F32)
		return reduced_float(r, type, old, a);
	if (type == SC_TYPE_F64) {
		memcpy(&x, &old, sizeof(x));
		memcpy(&y, &a, sizeof(y));
		x += y;
		memcpy(&old, &x, sizeof(old));
		return old;
	}
	switch (r) {
	case ADD: return old + a;
	case MIN: return is_less(type, a, old) ? a : old;
	case MAX: return is_less(type, old, a) ? a : old;
	case INC: return old >= a ? 0 : old + 1;
	case DEC: return !old || old > a ? a : old - 1;
	case AND: return old & a;
	case OR: return old | a;
	case XOR: return old ^ a;
	case NO_REDUCTION: break;
	}
	return a;
}

/* Which ones there are: of bits for integers, the smaller and the larger not of 32 and 64 bits of
 * floating point, and counts of 32 bits only. */
static bool is_reduction(enum reduction r, unsigned type)
{
	bool is_wide_float = type == SC_TYPE_F32 || type == SC_TYPE_F64;
	bool is_float = is_wide_float || type == SC_TYPE_F16 || type == SC_TYPE_BF16;
	unsigned bits = sc_type_bits(type);

	if (is_float)
		return r == ADD || (!is_wide_float && (r == MIN || r == MAX));
	if (r == INC || r == DEC)
		return type == SC_TYPE_U32;
	return bits == 32 || bits == 64;
}

#define REDUCE(T)                                                                         \
	do {                                                                              \
		T seen = __atomic_load_n((T *)(void *)to, __ATOMIC_RELAXED), a, next;     \
		memcpy(&a, from, sizeof(a));                                              \
		do                                                                        \
			next = (T)reduced(r, type, seen, a);                              \
		while (!__atomic_compare_exchange_n((T *)(void *)to, &seen, next, 0,      \
						    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
	} while (0)

static void reduce(char *to, const char *from, enum reduction r, unsigned type)
{
	unsigned bits = sc_type_bits(type);

	if (bits == 16)
		REDUCE(uint16_t);
	else if (bits == 32)
		REDUCE(uint32_t);
	else
		REDUCE(uint64_t);
}

/* ---- bytes ---- */

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
		reduce(to, from, f->reduction, f->tensor.type);
	else
		memmove(to, from, bytes);
	if (target.borrowed)
		exec_places_end(f->w, f->in, bytes, &target);
	return 1;
}

static bool fill(const struct transfer *f, uint64_t shared, unsigned bytes)
{
	struct exec_places target;
	char *to = exec_places_find_one(f->w, f->in, SC_SPACE_SHARED, f->lane, shared, bytes,
					EXEC_WRITE, &target);

	if (to)
		memset(to, f->tensor.fills_ones ? UINT8_MAX : 0, bytes);
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

	if (is_whole && !f->reduction && p.global % EXEC_TENSOR_PIECE == 0)
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

/* ---- tiles ---- */

/* The bits of an address that count pieces change with those that count rows of all pieces. */
static uint64_t swizzled(uint64_t address, unsigned swizzle)
{
	uint64_t mask = (UINT64_C(1) << swizzle) - 1;

	return address ^ ((address >> 7 & mask) << 4);
}

/* A row of the tile, of that number. */
static bool move_row(const struct transfer *f, uint32_t row)
{
	const struct exec_tensor *t = &f->tensor;
	uint32_t bytes = (uint32_t)t->box[0] * t->element_bytes, left = row;
	struct piece p = {.global = t->address, .is_inside = 1};

	for (unsigned d = 1; d < t->rank; d++) {
		uint32_t extent = exec_tensor_extent(t, d);
		int64_t index = f->at[d] + (int64_t)(left % extent) * t->step[d];

		left /= extent;
		p.is_inside &= index >= 0 && index <= t->last[d];
		p.global += (uint64_t)index * t->stride[d - 1];
	}
	for (uint32_t at = 0; at < bytes; at += EXEC_TENSOR_PIECE) {
		struct piece part = p;

		part.column = f->at[0] + at / t->element_bytes;
		part.global += (uint64_t)part.column * t->element_bytes;
		part.shared = swizzled(f->shared + (uint64_t)row * bytes + at, t->swizzle);
		if (!move_piece(f, part))
			return 0;
	}
	return 1;
}

static bool move_tile(const struct transfer *f)
{
	uint32_t rows = 1;

	if (f->shared % 128)
		return fail(f, EXEC_MISALIGNED_ADDRESS, f->shared);
	for (unsigned d = 1; d < f->tensor.rank; d++)
		rows *= exec_tensor_extent(&f->tensor, d);
	for (uint32_t row = 0; row < rows; row++)
		if (!move_row(f, row))
			return 0;
	return 1;
}

/* Reads the map whose address is in that slot, and the tile's coordinates after it. */
static bool read_map(struct transfer *f, unsigned slot)
{
	const exec_slot *list = f->in->list + f->in->slot[slot + 2];
	uint64_t address = exec_second_address(f->w, f->in, slot, f->lane);
	struct exec_instruction generic = *f->in;

	generic.space = SC_SPACE_GENERIC;
	if (!exec_memory_read(f->w, &generic, f->lane, address, &f->tensor, sizeof(f->tensor)))
		return 0;
	if (!exec_tensor_is_good(&f->tensor) || f->tensor.rank != f->in->count ||
	    (f->reduction && !is_reduction(f->reduction, f->tensor.type)))
		return fail(f, EXEC_ILLEGAL_ADDRESS, address);
	for (unsigned d = 0; d < f->in->count; d++)
		f->at[d] = ((const int32_t *)exec_lanes(f->w, list[d]))[f->lane];
	return 1;
}

enum { TO = 1, MAP = 2, BARRIER = 5, BLOCKS = 7 }; /* slots of a load */
enum { STORED_MAP = 1, STORED_FROM = 4 };	   /* of a store */
enum {
	SUM_TO = 1,
	SUM_FROM = 2,
	SUM_SIZE = 4,
	SUM_BARRIER = 5
}; /* of a reduction of plain bytes */

static uint64_t first_address(const struct transfer *f)
{
	return f->in->value + exec_address_in(f->w, f->in, TO, f->lane);
}

static bool load_counted(struct transfer *f, uint64_t shared, uint64_t barrier)
{
	f->shared = shared;
	return move_tile(f) &&
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

static void load(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint16_t *blocks = in->width[BLOCKS] ? exec_lanes(w, in->slot[BLOCKS]) : NULL;
	uint32_t mask = exec_mask(w, in);
	bool ok = 1;

	for (unsigned l = 0; ok && l < EXEC_LANES; l++) {
		struct transfer f = {.w = w, .in = in, .lane = l, .is_load = 1};

		if (!(mask >> l & 1))
			continue;
		ok = read_map(&f, MAP) &&
		     (blocks ? load_to_many(&f, blocks[l])
			     : load_counted(&f, first_address(&f),
					    exec_second_address(w, in, BARRIER, l)));
	}
}

static void store_or_reduce(struct exec_warp *w, const struct exec_instruction *in,
			    enum reduction r)
{
	uint32_t mask = exec_mask(w, in);
	bool ok = 1;

	for (unsigned l = 0; ok && l < EXEC_LANES; l++) {
		struct transfer f = {.w = w, .in = in, .lane = l, .reduction = r};

		if (!(mask >> l & 1))
			continue;
		f.shared = (uint32_t)exec_second_address(w, in, STORED_FROM, l);
		ok = read_map(&f, STORED_MAP) && move_tile(&f);
	}
}

static void store(struct exec_warp *w, const struct exec_instruction *in)
{
	store_or_reduce(w, in, NO_REDUCTION);
}

static void nothing(struct exec_warp *w, const struct exec_instruction *in)
{
	(void)w;
	(void)in;
}

/* ---- reductions of plain bytes ---- */

static bool sum_lane(struct transfer *f, uint32_t size)
{
	unsigned each = sc_type_bits(f->in->type) / 8;
	uint64_t to = first_address(f), from = exec_second_address(f->w, f->in, SUM_FROM, f->lane);
	struct exec_places source, target;

	if (size % EXEC_TENSOR_PIECE || to % EXEC_TENSOR_PIECE || from % EXEC_TENSOR_PIECE)
		return fail(f, EXEC_MISALIGNED_ADDRESS, to);
	if (size > EXEC_TENSOR_MOST || !is_reduction(f->reduction, f->in->type))
		return fail(f, EXEC_ILLEGAL_ADDRESS, to);
	for (uint32_t at = 0; at < size; at += each) {
		const char *a = exec_places_find_one(f->w, f->in, SC_SPACE_SHARED, f->lane,
						     from + at, each, EXEC_READ, &source);
		char *b = a ? exec_places_find_one(f->w, f->in, f->in->first_space, f->lane,
						   to + at, each, EXEC_ATOMIC, &target)
			    : NULL;

		if (!b)
			return 0;
		reduce(b, a, f->reduction, f->in->type);
		if (target.borrowed)
			exec_places_end(f->w, f->in, each, &target);
	}
	return 1;
}

static void sum(struct exec_warp *w, const struct exec_instruction *in, enum reduction r)
{
	const uint32_t *size = exec_lanes(w, in->slot[SUM_SIZE]);
	uint32_t mask = exec_mask(w, in);

	for (unsigned l = 0; l < EXEC_LANES; l++) {
		struct transfer f = {.w = w, .in = in, .lane = l, .reduction = r};

		if (!(mask >> l & 1))
			continue;
		if (!sum_lane(&f, size[l]))
			return;
		if (in->width[SUM_BARRIER] &&
		    !exec_mbarrier_complete(w, in, l, exec_second_address(w, in, SUM_BARRIER, l),
					    size[l]))
			return;
	}
}

#define REDUCTIONS     \
	EACH(ADD, add) \
	EACH(MIN, min) \
	EACH(MAX, max) \
	EACH(INC, inc) \
	EACH(DEC, dec) \
	EACH(AND, and) \
	EACH(OR, or)   \
	EACH(XOR, xor)
#define EACH(r, id)                                                                    \
	static void store_##id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                              \
		store_or_reduce(w, in, r);                                             \
	}                                                                              \
	static void sum_##id(struct exec_warp *w, const struct exec_instruction *in)   \
	{                                                                              \
		sum(w, in, r);                                                         \
	}
REDUCTIONS
#undef EACH

#define COUNTED			 "mbarrier::complete_tx::bytes"
#define SUM(how, form, id, type) {"cp.reduce.async.bulk." how "." #id type, form, 0, sum_##id},
#define SUMS(id, type)                            \
	SUM("bulk_group", "_ a b 4 ?x", id, type) \
	SUM(COUNTED, "_ a b 4 b", id, type)
#define EACH(r, id)                                                                             \
	{"cp.reduce.async.bulk.tensor.[12345]d." #id ".bulk_group", "_ T b ?x", 0, store_##id}, \
		SUMS(id, ".[usb]32") SUMS(id, ".[usb]64") SUMS(id, ".f32") SUMS(id, ".f64")     \
			SUMS(id, ".f16") SUMS(id, ".bf16") SUMS(id, ".noftz.f16")               \
				SUMS(id, ".noftz.bf16")

static const struct exec_row rows[] = {
	{"cp.async.bulk.tensor.[12345]d." COUNTED, "_ a T b ?x", 0, load},
	{"cp.async.bulk.tensor.[12345]d." COUNTED ".multicast::cluster", "_ a T b 2 ?x", 0, load},
	{"cp.async.bulk.tensor.[12345]d.bulk_group", "_ T b ?x", 0, store},
	{"cp.async.bulk.prefetch.tensor.[12345]d.L2", "_ T ?x", 0, nothing},
	{"prefetch.tensormap", "_ a", 0, nothing},
	REDUCTIONS};

const struct exec_rows exec_tensor_rows = EXEC_ROWS(rows);
