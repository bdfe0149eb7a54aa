/* Handlers of asynchronous copies and of the barriers in shared memory that count them (mbarrier).
 *
 * A copy is complete at once, which is one of the orders that a device may choose: so waiting for
 * groups of copies does nothing (but shared memory is watched for what nobody waited for), and a
 * bulk copy's bytes are counted right after it.
 */
#include "simulator/executor/operation/mbarrier.h"
#include "simulator/executor/memory.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/watch.h"

/* ---- copies ---- */

/* Slots of a copy: from where it reads has its offset in a slot, too. */
enum { TO = 1, FROM = 2, FROM_OFFSET = 3, SIZE = 4, LIMIT = 5, BARRIER = 5, BLOCKS = 7 };

#define PIECE_BYTES 16

uint64_t exec_address_in(const struct exec_warp *w, const struct exec_instruction *in,
			 unsigned slot, unsigned lane)
{
	const void *at = exec_lanes(w, in->slot[slot]);

	return in->width[slot] == 8 ? ((const uint64_t *)at)[lane] : ((const uint32_t *)at)[lane];
}

uint64_t exec_second_address(const struct exec_warp *w, const struct exec_instruction *in,
			     unsigned slot, unsigned lane)
{
	const uint64_t *offset = exec_lanes(w, in->slot[slot + 1]);

	return exec_address_in(w, in, slot, lane) + *offset;
}

struct copy {
	unsigned lane;
	uint64_t to, from;
	unsigned bytes; /* of a piece */
};

/* One piece; false: the launch has failed. */
static bool copy_piece(struct exec_warp *w, const struct exec_instruction *in, const struct copy *c)
{
	struct exec_places source, target;
	const char *from = exec_places_find_one(w, in, in->space, c->lane, c->from, c->bytes,
						EXEC_READ, &source);
	char *to = from ? exec_places_find_one(w, in, in->first_space, c->lane, c->to, c->bytes,
					       EXEC_WRITE, &target)
			: NULL;

	if (!to)
		return 0;
	memmove(to, from, c->bytes);
	if (target.borrowed)
		exec_places_end(w, in, c->bytes, &target);
	return 1;
}

/* Zeros after what was copied. */
static bool clear_piece(struct exec_warp *w, const struct exec_instruction *in,
			const struct copy *c)
{
	struct exec_places target;
	char *to = exec_places_find_one(w, in, in->first_space, c->lane, c->to, c->bytes,
					EXEC_WRITE, &target);

	if (to)
		memset(to, 0, c->bytes);
	return to != NULL;
}

/* `size` bytes, of which `limit` are read and the others are zero. */
static bool copy_lane(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
		      unsigned size, unsigned limit)
{
	struct copy c = {lane, exec_address_in(w, in, TO, lane) + in->value,
			 exec_second_address(w, in, FROM, lane), 1};

	for (unsigned i = 0; i < size; i++, c.to++, c.from++)
		if (i < limit ? !copy_piece(w, in, &c) : !clear_piece(w, in, &c))
			return 0;
	return 1;
}

/* The lanes of `mask`, each all of its bytes; false: the launch has failed. */
static bool copy_lanes(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		       unsigned size)
{
	struct exec_places source, target;
	struct exec_instruction writes = *in;

	writes.space = in->first_space;
	for (unsigned l = 0; l < EXEC_LANES; l++) {
		unsigned lane = mask >> l & 1 ? l : (unsigned)__builtin_ctz(mask);

		source.address[l] = exec_second_address(w, in, FROM, lane);
		target.address[l] = exec_address_in(w, in, TO, lane) + in->value;
	}
	if (!exec_places_find_at(w, in, mask, size, EXEC_READ, &source) ||
	    !exec_places_find_at(w, &writes, mask, size, EXEC_WRITE, &target))
		return 0;
	for (; mask; mask &= mask - 1) {
		unsigned l = (unsigned)__builtin_ctz(mask);

		memmove(target.lane[l], source.lane[l], size);
	}
	if (target.borrowed)
		exec_places_end(w, &writes, size, &target);
	return 1;
}

