/* Handlers of products of matrices: mma.sync, wmma with its loads and stores, and wgmma.
 *
 * A product takes the factors out of the lanes' registers as double precision, in which all
 * products and sums of integers are exact, and puts the result into the lanes' registers. Doubles
 * are multiplied and added in the order of k; narrower numbers as aligned.h says.
 */
#include "simulator/executor/operation/aligned.h"
#include "simulator/executor/operation/half.h"
#include "simulator/executor/memory.h"
#include "simulator/executor/operation/narrow.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/operation/whole_move.h"
#include "simulator/executor/path.h"
#include "simulator/executor/watch.h"

#define ELEMENTS_MOST 4096 /* of a matrix: 16 rows of 256 bits */
#define NUMBERS_MOST  512  /* of which are no integers and narrower than doubles: 32 rows of 16 */
#define SUMS_MOST     256

static double number_of(uint64_t bits, enum element e)
{
	double wide;

	switch (e) {
	case F16: return (double)exec_single_of_half((uint16_t)bits);
	case BF16: return (double)exec_single_of_brain((uint16_t)bits);
	case TF32: return (double)exec_float_of((uint32_t)bits & ~UINT32_C(0x1FFF));
	case F32: return (double)exec_float_of((uint32_t)bits);
	case F64: memcpy(&wide, &bits, sizeof(wide)); return wide;
	case S8: return (int8_t)bits;
	case S4: return (int8_t)(bits << 4) >> 4;
	case S32: return (int32_t)bits;
	case E4M3: return exec_widened((uint32_t)bits, exec_format_of(SC_TYPE_E4M3));
	case E5M2: return exec_widened((uint32_t)bits, exec_format_of(SC_TYPE_E5M2));
	case U8:
	case U4:
	case B1:
	case B1_XOR: break;
	}
	return (double)bits;
}

/* The bits of a result; integers keep their low bits, or the nearest that there is. */
static uint64_t bits_of_number(double a, enum element e, unsigned demands)
{
	uint64_t bits;

	switch (e) {
	case F16: return exec_half_of_single(exec_odd_single(a));
	case F64: memcpy(&bits, &a, sizeof(bits)); return bits;
	case S32:
		if (demands & EXEC_DEMAND_FINITE)
			a = a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : a;
		return (uint32_t)(int64_t)a;
	case BF16:
	case TF32:
	case F32:
	case S8:
	case U8:
	case S4:
	case U4:
	case E4M3:
	case E5M2:
	case B1:
	case B1_XOR: break;
	}
	return exec_bits_of(exec_canonical((float)a));
}

/* ---- registers ---- */

/* Element `index` of a lane's, counted through all registers. */
static uint64_t get(const struct registers *r, unsigned lane, unsigned index)
{
	unsigned bits = bits_of(r->element), each = r->width * 8 / bits;
	const void *at = exec_lanes(r->w, r->slot[index / each]);
	uint64_t word = r->width == 8 ? ((const uint64_t *)at)[lane] : ((const uint32_t *)at)[lane];

	word >>= index % each * bits;
	return bits == 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}

static void set(const struct registers *r, unsigned lane, unsigned index, uint64_t value)
{
	unsigned bits = bits_of(r->element), each = r->width * 8 / bits;
	char *at = exec_lanes(r->w, r->slot[index / each]);

	memcpy(at + (size_t)lane * r->width + index % each * bits / 8, &value, bits / 8);
}

/* ---- products ---- */

struct matrices {
	double left[ELEMENTS_MOST], right[ELEMENTS_MOST],
		sum[SUMS_MOST]; /* rows one after the other */
	double left_power[NUMBERS_MOST], right_power[NUMBERS_MOST];
};

static bool is_of_bytes(const struct shape *s)
{
	return s->a == E4M3 || s->a == E5M2;
}

static bool is_aligned(const struct shape *s)
{
	return s->a == F16 || s->a == BF16 || s->a == TF32 || is_of_bytes(s);
}

