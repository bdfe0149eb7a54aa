/* Handlers of instructions in which the lanes of a warp take part together, and of clocks. */
#include <time.h>

#include "simulator/executor/operation/operation.h"
#include "simulator/executor/path.h"

/* The lanes that take part when all of their masks in that slot are there; 0: the path waits. */
static uint32_t gather(struct exec_warp *w, const struct exec_instruction *in, unsigned k)
{
	uint32_t mask = exec_mask(w, in);

	return mask ? exec_path_gather(w, in, mask, exec_lanes(w, in->slot[k])) : 0;
}

typedef void collective(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask);

/* Lanes with one mask are a group. Tiles of a warp have a mask each, and execute together. */
static void in_groups(struct exec_warp *w, const struct exec_instruction *in, unsigned k,
		      collective *run)
{
	const uint32_t *members = exec_lanes(w, in->slot[k]);
	uint32_t left = gather(w, in, k);

	while (left) {
		uint32_t first = members[__builtin_ctz(left)], group = 0;

		for (unsigned i = 0; i < EXEC_LANES; i++)
			group |= members[i] == first ? UINT32_C(1) << i : 0;
		group &= left;
		left &= ~group;
		run(w, in, group);
	}
}

#define IN_GROUPS(id, k)                                                       \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		in_groups(w, in, k, id##_of);                                  \
	}
#define COLLECTIVE(id) \
	static void id##_of(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask)

/* For shfl.up the clamp is the first lane of the segment. */
static uint32_t lane_up(uint32_t lane, uint32_t b, uint32_t first, uint32_t last, bool *is_inside)
{
	*is_inside = lane >= b && lane - b >= last;
	(void)first;
	return lane - b;
}

static uint32_t lane_down(uint32_t lane, uint32_t b, uint32_t first, uint32_t last, bool *is_inside)
{
	*is_inside = lane + b <= last;
	(void)first;
	return lane + b;
}

static uint32_t lane_bfly(uint32_t lane, uint32_t b, uint32_t first, uint32_t last, bool *is_inside)
{
	*is_inside = (lane ^ b) <= last;
	(void)first;
	return lane ^ b;
}

/* The lane's number inside of the segment: its bits above are those of the segment. */
static uint32_t lane_idx(uint32_t lane, uint32_t b, uint32_t first, uint32_t last, bool *is_inside)
{
	(void)lane;
	*is_inside = (first | b) <= last;
	return first | b;
}

/* shfl: from which lane each lane reads; a bit of *inside for each that has one to read from. */
static void shuffle(struct exec_warp *w, const struct exec_instruction *in,
		    uint32_t (*lane_of)(uint32_t lane, uint32_t b, uint32_t first, uint32_t last,
					bool *is_inside))
{
	uint32_t mask = gather(w, in, 4), inside = 0, out[EXEC_LANES];
	const uint32_t *a = exec_lanes(w, in->slot[1]), *b = exec_lanes(w, in->slot[2]);
	const uint32_t *c = exec_lanes(w, in->slot[3]);

	for (uint32_t i = 0; mask && i < EXEC_LANES; i++) {
		uint32_t segment = c[i] >> 8 & 31, first = i & segment, from;
		uint32_t last = first | (c[i] & 31 & ~segment), at = b[i] & 31;
		bool is_inside = 0;

		from = lane_of(i, lane_of == lane_idx ? at & ~segment : at, first, last,
			       &is_inside);
		out[i] = a[is_inside ? from & 31 : i];
		inside |= is_inside ? UINT32_C(1) << i : 0;
	}
	if (!mask)
		return;
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), mask);
	if (in->slot[EXEC_SLOTS - 1] != EXEC_SLOT_SINK)
		exec_set_predicate(w, in->slot[EXEC_SLOTS - 1], mask, inside);
}

static void shfl_up(struct exec_warp *w, const struct exec_instruction *in)
{
	shuffle(w, in, lane_up);
}

static void shfl_down(struct exec_warp *w, const struct exec_instruction *in)
{
	shuffle(w, in, lane_down);
}

static void shfl_bfly(struct exec_warp *w, const struct exec_instruction *in)
{
	shuffle(w, in, lane_bfly);
}

static void shfl_idx(struct exec_warp *w, const struct exec_instruction *in)
{
	shuffle(w, in, lane_idx);
}