/* Lanes that copy fewer bytes than the others, and fill up with zeros; none where ignored. */
static void copy_parts(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		       const uint32_t *limit, uint32_t ignored)
{
	uint32_t size = *(const uint32_t *)exec_lanes(w, in->slot[SIZE]);

	for (; mask; mask &= mask - 1) {
		unsigned l = (unsigned)__builtin_ctz(mask);

		if (!copy_lane(w, in, l, size, ignored >> l & 1 ? 0 : limit[l]))
			return;
	}
}

/* Lanes that copy all of their bytes. */
static uint32_t whole_lanes(const uint32_t *limit, uint32_t size)
{
	uint32_t lanes = 0;

	for (unsigned l = 0; l < EXEC_LANES; l++)
		lanes |= (uint32_t)(limit[l] >= size) << l;
	return lanes;
}

/* cp.async of 4, 8 or 16 bytes a lane; of as many as the last operand says, if there is one. */
static void copy(struct exec_warp *w, const struct exec_instruction *in, bool has_predicate)
{
	const uint32_t *size = exec_lanes(w, in->slot[SIZE]);
	const uint32_t *limit =
		in->width[LIMIT] && !has_predicate ? exec_lanes(w, in->slot[LIMIT]) : size;
	uint32_t mask = exec_mask(w, in), ignored, whole;

	if (!mask)
		return;
	if (*size != 4 && *size != 8 && *size != PIECE_BYTES) {
		exec_fail(w, in, EXEC_TRAP, (unsigned)__builtin_ctz(mask), 0);
		return;
	}
	ignored = has_predicate ? exec_predicate(w, in, LIMIT) : 0;
	whole = mask & ~ignored & whole_lanes(limit, *size);
	exec_watch_copies(w, 1);
	if (!whole || copy_lanes(w, in, whole, *size))
		copy_parts(w, in, mask & ~whole, limit, ignored);
	exec_watch_copies(w, 0);
}

static void copy_some(struct exec_warp *w, const struct exec_instruction *in)
{
	copy(w, in, 0);
}

static void copy_unless(struct exec_warp *w, const struct exec_instruction *in)
{
	copy(w, in, 1);
}

static void commit(struct exec_warp *w, const struct exec_instruction *in)
{
	exec_watch_commit(w, exec_mask(w, in));
}

static void wait_group(struct exec_warp *w, const struct exec_instruction *in)
{
	exec_watch_wait(w, exec_mask(w, in), in->value, 0);
}

static void wait_all(struct exec_warp *w, const struct exec_instruction *in)
{
	exec_watch_wait(w, exec_mask(w, in), 0, 1);
}

static void nothing(struct exec_warp *w, const struct exec_instruction *in)
{
	(void)w;
	(void)in;
}

/* ---- barriers in shared memory ---- */

/* The 64 bits of a barrier. A phase ends when no arrival and no byte is missing. */
struct mbarrier {
	uint64_t pending : 20;	/* arrivals that are missing */
	uint64_t expected : 20; /* of the next phase */
	uint64_t bytes : 21;	/* that are missing, modulo 2^21 */
	uint64_t phase : 3;
};

static struct mbarrier unpacked(uint64_t bits)
{
	struct mbarrier b;

	memcpy(&b, &bits, sizeof(b));
	return b;
}

static uint64_t packed(struct mbarrier b)
{
	uint64_t bits;

	memcpy(&bits, &b, sizeof(bits));
	return bits;
}

static void end_phase_if_complete(struct mbarrier *b)
{
	if (b->pending || b->bytes)
		return;
	b->phase++;
	b->pending = b->expected;
}

/* What an instruction does to a barrier, for one lane; `bits` is what it gives. */
typedef void operation(struct mbarrier *b, uint64_t operand, uint64_t *bits);

static void init(struct mbarrier *b, uint64_t count, uint64_t *bits)
{
	(void)bits;
	*b = (struct mbarrier){.pending = count & 0xFFFFF, .expected = count & 0xFFFFF};
}

static void invalidate(struct mbarrier *b, uint64_t unused, uint64_t *bits)
{
	(void)unused;
	(void)bits;
	*b = (struct mbarrier){0};
}