/* The least normal number; those of 8 bits are multiplied as halves. */
static double least_of(enum element e)
{
	return e == BF16 || e == TF32 || e == F32 ? 0x1p-126 : 0x1p-14;
}

/* sum += left * right, as a tensor core adds `block` products at once, with EXEC_ALIGNED_… places
 */
static void multiply_aligned(struct matrices *x, const struct shape *s, unsigned block,
			     double places)
{
	bool is_half = s->c == F16 && s->d == F16;
	double (*cut)(double) = places == EXEC_ALIGNED_FEW ? exec_cut_few : exec_cut_single;
	double least = least_of(is_half ? F16 : F32); /* other sums are single precision first */

	for (unsigned i = 0; i < s->m * s->k; i++)
		x->left_power[i] = exec_power(x->left[i], least_of(s->a));
	for (unsigned i = 0; i < s->k * s->n; i++)
		x->right_power[i] = exec_power(x->right[i], least_of(s->b));
	for (unsigned at = 0; at < s->m * s->n; at += EXEC_ALIGNED_COLUMNS)
		for (unsigned k = 0; k < s->k; k += block) {
			unsigned a = at / s->n * s->k + k, b = k * s->n + at % s->n;
			struct exec_aligned terms = {x->left + a,  x->left_power + a,
						     x->right + b, x->right_power + b,
						     block,	   s->n,
						     places};
			double *sum = &x->sum[at];

			exec_aligned(&terms, least, sum);
			for (unsigned j = 0; !is_half && j < EXEC_ALIGNED_COLUMNS; j++)
				sum[j] = cut(sum[j]);
		}
}

/* sum += left * right */
static void multiply(struct matrices *x, const struct shape *s)
{
	for (unsigned i = 0; i < s->m; i++)
		for (unsigned k = 0; k < s->k; k++) {
			double a = x->left[i * s->k + k];
			const double *b = &x->right[(size_t)k * s->n];
			double *c = &x->sum[(size_t)i * s->n];

			if (s->a == F64)
				for (unsigned j = 0; j < s->n; j++)
					c[j] = exec_fused(a, b[j], c[j]);
			else if (s->a == B1_XOR)
				for (unsigned j = 0; j < s->n; j++)
					c[j] += a == b[j] ? 0 : 1;
			else
				for (unsigned j = 0; j < s->n; j++)
					c[j] += a * b[j];
		}
}

/* The place in the order of adding. Of four neighbours of 8 bits in a register the first two become
 * a register of halves, which the first instruction multiplies, and the others that of the second.
 */
static unsigned turn_of(const struct shape *s, unsigned k)
{
	return is_of_bytes(s) ? k % 4 / 2 * (s->k / 2) + k / 4 * 2 + k % 2 : k;
}

/* How mma's fragments lie in the registers: where in its matrix a lane's element is. Four lanes
 * have a row of the first factor, or a column of the second one; eight such groups are eight rows.
 */
static unsigned place_a(const struct shape *s, unsigned lane, unsigned index)
{
	unsigned each = s->a == F64 ? 1 : 32 / bits_of(s->a), r = index / each;
	unsigned row = lane / 4 + (s->m == 16 ? r % 2 * 8 : 0);
	unsigned column = (s->m == 16 ? r / 2 : r) * 4 * each + lane % 4 * each + index % each;

	return row * s->k + turn_of(s, column);
}

static unsigned place_b(const struct shape *s, unsigned lane, unsigned index)
{
	unsigned each = s->b == F64 ? 1 : 32 / bits_of(s->b), r = index / each;

	return turn_of(s, r * 4 * each + lane % 4 * each + index % each) * s->n + lane / 4;
}

static unsigned place_c(const struct shape *s, unsigned lane, unsigned index)
{
	return (lane / 4 + index / 2 * 8) * s->n + lane % 4 * 2 + index % 2;
}

/* wmma's, of `each` elements a lane. Those of a sum are in pairs, whatever they are, as programs
 * convert them one by one: as mma's of eight columns. A fragment with more places than elements has
 * them twice, of which the first count. */
