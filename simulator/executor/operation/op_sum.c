/* Handlers of bulk copies of shared memory that add to what is there (cp.reduce.async.bulk). */
#include "simulator/executor/operation/mbarrier.h"
#include "simulator/executor/memory.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/operation/reduction.h"

#define PIECE_BYTES 16 /* places and sizes are multiples */

enum { TO = 1, FROM = 2, SIZE = 4, BARRIER = 5 }; /* slots */

/* One lane's. */
struct sum {
	struct exec_warp *w;
	const struct exec_instruction *in;
	unsigned lane;
	enum exec_reduction reduction;
};

static bool fail(const struct sum *s, enum exec_result result, uint64_t address)
{
	exec_fail(s->w, s->in, result, s->lane, address);
	return 0;
}

static bool sum_lane(struct sum *s, uint32_t size)
{
	unsigned each = sc_type_bits(s->in->type) / 8;
	uint64_t to = s->in->value + exec_address_in(s->w, s->in, TO, s->lane),
		 from = exec_second_address(s->w, s->in, FROM, s->lane);
	struct exec_places source, target;

	if (size % PIECE_BYTES || to % PIECE_BYTES || from % PIECE_BYTES)
		return fail(s, EXEC_MISALIGNED_ADDRESS, to);
	if (size > EXEC_BULK_MOST || !exec_is_reduction(s->reduction, s->in->type))
		return fail(s, EXEC_ILLEGAL_ADDRESS, to);
	for (uint32_t at = 0; at < size; at += each) {
		const char *a = exec_places_find_one(s->w, s->in, SC_SPACE_SHARED, s->lane,
						     from + at, each, EXEC_READ, &source);
		char *b = a ? exec_places_find_one(s->w, s->in, s->in->first_space, s->lane,
						   to + at, each, EXEC_ATOMIC, &target)
			    : NULL;

		if (!b)
			return 0;
		exec_reduce(b, a, s->reduction, s->in->type, 0);
		if (target.borrowed)
			exec_places_end(s->w, s->in, each, &target);
	}
	return 1;
}

static void sum(struct exec_warp *w, const struct exec_instruction *in, enum exec_reduction r)
{
	const uint32_t *size = exec_lanes(w, in->slot[SIZE]);
	uint32_t mask = exec_mask(w, in);

	for (unsigned l = 0; l < EXEC_LANES; l++) {
		struct sum s = {.w = w, .in = in, .lane = l, .reduction = r};

		if (!(mask >> l & 1))
			continue;
		if (!sum_lane(&s, size[l]))
			return;
		if (in->width[BARRIER] &&
		    !exec_mbarrier_complete(w, in, l, exec_second_address(w, in, BARRIER, l),
					    size[l]))
			return;
	}
}

#define EACH(name, id)                                                               \
	static void sum_##id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                            \
		sum(w, in, EXEC_REDUCTION_##name);                                   \
	}
EXEC_REDUCTIONS
#undef EACH

#define COUNTED			 "mbarrier::complete_tx::bytes"
#define SUM(how, form, id, type) {"cp.reduce.async.bulk." how "." #id type, form, 0, sum_##id},
#define SUMS(id, type)                            \
	SUM("bulk_group", "_ a b 4 ?x", id, type) \
	SUM(COUNTED, "_ a b 4 b", id, type)
#define EACH(name, id)       \
	SUMS(id, ".[usb]32") \
	SUMS(id, ".[usb]64") \
	SUMS(id, ".f32")     \
	SUMS(id, ".f64")     \
	SUMS(id, ".f16") SUMS(id, ".bf16") SUMS(id, ".noftz.f16") SUMS(id, ".noftz.bf16")

static const struct exec_row rows[] = {EXEC_REDUCTIONS};

const struct exec_rows exec_sum_rows = EXEC_ROWS(rows);