static void arrive(struct mbarrier *b, uint64_t count, uint64_t *bits)
{
	*bits = packed(*b);
	b->pending -= count & 0xFFFFF;
	end_phase_if_complete(b);
}

/* One more arrival is expected, and comes at once: that of copies, which are complete. */
static void follow(struct mbarrier *b, uint64_t unused, uint64_t *bits)
{
	(void)b;
	(void)unused;
	(void)bits;
}

static void arrive_and_drop(struct mbarrier *b, uint64_t count, uint64_t *bits)
{
	b->expected -= count & 0xFFFFF;
	arrive(b, count, bits);
}

static void expect(struct mbarrier *b, uint64_t bytes, uint64_t *bits)
{
	(void)bits;
	b->bytes += bytes & 0x1FFFFF;
}

static void complete(struct mbarrier *b, uint64_t bytes, uint64_t *bits)
{
	(void)bits;
	b->bytes -= bytes & 0x1FFFFF;
	end_phase_if_complete(b);
}

static void expect_and_arrive(struct mbarrier *b, uint64_t bytes, uint64_t *bits)
{
	expect(b, bytes, bits);
	arrive(b, 1, bits);
}

static void expect_and_drop(struct mbarrier *b, uint64_t bytes, uint64_t *bits)
{
	expect(b, bytes, bits);
	arrive_and_drop(b, 1, bits);
}

/* Has the phase ended in which this state was given, or the last one of this parity? */
static void is_over(struct mbarrier *b, uint64_t state, uint64_t *bits)
{
	*bits = unpacked(state).phase != b->phase;
}

static void is_parity_over(struct mbarrier *b, uint64_t parity, uint64_t *bits)
{
	*bits = (b->phase & 1) != (parity & 1);
}

/* Operates on the barrier at an address; false: the launch has failed. */
static bool operate(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
		    uint64_t address, operation *op, uint64_t operand, uint64_t *bits)
{
	struct exec_places p;
	unsigned space = in->space == SC_SPACE_GENERIC ? SC_SPACE_GENERIC : SC_SPACE_SHARED;
	char *at = exec_places_find_one(w, in, space, lane, address, sizeof(struct mbarrier),
					EXEC_ATOMIC, &p);
	struct mbarrier b;

	if (!at)
		return 0;
	memcpy(&b, at, sizeof(b));
	op(&b, operand, bits);
	memcpy(at, &b, sizeof(b));
	return 1;
}

bool exec_mbarrier_complete(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
			    uint64_t address, uint64_t bytes)
{
	uint64_t unused;

	exec_watch_bulk_counted(w, address);
	return operate(w, in, lane, address, complete, bytes, &unused);
}

/* One lane after the other; `missing` is the operand if there is none. */
static bool operate_all(struct exec_warp *w, const struct exec_instruction *in, operation *op,
			uint64_t missing, uint64_t *out)
{
	uint32_t mask = exec_mask(w, in);

	for (unsigned l = 0; l < EXEC_LANES; l++) {
		uint64_t operand = in->width[2] ? exec_address_in(w, in, 2, l) : missing;

		out[l] = 0;
		if (mask >> l & 1 && !operate(w, in, l, exec_address_in(w, in, 1, l) + in->value,
					      op, operand, &out[l]))
			return 0;
	}
	return 1;
}

#define STATE(id, op)                                                                    \
	static void id(struct exec_warp *w, const struct exec_instruction *in)           \
	{                                                                                \
		uint64_t out[EXEC_LANES];                                                \
		if (operate_all(w, in, op, 1, out))                                      \
			exec_keep(exec_lanes(w, in->slot[0]), out, 8, exec_mask(w, in)); \
	}
STATE(barrier_init, init)
STATE(barrier_inval, invalidate)
STATE(barrier_arrive, arrive)
STATE(barrier_drop, arrive_and_drop)
STATE(barrier_expect, expect)
STATE(barrier_complete, complete)
STATE(barrier_expect_arrive, expect_and_arrive)
STATE(barrier_expect_drop, expect_and_drop)

/* Who waits at the barrier has waited for the copies before. */
static void copies_arrive(struct exec_warp *w, const struct exec_instruction *in)
{
	uint64_t unused[EXEC_LANES];

	wait_all(w, in);
	operate_all(w, in, follow, 1, unused);
}

