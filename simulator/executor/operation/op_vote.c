/* Handlers of barriers in which the threads vote (bar.red). */
#include "simulator/executor/barrier.h"
#include "simulator/executor/operation/operation.h"

static void give_count(struct exec_warp *w, const struct exec_instruction *in, uint32_t lanes,
		       uint32_t for_it, uint32_t all)
{
	(void)all;
	EXEC_WRITE(uint32_t, lanes, for_it);
}

static void give_all(struct exec_warp *w, const struct exec_instruction *in, uint32_t lanes,
		     uint32_t for_it, uint32_t all)
{
	exec_set_predicate(w, in->slot[0], lanes, for_it == all ? EXEC_ALL : 0);
}

static void give_any(struct exec_warp *w, const struct exec_instruction *in, uint32_t lanes,
		     uint32_t for_it, uint32_t all)
{
	(void)all;
	exec_set_predicate(w, in->slot[0], lanes, for_it ? EXEC_ALL : 0);
}

/* The predicate is the last operand; before it may stand how many threads take part. */
static void vote(struct exec_warp *w, const struct exec_instruction *in, unsigned predicate,
		 exec_deliver *deliver)
{
	uint32_t lanes = exec_mask(w, in), first;
	const uint32_t *barrier = exec_lanes(w, in->slot[1]);
	const uint32_t *expected = predicate == 3 ? exec_lanes(w, in->slot[2]) : NULL;

	if (!lanes)
		return;
	first = (uint32_t)__builtin_ctz(lanes);
	exec_barrier_vote(w, in, barrier[first] % EXEC_BARRIERS, lanes,
			  expected ? expected[first] : 0, exec_predicate(w, in, predicate),
			  deliver);
}

#define VOTE(id, deliver)                                                           \
	static void id(struct exec_warp *w, const struct exec_instruction *in)      \
	{                                                                           \
		vote(w, in, 2, deliver);                                            \
	}                                                                           \
	static void id##_of(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                           \
		vote(w, in, 3, deliver);                                            \
	}
VOTE(count, give_count)
VOTE(all, give_all)
VOTE(any, give_any)

static const struct exec_row rows[] = {
#define ROWS(op)                                                                                 \
	{op ".red.popc.u32", "=4 4 p", 0, count}, {op ".red.popc.u32", "=4 4 4 p", 0, count_of}, \
		{op ".red.and.pred", "=p 4 p", 0, all},                                          \
		{op ".red.and.pred", "=p 4 4 p", 0, all_of},                                     \
		{op ".red.or.pred", "=p 4 p", 0, any}, {op ".red.or.pred", "=p 4 4 p", 0, any_of},
	ROWS("bar") ROWS("barrier")};

const struct exec_rows exec_vote_rows = EXEC_ROWS(rows);