#define VOTE(id, value)                                                           \
	COLLECTIVE(id)                                                            \
	{                                                                         \
		uint32_t p = exec_predicate(w, in, 1) & mask;                     \
		exec_set_predicate(w, in->slot[0], mask, (value) ? EXEC_ALL : 0); \
	}                                                                         \
	IN_GROUPS(id, 2)
VOTE(vote_all, p == mask)
VOTE(vote_any, p != 0)
VOTE(vote_uni, p == mask || !p)

COLLECTIVE(vote_ballot)
{
	uint32_t p = exec_predicate(w, in, 1) & mask;

	EXEC_WRITE(uint32_t, mask, p);
}
IN_GROUPS(vote_ballot, 2)

static void active_mask(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t mask = exec_mask(w, in);

	EXEC_WRITE(uint32_t, mask, w->active);
}

static void warp_sync(struct exec_warp *w, const struct exec_instruction *in)
{
	gather(w, in, 1);
}

#define REDUX(id, T, value)                                                               \
	COLLECTIVE(id)                                                                    \
	{                                                                                 \
		const T *a = exec_lanes(w, in->slot[1]);                                  \
		T all = a[__builtin_ctz(mask)];                                           \
		for (unsigned i = (unsigned)__builtin_ctz(mask) + 1; i < EXEC_LANES; i++) \
			if (mask >> i & 1) {                                              \
				T b = a[i];                                               \
				all = (value);                                            \
			}                                                                 \
		EXEC_WRITE(T, mask, all);                                                 \
	}                                                                                 \
	IN_GROUPS(id, 2)
REDUX(redux_add, uint32_t, all + b)
REDUX(redux_and, uint32_t, all &b)
REDUX(redux_or, uint32_t, all | b)
REDUX(redux_xor, uint32_t, all ^ b)
REDUX(redux_min_u, uint32_t, b < all ? b : all)
REDUX(redux_max_u, uint32_t, b > all ? b : all)
REDUX(redux_min_s, int32_t, b < all ? b : all)
REDUX(redux_max_s, int32_t, b > all ? b : all)

#define MATCH_ANY(id, T)                                                                \
	COLLECTIVE(id)                                                                  \
	{                                                                               \
		uint32_t out[EXEC_LANES] = {0};                                         \
		const T *a = exec_lanes(w, in->slot[1]);                                \
		for (unsigned i = 0; i < EXEC_LANES; i++)                               \
			for (unsigned k = 0; k < EXEC_LANES; k++)                       \
				out[i] |= a[i] == a[k] ? (UINT32_C(1) << k) & mask : 0; \
		exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), mask);         \
	}                                                                               \
	IN_GROUPS(id, 2)
MATCH_ANY(match_any_32, uint32_t)
MATCH_ANY(match_any_64, uint64_t)

/* The whole mask if all have one value, else nothing; and whether they have. */
#define MATCH_ALL(id, T)                                                      \
	COLLECTIVE(id)                                                        \
	{                                                                     \
		uint32_t same = mask;                                         \
		const T *a = exec_lanes(w, in->slot[1]);                      \
		for (unsigned i = 0; i < EXEC_LANES; i++)                     \
			if (mask >> i & 1 && a[i] != a[__builtin_ctz(mask)])  \
				same = 0;                                     \
		EXEC_WRITE(uint32_t, mask, same);                             \
		if (in->slot[EXEC_SLOTS - 1] != EXEC_SLOT_SINK)               \
			exec_set_predicate(w, in->slot[EXEC_SLOTS - 1], mask, \
					   same ? EXEC_ALL : 0);              \
	}                                                                     \
	IN_GROUPS(id, 2)
MATCH_ALL(match_all_32, uint32_t)
MATCH_ALL(match_all_64, uint64_t)

/* The first of the lanes leads. */
COLLECTIVE(elect)
{
	uint32_t leader = (uint32_t)__builtin_ctz(mask);

	EXEC_WRITE(uint32_t, mask, leader);
	if (in->slot[EXEC_SLOTS - 1] != EXEC_SLOT_SINK)
		exec_set_predicate(w, in->slot[EXEC_SLOTS - 1], mask, UINT32_C(1) << leader);
}
IN_GROUPS(elect, 1)