static void copies_arrive_counted(struct exec_warp *w, const struct exec_instruction *in)
{
	wait_all(w, in);
	barrier_arrive(w, in);
}

static void wait_with(struct exec_warp *w, const struct exec_instruction *in, operation *op)
{
	uint64_t out[EXEC_LANES];
	uint32_t bits = 0;

	w->polls = 1;
	if (!operate_all(w, in, op, 0, out))
		return;
	for (unsigned l = 0; l < EXEC_LANES; l++) {
		bits |= out[l] ? UINT32_C(1) << l : 0;
		if (out[l])
			exec_watch_bulk_wait(w, exec_address_in(w, in, 1, l) + in->value);
	}
	exec_set_predicate(w, in->slot[0], exec_mask(w, in), bits);
}

static void barrier_wait(struct exec_warp *w, const struct exec_instruction *in)
{
	wait_with(w, in, is_over);
}

static void barrier_wait_parity(struct exec_warp *w, const struct exec_instruction *in)
{
	wait_with(w, in, is_parity_over);
}

static void barrier_pending(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint64_t *state = exec_lanes(w, in->slot[1]);
	uint32_t mask = exec_mask(w, in);

	EXEC_WRITE(uint32_t, mask, unpacked(state[i]).pending);
}

/* ---- bulk copies ---- */

/* To the block's own shared memory, or to that of another one. */
static bool copy_bulk(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
		      uint64_t to)
{
	const uint32_t *size = exec_lanes(w, in->slot[SIZE]);
	struct copy c = {lane, to, exec_second_address(w, in, FROM, lane), PIECE_BYTES};

	if (size[lane] % PIECE_BYTES) {
		exec_fail(w, in, EXEC_MISALIGNED_ADDRESS, lane, c.to);
		return 0;
	}
	if (size[lane] > EXEC_BULK_MOST) {
		exec_fail(w, in, EXEC_ILLEGAL_ADDRESS, lane, c.to);
		return 0;
	}
	for (uint32_t at = 0; at < size[lane]; at += PIECE_BYTES) {
		if (!copy_piece(w, in, &c))
			return 0;
		c.to += PIECE_BYTES;
		c.from += PIECE_BYTES;
	}
	return 1;
}

static void bulk_in_group(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t mask = exec_mask(w, in);

	for (unsigned l = 0; l < EXEC_LANES; l++)
		if (mask >> l & 1 &&
		    !copy_bulk(w, in, l, exec_address_in(w, in, TO, l) + in->value))
			return;
}

static bool copy_counted(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
			 uint64_t to, uint64_t barrier)
{
	const uint32_t *size = exec_lanes(w, in->slot[SIZE]);

	exec_watch_bulk(w);
	return copy_bulk(w, in, lane, to) &&
	       exec_mbarrier_complete(w, in, lane, barrier, size[lane]);
}

static void bulk_counted(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t mask = exec_mask(w, in);

	for (unsigned l = 0; l < EXEC_LANES; l++)
		if (mask >> l & 1 &&
		    !copy_counted(w, in, l, exec_address_in(w, in, TO, l) + in->value,
				  exec_second_address(w, in, BARRIER, l)))
			return;
}

/* To the same place of the shared memory of each block whose bit is set, and its barrier. */
static void bulk_to_many(struct exec_warp *w, const struct exec_instruction *in)
{
	const uint16_t *blocks = exec_lanes(w, in->slot[BLOCKS]);
	uint32_t mask = exec_mask(w, in);

	for (unsigned l = 0; l < EXEC_LANES; l++) {
		uint32_t to = (uint32_t)(exec_address_in(w, in, TO, l) + in->value);
		uint32_t barrier = (uint32_t)exec_second_address(w, in, BARRIER, l);

		for (unsigned rank = 0; mask >> l & 1 && rank < EXEC_CLUSTER_MOST; rank++)
			if (blocks[l] >> rank & 1 &&
			    !copy_counted(w, in, l, exec_address_with_rank(to, rank),
					  exec_address_with_rank(barrier, rank)))
				return;
	}
}

