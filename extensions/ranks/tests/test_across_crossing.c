/* Operations of NCCL in different orders, against the naive form: all queues are played until
 * nothing moves; and what a thousand ranks cost. */
#include "extensions/ranks/across/crossing.h"
#include "extensions/ranks/tests/story.h"

#define GROUPS	   4 /* all; 0 and 1; 1 and 2; 2 and 0 */
#define FIRST	   UINT64_C(70)
#define CALLS_MOST 8
#define TRIES	   4000

static struct sc_crossing crossing;
static uint64_t numbers[RANKS][GROUPS];

/* + 1; 0: the process is not in the group. */
static uint32_t rank_in(unsigned process, unsigned group)
{
	if (!group)
		return process + 1;
	if (process == group - 1)
		return 1;
	return process == group % RANKS ? 2 : 0;
}

static struct sc_across_event *message(unsigned process, unsigned group, enum sc_message kind,
				       enum call call)
{
	return enqueue_message(process, kind, FIRST + group, rank_in(process, group) - 1, call);
}

static struct sc_across_event *to_peer(unsigned process, enum sc_message kind, unsigned peer)
{
	struct sc_across_event *e =
		message(process, 0, kind, kind == SC_MESSAGE_SEND ? NCCL_SEND : NCCL_RECEIVE);

	e->peer = peer + 1;
	e->tag = 1;
	return e;
}

static void take(unsigned process, const struct sc_across_event *e)
{
	sc_match_take(&story.match, process, e);
	sc_crossing_take(&crossing, process, e);
}

static void finish(void)
{
	sc_crossing_fini(&crossing);
	finish_match();
}

/* ---- the naive form ---- */

/* One operation of a process: a collective, or a side of a message. */
struct naive_call {
	unsigned group, number, turn;
	int from, to; /* -1: a collective */
};

static struct {
	struct naive_call call[RANKS][CALLS_MOST];
	unsigned count[RANKS], sent[RANKS][RANKS], received[RANKS][RANKS];
	bool is_gone[RANKS][CALLS_MOST];
} naive;

static bool is_same(const struct naive_call *a, const struct naive_call *b)
{
	return a->group == b->group && a->number == b->number && a->from == b->from &&
	       a->to == b->to;
}

static bool is_ahead(unsigned process, unsigned at)
{
	const struct naive_call *x = &naive.call[process][at];

	for (unsigned i = 0; i < at; i++) {
		const struct naive_call *y = &naive.call[process][i];

		if (!naive.is_gone[process][i] && (y->turn != x->turn || y->group != x->group))
			return 0;
	}
	return 1;
}

/* All of the meeting is at the heads; and lets it happen. */
static bool is_met(const struct naive_call *x)
{
	unsigned found = 0, expected = x->from < 0 && !x->group ? RANKS : 2;

	for (unsigned p = 0; p < RANKS; p++)
		for (unsigned i = 0; i < naive.count[p]; i++)
			found += is_same(x, &naive.call[p][i]) && !naive.is_gone[p][i] &&
				 is_ahead(p, i);
	return found == expected;
}

static void remove_all(const struct naive_call *x)
{
	for (unsigned p = 0; p < RANKS; p++)
		for (unsigned i = 0; i < naive.count[p]; i++)
			naive.is_gone[p][i] |= is_same(x, &naive.call[p][i]);
}

/* All ranks have made all calls, so what never happens is in a cycle, or after one. */
static bool naive_is_crossed(void)
{
	bool has_moved = 1, is_left = 0;

	while (has_moved) {
		has_moved = 0;
		for (unsigned p = 0; p < RANKS; p++)
			for (unsigned i = 0; i < naive.count[p]; i++)
				if (!naive.is_gone[p][i] && is_met(&naive.call[p][i])) {
					remove_all(&naive.call[p][i]);
					has_moved = 1;
				}
	}
	for (unsigned p = 0; p < RANKS; p++)
		for (unsigned i = 0; i < naive.count[p]; i++)
			is_left |= !naive.is_gone[p][i];
	return is_left;
}

/* ---- random programs ---- */

static unsigned number_of(unsigned process, const struct naive_call *x)
{
	if (x->from < 0)
		return (unsigned)numbers[process][x->group] + 1;
	return 1 + ((unsigned)x->from == process ? naive.sent[process][x->to]++
						 : naive.received[process][x->from]++);
}

static void call(unsigned process, struct naive_call x)
{
	unsigned at = naive.count[process]++;
	struct sc_across_event *e;

	x.number = number_of(process, &x);
	x.turn = at && random_below(4) == 0 ? naive.call[process][at - 1].turn : at;
	naive.call[process][at] = x;
	if (x.from < 0) {
		e = message(process, x.group, SC_MESSAGE_COLLECTIVE, NCCL_ALL_REDUCE);
		e->tag = ++numbers[process][x.group];
	} else if ((unsigned)x.from == process) {
		e = to_peer(process, SC_MESSAGE_SEND, (unsigned)x.to);
	} else {
		e = to_peer(process, SC_MESSAGE_RECEIVE, (unsigned)x.from);
	}
	e->is_with = x.turn != at;
	e->link += random_below(2);
}