static unsigned place_apart(unsigned lane, unsigned index, enum element e, unsigned each,
			    unsigned total)
{
	unsigned wide = bits_of(e) < 32 ? 32 / bits_of(e) : in_turns(e, each) ? 2U : 1U;

	return ((index / wide * EXEC_LANES + lane) * wide + index % wide) % total;
}

static uint32_t gather(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t mask = exec_mask(w, in);

	return mask ? exec_path_gather(w, in, mask, NULL) : 0;
}

/* Of 8 bits, ptxas makes two products of halves, whose sum begins at zero, and adds the third
 * operand last. */
static double total(const struct shape *s, double sum, double c)
{
	return is_of_bytes(s) ? (double)((float)sum + (float)c) : sum;
}

/* Products of a sum that are added at once. */
static unsigned block_of(const struct shape *s, unsigned of_tf32)
{
	unsigned most = s->a == TF32 ? of_tf32 : 16;

	return s->k < most ? s->k : most;
}

static void mma(struct exec_warp *w, const struct exec_instruction *in, const struct shape *s)
{
	struct registers d = registers_of(w, in, 0, s->d), a = registers_of(w, in, 1, s->a);
	struct registers b = registers_of(w, in, 2, s->b), c = registers_of(w, in, 3, s->c);
	uint32_t mask = gather(w, in);
	unsigned block = block_of(s, 8);
	struct matrices x;

	if (!mask || exec_whole_product(s, 0, block, &d, &a, &b, &c, mask, in->demands))
		return;
	for (unsigned l = 0; l < EXEC_LANES; l++) {
		for (unsigned i = 0; i < s->m * s->k / EXEC_LANES; i++)
			x.left[place_a(s, l, i)] = number_of(get(&a, l, i), s->a);
		for (unsigned i = 0; i < s->n * s->k / EXEC_LANES; i++)
			x.right[place_b(s, l, i)] = number_of(get(&b, l, i), s->b);
		for (unsigned i = 0; i < s->m * s->n / EXEC_LANES; i++)
			x.sum[place_c(s, l, i)] =
				is_of_bytes(s) ? 0 : number_of(get(&c, l, i), s->c);
	}
	if (is_aligned(s))
		multiply_aligned(&x, s, block, EXEC_ALIGNED_PLACES);
	else
		multiply(&x, s);
	for (unsigned l = 0; l < EXEC_LANES; l++)
		for (unsigned i = 0; mask >> l & 1 && i < s->m * s->n / EXEC_LANES; i++)
			set(&d, l, i,
			    bits_of_number(total(s, x.sum[place_c(s, l, i)],
						 number_of(get(&c, l, i), s->c)),
					   s->d, in->demands));
}

static void wmma(struct exec_warp *w, const struct exec_instruction *in, const struct shape *s)
{
	struct registers d = registers_of(w, in, 0, s->d), a = registers_of(w, in, 1, s->a);
	struct registers b = registers_of(w, in, 2, s->b), c = registers_of(w, in, 3, s->c);
	unsigned as = s->m * s->k / EXEC_LANES, bs = s->k * s->n / EXEC_LANES;
	unsigned cs = s->m * s->n / EXEC_LANES;
	uint32_t mask = gather(w, in);
	unsigned block = block_of(s, 4); /* ptxas makes instructions of four of tf32 */
	struct matrices x;

	if (!mask || exec_whole_product(s, 1, block, &d, &a, &b, &c, mask, in->demands))
		return;
	for (unsigned l = 0; l < EXEC_LANES; l++) {
		for (unsigned i = 0; i < as; i++)
			x.left[place_apart(l, i, s->a, as, s->m * s->k)] =
				number_of(get(&a, l, i), s->a);
		for (unsigned i = 0; i < bs; i++)
			x.right[place_apart(l, i, s->b, bs, s->k * s->n)] =
				number_of(get(&b, l, i), s->b);
		for (unsigned i = 0; i < cs; i++)
			x.sum[place_apart(l, i, s->c, cs, s->m * s->n)] =
				number_of(get(&c, l, i), s->c);
	}
	if (is_aligned(s))
		multiply_aligned(&x, s, block, EXEC_ALIGNED_PLACES);
	else
		multiply(&x, s);
	for (unsigned l = 0; l < EXEC_LANES; l++)
		for (unsigned i = 0; mask >> l & 1 && i < cs; i++)
			set(&d, l, i,
			    bits_of_number(x.sum[place_apart(l, i, s->d, cs, s->m * s->n)], s->d,
					   in->demands));
}