static uint64_t now(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

/* A device's clock of 1 GHz. */
#define CLOCK(id, T, clock, shift)                                             \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		uint64_t value = now(clock) >> (shift);                        \
		uint32_t mask = exec_mask(w, in);                              \
		w->polls = 1; /* who looks at the clock in a loop waits */     \
		EXEC_WRITE(T, mask, value);                                    \
	}
CLOCK(clock_32, uint32_t, CLOCK_MONOTONIC, 0)
CLOCK(clock_high, uint32_t, CLOCK_MONOTONIC, 32)
CLOCK(clock_64, uint64_t, CLOCK_MONOTONIC, 0)
CLOCK(timer_low, uint32_t, CLOCK_REALTIME, 0)
CLOCK(timer_high, uint32_t, CLOCK_REALTIME, 32)
CLOCK(timer_64, uint64_t, CLOCK_REALTIME, 0)

#define GRID(id, T)                                                            \
	static void id(struct exec_warp *w, const struct exec_instruction *in) \
	{                                                                      \
		uint32_t mask = exec_mask(w, in);                              \
		EXEC_WRITE(T, mask, w->run->launch->grid_number);              \
	}
GRID(grid_32, uint32_t)
GRID(grid_64, uint64_t)

static const struct exec_row rows[] = {
	{"shfl.sync.up.b32", "=s 4 4 4 4", 0, shfl_up},
	{"shfl.sync.down.b32", "=s 4 4 4 4", 0, shfl_down},
	{"shfl.sync.bfly.b32", "=s 4 4 4 4", 0, shfl_bfly},
	{"shfl.sync.idx.b32", "=s 4 4 4 4", 0, shfl_idx},
	{"vote.sync.all.pred", "=p p 4", 0, vote_all},
	{"vote.sync.any.pred", "=p p 4", 0, vote_any},
	{"vote.sync.uni.pred", "=p p 4", 0, vote_uni},
	{"vote.sync.ballot.b32", "=4 p 4", 0, vote_ballot},
	/* As ptxas takes it too; CUB writes it so. */
	{"vote.all.sync.pred", "=p p 4", 0, vote_all},
	{"vote.any.sync.pred", "=p p 4", 0, vote_any},
	{"vote.uni.sync.pred", "=p p 4", 0, vote_uni},
	{"vote.ballot.sync.b32", "=4 p 4", 0, vote_ballot},
	{"activemask.b32", "=4", 0, active_mask},
	{"bar.warp.sync", "_ 4", 0, warp_sync},
	{"redux.sync.add.[us]32", "=4 4 4", 0, redux_add},
	{"redux.sync.and.b32", "=4 4 4", 0, redux_and},
	{"redux.sync.or.b32", "=4 4 4", 0, redux_or},
	{"redux.sync.xor.b32", "=4 4 4", 0, redux_xor},
	{"redux.sync.min.u32", "=4 4 4", 0, redux_min_u},
	{"redux.sync.max.u32", "=4 4 4", 0, redux_max_u},
	{"redux.sync.min.s32", "=4 4 4", 0, redux_min_s},
	{"redux.sync.max.s32", "=4 4 4", 0, redux_max_s},
	{"match.any.sync.b32", "=4 4 4", 0, match_any_32},
	{"match.any.sync.b64", "=4 8 4", 0, match_any_64},
	{"match.all.sync.b32", "=s 4 4", 0, match_all_32},
	{"match.all.sync.b64", "=s 8 4", 0, match_all_64},
	{"elect.sync", "=s 4", 0, elect},
	{"mov.[ub]32.%clock", "=4 x", 0, clock_32},
	{"mov.[ub]32.%clock_hi", "=4 x", 0, clock_high},
	{"mov.[ub]64.%clock64", "=8 x", 0, clock_64},
	{"mov.[ub]32.%globaltimer_lo", "=4 x", 0, timer_low},
	{"mov.[ub]32.%globaltimer_hi", "=4 x", 0, timer_high},
	{"mov.[ub]64.%globaltimer", "=8 x", 0, timer_64},
	{"mov.[ub]32.%gridid", "=4 x", 0, grid_32},
	{"mov.[ub]64.%gridid", "=8 x", 0, grid_64},
};

const struct exec_rows exec_warp_rows = EXEC_ROWS(rows);