static struct naive_call some_call(void)
{
	unsigned from = random_below(RANKS);

	if (random_below(3))
		return (struct naive_call){.group = random_below(GROUPS), .from = -1, .to = -1};
	return (struct naive_call){.from = (int)from, .to = (int)((from + 1) % RANKS)};
}

static bool takes_part(unsigned process, const struct naive_call *x)
{
	if (x->from < 0)
		return rank_in(process, x->group) != 0;
	return (unsigned)x->from == process || (unsigned)x->to == process;
}

/* All ranks have one plan; some exchange two neighbours in it. */
static void make_program(void)
{
	unsigned count = 2 + random_below(CALLS_MOST - 1);
	struct naive_call plan[CALLS_MOST];

	for (unsigned i = 0; i < count; i++)
		plan[i] = some_call();
	for (unsigned p = 0; p < RANKS; p++) {
		unsigned order[CALLS_MOST], at = random_below(count - 1);

		for (unsigned i = 0; i < count; i++)
			order[i] = i;
		if (random_below(3) == 0) {
			order[at] = at + 1;
			order[at + 1] = at;
		}
		for (unsigned i = 0; i < count; i++)
			if (takes_part(p, &plan[order[i]]))
				call(p, plan[order[i]]);
	}
}

static void begin(void)
{
	memset(&story, 0, sizeof(story));
	memset(numbers, 0, sizeof(numbers));
	for (unsigned i = 0; i < RANKS; i++)
		for (unsigned g = 0; g < GROUPS; g++)
			if (rank_in(i, g))
				join(i, FIRST + g, SC_GROUP_NCCL, rank_in(i, g) - 1, g ? 2 : RANKS);
}

TEST(naive)
{
	unsigned crossed = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		bool is_crossed;

		seed = i + 1;
		memset(&naive, 0, sizeof(naive));
		begin();
		make_program();
		is_crossed = naive_is_crossed();
		begin_match();
		sc_crossing_init(&crossing, &story.match, &story.remarks);
		play(take, NULL);
		if (is_crossed != (crossing.cycles > 0))
			print_message("pattern %u\n", i);
		assert_int_equal(is_crossed, crossing.cycles > 0);
		assert_int_equal(story.remarks.list.count > 0, is_crossed);
		if (!is_crossed)
			assert_int_equal(crossing.held, 0);
		crossed += is_crossed;
		finish();
	}
	assert_true(crossed > TRIES / 10 && crossed < TRIES - TRIES / 10);
}

/* ---- a thousand ranks ---- */

enum { MANY = 1000, ROUNDS = 200, AHEAD = 8 };

static void many_take(unsigned process, struct sc_across_event e)
{
	take(process, &e);
}

static void many_reduce(unsigned process, uint64_t group, uint32_t own, uint64_t number)
{
	many_take(process, (struct sc_across_event){
				   .what = SC_ACROSS_MESSAGE,
				   .value = value_of(SC_MESSAGE_COLLECTIVE, NCCL_ALL_REDUCE),
				   .group = group,
				   .own = own,
				   .tag = number,
				   .call = NCCL_ALL_REDUCE,
				   .link = 1,
				   .thread = 1});
}

/* Two communicators, of all and of each two neighbours; some ranks are far ahead of others. */
TEST(thousand_ranks)
{
	size_t held_most = 0;

	memset(&story, 0, sizeof(story));
	sc_match_init(&story.match, MANY, &story.remarks, call_name, NULL);
	sc_crossing_init(&crossing, &story.match, &story.remarks);
	for (unsigned i = 0; i < MANY; i++)
		for (unsigned k = 0; k < 2; k++)
			many_take(i, (struct sc_across_event){.what = SC_ACROSS_GROUP,
							      .value = SC_GROUP_NCCL,
							      .group = k ? 2 + i / 2 : 1,
							      .peer = k ? i % 2 + 1 : i + 1,
							      .bytes = k ? 2 : MANY});
	for (unsigned round = 0; round < ROUNDS; round += AHEAD)
		for (unsigned i = 0; i < MANY; i++) {
			for (unsigned k = 1; k <= AHEAD; k++) {
				many_reduce(i, 1, i + 1, round + k);
				many_reduce(i, 2 + i / 2, i % 2 + 1, round + k);
			}
			held_most = crossing.held > held_most ? crossing.held : held_most;
		}
	assert_int_equal(crossing.held, 0);
	assert_int_equal(crossing.cycles, 0);
	assert_int_equal(story.remarks.list.count, 0);
	assert_true(held_most <= (size_t)MANY * AHEAD * 2);
	finish();
}