#define MMA(id, pattern, m, n, k, d, a, b, c, form)                            \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		static const struct shape shape = {m, n, k, d, a, b, c};       \
		mma(w, in, &shape);                                            \
	}
#define WMMA(id, pattern, m, n, k, d, a, b, c, form)                           \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		static const struct shape shape = {m, n, k, d, a, b, c};       \
		wmma(w, in, &shape);                                           \
	}
#include "simulator/executor/operation/matrix.def"

/* ---- wgmma.mma_async ---- */

/* Slots of its operands. The factors are descriptors of 8 bytes, or the first one is a list; flags
 * that say which way a factor lies follow the signs, where it may lie both ways. */
enum { SUM_SLOT, LEFT, RIGHT, ADDS, LEFT_SIGN, RIGHT_SIGN, FIRST_WAY };

#define CHUNK 16 /* bytes that always lie together */

/* Where a factor lies in shared memory: a row is one of m of the first factor, or of n of the
 * second one. In units of 16 bytes, or 8 rows, it repeats itself `lead` and `step` bytes apart. */
struct described {
	const struct exec_block *block;
	uint32_t start, lead, step, base;
	unsigned swizzle; /* bits of an address that change */
	bool by_k;	  /* neighbours along k lie together; else those of a column */
	enum element element;
};

static struct described describe(const struct exec_warp *w, uint64_t bits, bool is_turned,
				 enum element e)
{
	static const uint8_t swizzles[] = {0, 3, 2, 1};

	return (struct described){w->block,
				  (uint32_t)(bits & 0x3FFF) << 4,
				  (uint32_t)(bits >> 16 & 0x3FFF) << 4,
				  (uint32_t)(bits >> 32 & 0x3FFF) << 4,
				  (uint32_t)(bits >> 49 & 7),
				  swizzles[bits >> 62],
				  !is_turned,
				  e};
}

/* The 16 bytes of a row from `piece` on along k; or of a k, from `piece` on along the rows. NULL:
 * it is outside of the block's memory. */
static const unsigned char *chunk(const struct described *f, unsigned row, unsigned piece)
{
	uint32_t wide = CHUNK << f->swizzle, at = f->start + row % 8 * wide, pieces = wide / CHUNK;

	if (f->by_k)
		at += row / 8 * f->step + piece * (f->swizzle ? CHUNK : f->lead);
	else if (f->swizzle)
		at += row / 8 * f->step + piece / pieces * f->lead + piece % pieces * CHUNK;
	else
		at += row / 8 * f->lead + piece * f->step;
	at ^= (((at >> 7) - f->base) & ((1U << f->swizzle) - 1)) << 4;
	if (at + CHUNK > f->block->shared_bytes)
		return NULL;
	exec_watch_read(f->block, at, CHUNK);
	return f->block->shared + at;
}

static double in_chunk(const unsigned char *bytes, unsigned index, enum element e)
{
	unsigned bits = bits_of(e);
	uint32_t word = 0;

	memcpy(&word, bytes + index * bits / 8, bits < 8 ? 1 : bits / 8);
	return number_of(bits < 8 ? word >> index * bits % 8 & ((1U << bits) - 1) : word, e);
}

/* A part of a factor: element (row, k) comes to `to`[row * row_step + turn of k * k_step]. */
struct part {
	double *to, sign;
	unsigned row_step, k_step;
};