/* Caches do not show, so a policy for them says nothing. */
static void no_policy(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t mask = exec_mask(w, in);

	EXEC_WRITE(uint64_t, mask, 0);
}

static const struct exec_row rows[] = {
	{"cp.async", "_ a b 4 ?4 x", 0, copy_some},
	{"cp.async", "_ a b 4 p ?x", 0, copy_unless},
	{"cp.async", "_ a b 4 x", 0, copy_some},
	{"cp.async.commit_group", "", 0, commit},
	{"cp.async.wait_group", "i", 0, wait_group},
	{"cp.async.wait_all", "", 0, wait_all},
	{"cp.async.mbarrier.arrive.b64", "_ a", 0, copies_arrive},
	{"cp.async.mbarrier.arrive.noinc.b64", "_ a", 0, copies_arrive_counted},
	{"cp.async.bulk.mbarrier::complete_tx::bytes", "_ a b 4 b ?x", 0, bulk_counted},
	{"cp.async.bulk.mbarrier::complete_tx::bytes.multicast::cluster", "_ a b 4 b 2 ?x", 0,
	 bulk_to_many},
	{"cp.async.bulk.bulk_group", "_ a b 4 ?x", 0, bulk_in_group},
	{"cp.async.bulk.commit_group", "", 0, nothing},
	{"cp.async.bulk.wait_group", "i", 0, nothing},
	{"cp.async.bulk.wait_group.read", "i", 0, nothing},
	{"cp.async.bulk.prefetch.L2", "_ a 4 ?x", 0, nothing},
	{"mbarrier.init.b64", "_ a 4", 0, barrier_init},
	{"mbarrier.inval.b64", "_ a", 0, barrier_inval},
	{"mbarrier.arrive.b64", "=8 a ?4", 0, barrier_arrive},
	{"mbarrier.arrive.noComplete.b64", "=8 a 4", 0, barrier_arrive},
	{"mbarrier.arrive.expect_tx.b64", "=8 a 4", 0, barrier_expect_arrive},
	{"mbarrier.arrive_drop.b64", "=8 a ?4", 0, barrier_drop},
	{"mbarrier.arrive_drop.noComplete.b64", "=8 a 4", 0, barrier_drop},
	{"mbarrier.arrive_drop.expect_tx.b64", "=8 a 4", 0, barrier_expect_drop},
	{"mbarrier.expect_tx.b64", "_ a 4", 0, barrier_expect},
	{"mbarrier.complete_tx.b64", "_ a 4", 0, barrier_complete},
	{"mbarrier.test_wait.b64", "=p a 8", 0, barrier_wait},
	{"mbarrier.try_wait.b64", "=p a 8 ?x", 0, barrier_wait},
	{"mbarrier.test_wait.parity.b64", "=p a 4", 0, barrier_wait_parity},
	{"mbarrier.try_wait.parity.b64", "=p a 4 ?x", 0, barrier_wait_parity},
	{"mbarrier.pending_count.b64", "=4 8", 0, barrier_pending},
	{"prefetch.L[12]", "_ a", 0, nothing},
	{"prefetch", "_ a", 0, nothing},
	{"prefetch.L1::32B.valid_addr", "_ a", 0, nothing},
	{"prefetchu.L1", "_ a", 0, nothing},
	{"discard.L2", "_ a i", 0, nothing},
	{"applypriority", "_ a i", 0, nothing},
	{"createpolicy.fractional.b64", "=8 ?x", 0, no_policy},
	{"createpolicy.range.b64", "=8 x x x", 0, no_policy},
	{"createpolicy.cvt.L2.b64", "=8 x", 0, no_policy},
	{"fence.proxy.async", "", 0, nothing},
	{"fence.proxy.async::generic", "", 0, nothing},
	{"fence.proxy.tensormap::generic", "", 0, nothing},
	{"fence.proxy.tensormap::generic", "_ a i", 0, nothing},
	{"fence.proxy.alias", "", 0, nothing},
	{"fence.alias.sync_restrict::read", "", 0, nothing},
	{"membar.proxy.alias", "", 0, nothing},
	{"fence.mbarrier_init", "", 0, nothing},
};

const struct exec_rows exec_async_rows = EXEC_ROWS(rows);