static void unpack(const struct described *f, const struct shape *s, const struct part *p,
		   const unsigned char *bytes, unsigned row, unsigned k)
{
	unsigned each = f->by_k ? CHUNK * 8 / bits_of(f->element) : 8;
	unsigned step = f->by_k ? p->k_step : p->row_step;
	double *first = p->to + (size_t)row * p->row_step + (size_t)k * p->k_step;
	uint16_t halves[CHUNK / 2];

	memcpy(halves, bytes, sizeof(halves));
	if (f->element == F16)
		for (unsigned i = 0; i < 8; i++)
			first[(size_t)i * step] = p->sign * (double)exec_single_of_half(halves[i]);
	else if (f->element == BF16)
		for (unsigned i = 0; i < 8; i++)
			first[(size_t)i * step] = p->sign * (double)exec_single_of_brain(halves[i]);
	else
		for (unsigned i = 0; i < each; i++) {
			unsigned at = f->by_k ? row * p->row_step + turn_of(s, k + i) * p->k_step
					      : (row + i) * p->row_step + turn_of(s, k) * p->k_step;

			p->to[at] = p->sign * in_chunk(bytes, i, f->element);
		}
}

/* Eight rows from `first` on, `k` numbers each. False: outside of the block's memory. */
static bool fetch(const struct described *f, const struct shape *s, unsigned first,
		  const struct part *p)
{
	unsigned each = CHUNK * 8 / bits_of(f->element);

	for (unsigned line = 0; line < (f->by_k ? 8 : s->k); line++)
		for (unsigned piece = 0; piece < (f->by_k ? s->k / each : 1); piece++) {
			const unsigned char *bytes = f->by_k ? chunk(f, first + line, piece)
							     : chunk(f, line, first / each);

			if (!bytes)
				return 0;
			unpack(f, s, p, bytes, f->by_k ? line : 0, f->by_k ? piece * each : line);
		}
	return 1;
}

static double sign_of(const struct exec_warp *w, const struct exec_instruction *in, unsigned slot)
{
	const int32_t *sign = exec_lanes(w, in->slot[slot]);

	return in->width[slot] && *sign < 0 ? -1 : 1;
}

static bool is_turned(const struct exec_warp *w, const struct exec_instruction *in, unsigned slot)
{
	const uint32_t *way = exec_lanes(w, in->slot[slot]);

	return in->width[slot] && *way;
}

/* The warp's 16 of the 64 rows. */
static bool fetch_left(struct exec_warp *w, const struct exec_instruction *in,
		       const struct shape *s, struct matrices *x)
{
	unsigned first = w->first_thread / EXEC_LANES % EXEC_GROUP_WARPS * s->m;
	double sign = sign_of(w, in, LEFT_SIGN);
	struct registers a = registers_of(w, in, LEFT, s->a);
	struct described f;

	if (in->width[LEFT] == 8) {
		f = describe(w, *(const uint64_t *)exec_lanes(w, in->slot[LEFT]),
			     is_turned(w, in, FIRST_WAY), s->a);
		return fetch(&f, s, first, &(struct part){x->left, sign, s->k, 1}) &&
		       fetch(&f, s, first + 8, &(struct part){x->left + 8 * s->k, sign, s->k, 1});
	}
	for (unsigned l = 0; l < EXEC_LANES; l++)
		for (unsigned i = 0; i < s->m * s->k / EXEC_LANES; i++)
			x->left[place_a(s, l, i)] = sign * number_of(get(&a, l, i), s->a);
	return 1;
}

/* Eight columns of the result. */
static void multiply_columns(struct exec_warp *w, const struct exec_instruction *in,
			     const struct shape *s, struct matrices *x, unsigned first)
{
	struct registers d = registers_of(w, in, SUM_SLOT, s->d);
	unsigned elements = s->m * s->n / EXEC_LANES;
	uint32_t adds = exec_predicate(w, in, ADDS);

	first = first / s->n * elements;
	for (unsigned l = 0; l < EXEC_LANES; l++)
		for (unsigned i = 0; i < elements; i++)
			x->sum[place_c(s, l, i)] =
				adds >> l & 1 ? number_of(get(&d, l, first + i), s->d) : 0;
	if (!exec_whole_sums(s, s->k, x->left, x->right, x->sum)) {
		if (is_aligned(s))
			multiply_aligned(x, s, s->k,
					 is_of_bytes(s) ? EXEC_ALIGNED_FEW : EXEC_ALIGNED_PLACES);
		else
			multiply(x, s);
	}
	for (unsigned l = 0; l < EXEC_LANES; l++)
		for (unsigned i = 0; i < elements; i++)
			set(&d, l, first + i,
			    bits_of_number(x->sum[place_c(s, l, i)], s->d, in->demands));
}

/* Each warp computes its rows when it comes here; exec_barrier_arrive in wait_group is what makes
 * one product of a warpgroup of them. `s` is of eight columns, of which there are in->count. */
static void wgmma(struct exec_warp *w, const struct exec_instruction *in, const struct shape *s)
{
	uint32_t mask = gather(w, in);
	unsigned way = in->width[LEFT] == 8 ? FIRST_WAY + 1 : FIRST_WAY;
	struct described f;
	struct matrices x;
	bool ok;

	if (!mask)
		return;
	f = describe(w, *(const uint64_t *)exec_lanes(w, in->slot[RIGHT]), is_turned(w, in, way),
		     s->b);
	ok = fetch_left(w, in, s, &x);
	for (unsigned n = 0; ok && n < in->count * s->n; n += s->n) {
		ok = fetch(&f, s, n, &(struct part){x.right, sign_of(w, in, RIGHT_SIGN), 1, s->n});
		if (ok)
			multiply_columns(w, in, s, &x, n);
	}
	if (!ok)
		exec_fail(w, in, EXEC_ILLEGAL_ADDRESS, (unsigned)__builtin_ctz(mask), f.start);
}

#define WGMMA(id, pattern, k, d, a, b, registers, flags)                       \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		static const struct shape shape = {16, 8, k, d, a, b, d};      \
		wgmma(w, in, &shape);                                          \
	}
#include "simulator/executor/operation/matrix.def"

/* ---- wmma.load, wmma.store ---- */

/* Finds the bytes of each lane's element in memory; false: the launch has failed. */
static bool find_elements(struct exec_warp *w, const struct exec_instruction *in,
			  const struct fragment *f, unsigned index, uint32_t mask, bool is_write,
			  struct exec_places *p)
{
	unsigned total = f->rows * f->columns, bytes = bits_of(f->element) / 8;
	const uint32_t *strides = exec_lanes(w, in->slot[f->stride]);
	unsigned shift = (unsigned)__builtin_ctz(f->columns); /* they are a power of two */
	uint64_t base[EXEC_LANES], step = f->by_columns ? f->rows : f->columns;

	exec_places_addresses(w, in, mask, base);
	if (in->width[f->stride])
		step = strides[__builtin_ctz(mask)] / f->packed;
	for (unsigned l = 0; l < EXEC_LANES; l++) {
		unsigned at = place_apart(l, index, f->element, f->each, total);
		unsigned row = at >> shift, column = at & (f->columns - 1);

		p->address[l] = base[l] +
				bytes * (f->by_columns ? column * step + row : row * step + column);
	}
	return exec_places_find_at(w, in, mask, bytes, is_write, p);
}

static void load_fragment(struct exec_warp *w, const struct exec_instruction *in,
			  const struct fragment *f)
{
	struct registers r = registers_of(w, in, 0, f->element);
	unsigned bytes = bits_of(f->element) / 8;
	uint32_t mask = gather(w, in);
	struct exec_places p;

	if (whole_load(w, in, f, &r, mask))
		return;
	for (unsigned i = 0; mask && i < f->each; i++) {
		if (!find_elements(w, in, f, i, mask, 0, &p))
			return;
		for (unsigned l = 0; l < EXEC_LANES; l++) {
			uint64_t value = 0;

			if (!(mask >> l & 1))
				continue;
			memcpy(&value, p.lane[l], bytes);
			set(&r, l, i, value);
		}
	}
}

static void store_fragment(struct exec_warp *w, const struct exec_instruction *in,
			   const struct fragment *f)
{
	struct registers r = registers_of(w, in, 2, f->element);
	unsigned bytes = bits_of(f->element) / 8;
	uint32_t mask = gather(w, in);
	struct exec_places p;

	if (whole_store(w, in, f, &r, mask))
		return;
	for (unsigned i = 0; mask && i < f->each; i++) {
		if (!find_elements(w, in, f, i, mask, 1, &p))
			return;
		for (unsigned l = 0; l < EXEC_LANES; l++) {
			uint64_t value = mask >> l & 1 ? get(&r, l, i) : 0;

			if (mask >> l & 1)
				memcpy(p.lane[l], &value, bytes);
		}
		if (p.borrowed)
			exec_places_end(w, in, bytes, &p);
	}
}

#define MOVE(id, what, rows, columns, element, registers, width, by_columns, stride)              \
	static void id(struct exec_warp *w, const struct exec_instruction *in)                    \
	{                                                                                         \
		const struct fragment f = {                                                       \
			rows,	    columns, element, (registers) * (width)*8 / bits_of(element), \
			by_columns, stride,  1};                                                  \
		what(w, in, &f);                                                                  \
	}
#define FRAGMENT(id, which, rows, columns, pattern, element, registers, width)         \
	MOVE(load_##id, load_fragment, rows, columns, element, registers, width, 0, 2) \
	MOVE(load_##id##_col, load_fragment, rows, columns, element, registers, width, 1, 2)
#define SUM(id, rows, columns, pattern, element, registers, width)                       \
	FRAGMENT(id, "c", rows, columns, pattern, element, registers, width)             \
	MOVE(store_##id, store_fragment, rows, columns, element, registers, width, 0, 3) \
	MOVE(store_##id##_col, store_fragment, rows, columns, element, registers, width, 1, 3)
/* Neighbours along k share a word; a word is an element of rows of the first factor, and of columns
 * of the second one, which lie alike. */
#define PACKED(id, pattern, count)                                                    \
	static void load_##id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                             \
		static const struct fragment f = {8, 4, S32, 1, 0, 2, count};         \
		load_fragment(w, in, &f);                                             \
	}
#include "simulator/executor/operation/matrix.def"

static const struct exec_row rows[] = {
#define MMA(id, pattern, m, n, k, d, a, b, c, form)  {pattern, form, EXEC_DEMAND_FINITE, id},
#define WMMA(id, pattern, m, n, k, d, a, b, c, form) {pattern, form, EXEC_DEMAND_FINITE, id},
#define WGMMA(id, pattern, k, d, a, b, registers, flags)                                          \
	{"wgmma.mma_async.sync." pattern, "=#" registers " 8 8 p" flags, EXEC_DEMAND_FINITE, id}, \
		{"wgmma.mma_async.sync." pattern, "=#" registers " *44 8 p" flags,                \
		 EXEC_DEMAND_FINITE, id},
#define LOAD(which, order, pattern, count, width, id) \
	{"wmma.load." which ".sync." order "." pattern, "=*" #width #count " a ?4", 0, id},
#define STORE(order, pattern, count, width, id) \
	{"wmma.store.d.sync." order "." pattern, "_ a *" #width #count " ?4", 0, id},
#define FRAGMENT(id, which, rows, columns, pattern, element, count, width) \
	LOAD(which, "row", pattern, count, width, load_##id)               \
	LOAD(which, "col", pattern, count, width, load_##id##_col)
#define SUM(id, rows, columns, pattern, element, count, width)   \
	LOAD("c", "row", pattern, count, width, load_##id)       \
	LOAD("c", "col", pattern, count, width, load_##id##_col) \
	STORE("row", pattern, count, width, store_##id)          \
	STORE("col", pattern, count, width, store_##id##_col)
#define PACKED(id, pattern, count)                 \
	LOAD("a", "row", pattern, 1, 4, load_##id) \
	LOAD("b", "col", pattern, 1, 4, load_##id)
#include "simulator/executor/operation/matrix.def"
};

const struct exec_rows EXEC_LEVELED(exec_matrix_rows) = EXEC_ROWS(rows);
