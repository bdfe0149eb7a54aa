/* Operations of NCCL in different orders, against the naive form: all queues are played until
 * nothing moves; and how sure it is that they wait forever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "extensions/ranks/across/crossing.h"
#include "analyzer/finding/verdict.h"

#define RANKS	    3
#define GROUPS	    4 /* all; 0 and 1; 1 and 2; 2 and 0 */
#define FIRST	    UINT64_C(70)
#define EVENTS_MOST 128
#define CALLS_MOST  8
#define TRIES	    4000
#define STREAM	    5

enum { NO_CALL, REDUCE, BROADCAST, SEND, RECEIVE };

static struct story {
	struct sc_across_event events[RANKS][EVENTS_MOST];
	size_t counts[RANKS];
	uint64_t numbers[RANKS][GROUPS];
	struct sc_across_remarks remarks;
	struct sc_match match;
	struct sc_crossing crossing;
} story;

static uint64_t seed = 1;

static unsigned random_below(unsigned n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 40) % n;
}

static const char *call_name(const void *data, uint32_t call)
{
	static const char *const names[] = {"", "ncclAllReduce", "ncclBroadcast", "ncclSend",
					    "ncclRecv"};

	(void)data;
	return names[call];
}

static struct sc_across_event *add(unsigned process, enum sc_across_what what)
{
	struct sc_across_event *e = &story.events[process][story.counts[process]];

	assert_true(story.counts[process] < EVENTS_MOST);
	*e = (struct sc_across_event){
		.sequence = story.counts[process]++, .what = (uint8_t)what, .thread = 1};
	return e;
}

/* + 1; 0: the process is not in the group. */
static uint32_t rank_in(unsigned process, unsigned group)
{
	if (!group)
		return process + 1;
	if (process == group - 1)
		return 1;
	return process == group % RANKS ? 2 : 0;
}

static void begin(void)
{
	memset(&story, 0, sizeof(story));
	for (unsigned i = 0; i < RANKS; i++)
		for (unsigned g = 0; g < GROUPS; g++) {
			struct sc_across_event *e;

			if (!rank_in(i, g))
				continue;
			e = add(i, SC_ACROSS_GROUP);
			e->value = SC_GROUP_NCCL;
			e->group = FIRST + g;
			e->peer = rank_in(i, g);
			e->bytes = g ? 2 : RANKS;
		}
}

static struct sc_across_event *message(unsigned process, unsigned group, unsigned kind,
				       uint32_t call)
{
	struct sc_across_event *e = add(process, SC_ACROSS_MESSAGE);

	e->value = kind;
	e->group = FIRST + group;
	e->own = rank_in(process, group);
	e->call = call;
	e->link = STREAM;
	e->bytes = 64;
	return e;
}

static struct sc_across_event *collective(unsigned process, unsigned group)
{
	struct sc_across_event *e = message(process, group, SC_MESSAGE_COLLECTIVE, REDUCE);

	e->tag = ++story.numbers[process][group];
	return e;
}

static struct sc_across_event *to_peer(unsigned process, unsigned kind, unsigned peer)
{
	struct sc_across_event *e =
		message(process, 0, kind, kind == SC_MESSAGE_SEND ? SEND : RECEIVE);

	e->peer = peer + 1;
	e->tag = 1;
	return e;
}

static void take(unsigned process, const struct sc_across_event *e)
{
	sc_match_take(&story.match, process, e);
	sc_crossing_take(&story.crossing, process, e);
}

static void run(void)
{
	size_t at[RANKS] = {0}, left = 0;

	sc_match_init(&story.match, RANKS, &story.remarks, call_name, NULL);
	sc_crossing_init(&story.crossing, &story.match, &story.remarks);
	for (unsigned i = 0; i < RANKS; i++) {
		for (; at[i] < story.counts[i] && sc_across_is_early(&story.events[i][at[i]]);
		     at[i]++)
			take(i, &story.events[i][at[i]]);
		left += story.counts[i] - at[i];
	}
	while (left) {
		unsigned i = random_below(RANKS);

		if (at[i] == story.counts[i])
			continue;
		take(i, &story.events[i][at[i]++]);
		left--;
	}
	sc_across_remarks_sort(&story.remarks);
}

static void finish(void)
{
	sc_crossing_fini(&story.crossing);
	sc_match_fini(&story.match);
	sc_across_remarks_fini(&story.remarks);
}

static void expect(size_t count, enum sc_confidence confidence, enum sc_doubt doubt)
{
	size_t found = 0;

	run();
	for (size_t i = 0; i < story.remarks.list.count; i++) {
		const struct sc_remark *r = &story.remarks.list.items[i].remark;

		if (r->rule != 177)
			continue;
		found++;
		assert_int_equal(r->confidence, confidence);
		assert_int_equal(r->doubt, doubt);
	}
	assert_int_equal(found, count);
	finish();
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
		return (unsigned)story.numbers[process][x->group] + 1;
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
	if (x.from < 0)
		e = collective(process, x.group);
	else if ((unsigned)x.from == process)
		e = to_peer(process, SC_MESSAGE_SEND, (unsigned)x.to);
	else
		e = to_peer(process, SC_MESSAGE_RECEIVE, (unsigned)x.from);
	e->is_with = x.turn != at;
	e->link = STREAM + random_below(2);
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

static void test_naive(void **unused)
{
	unsigned crossed = 0;

	(void)unused;
	for (unsigned i = 0; i < TRIES; i++) {
		bool is_crossed;

		seed = i + 1;
		memset(&naive, 0, sizeof(naive));
		begin();
		make_program();
		is_crossed = naive_is_crossed();
		run();
		if (is_crossed != (story.crossing.cycles > 0))
			print_message("pattern %u\n", i);
		assert_int_equal(is_crossed, story.crossing.cycles > 0);
		assert_int_equal(story.remarks.list.count > 0, is_crossed);
		if (!is_crossed)
			assert_int_equal(story.crossing.held, 0);
		crossed += is_crossed;
		finish();
	}
	assert_true(crossed > TRIES / 10 && crossed < TRIES - TRIES / 10);
}

/* ---- how sure ---- */

static void two_communicators(void **unused)
{
	(void)unused;
	begin();
	for (unsigned i = 0; i < 2; i++) {
		collective(0, i);
		collective(1, 1 - i);
		collective(2, i * 3);
	}
	expect(2, SC_PROVEN, SC_DOUBT_NONE);
}

/* Each rank has two of three communicators, and nobody agrees. */
static void ring_of_three(void **unused)
{
	(void)unused;
	begin();
	for (unsigned i = 0; i < RANKS; i++) {
		collective(i, i + 1);
		collective(i, i ? i : RANKS);
	}
	run();
	assert_int_equal(story.remarks.list.count, 3);
	assert_int_equal(story.remarks.list.items[0].remark.confidence, SC_PROVEN);
	assert_non_null(
		strstr(story.remarks.list.items[0].remark.text, ": these wait for each other"));
	finish();
}

static void same_order_is_silent(void **unused)
{
	(void)unused;
	begin();
	for (unsigned i = 0; i < 2; i++) {
		collective(0, i);
		collective(1, i);
		collective(2, i * 3);
	}
	expect(0, SC_PROVEN, SC_DOUBT_NONE);
}

static void two_streams_are_possible(void **unused)
{
	(void)unused;
	begin();
	collective(0, 0);
	collective(0, 1)->link = STREAM + 1;
	collective(1, 1);
	collective(1, 0);
	collective(2, 0);
	expect(2, SC_POSSIBLE, SC_DOUBT_BESIDE);
}

static void group_is_possible(void **unused)
{
	(void)unused;
	begin();
	collective(0, 0);
	collective(0, 1)->is_with = 1;
	collective(1, 1);
	collective(1, 0);
	collective(2, 0);
	expect(2, SC_POSSIBLE, SC_DOUBT_BESIDE);
}

/* The root may have sent its data before the others come. */
static void root_is_possible(void **unused)
{
	(void)unused;
	begin();
	for (unsigned i = 0; i < RANKS; i++) {
		struct sc_across_event *e;

		if (i == 1)
			collective(1, 1);
		e = collective(i, 0);
		e->call = BROADCAST;
		e->peer = 1;
	}
	collective(0, 1);
	expect(2, SC_POSSIBLE, SC_DOUBT_ALONE);
	/* Those that get it cannot. */
	begin();
	for (unsigned i = 0; i < RANKS; i++) {
		struct sc_across_event *e;

		if (i == 1)
			collective(1, 1);
		e = collective(i, 0);
		e->call = BROADCAST;
		e->peer = 2;
	}
	collective(0, 1);
	expect(2, SC_PROVEN, SC_DOUBT_NONE);
}

static void sends_before_receives(void **unused)
{
	(void)unused;
	begin();
	for (unsigned i = 0; i < 2; i++) {
		to_peer(i, SC_MESSAGE_SEND, 1 - i);
		to_peer(i, SC_MESSAGE_RECEIVE, 1 - i);
	}
	expect(2, SC_POSSIBLE, SC_DOUBT_ALONE);
	/* In a group they are one operation. */
	begin();
	for (unsigned i = 0; i < 2; i++) {
		to_peer(i, SC_MESSAGE_SEND, 1 - i);
		to_peer(i, SC_MESSAGE_RECEIVE, 1 - i)->is_with = 1;
	}
	expect(0, SC_POSSIBLE, SC_DOUBT_NONE);
	/* Nobody sends before both have received. */
	begin();
	for (unsigned i = 0; i < 2; i++) {
		to_peer(i, SC_MESSAGE_RECEIVE, 1 - i);
		to_peer(i, SC_MESSAGE_SEND, 1 - i);
	}
	expect(2, SC_PROVEN, SC_DOUBT_NONE);
}

/* A loop has one finding. */
static void rounds_are_one(void **unused)
{
	(void)unused;
	begin();
	for (unsigned i = 0; i < 10; i++) {
		collective(0, 0);
		collective(0, 1);
		collective(1, 1);
		collective(1, 0);
		collective(2, 0);
	}
	expect(2, SC_PROVEN, SC_DOUBT_NONE);
}

/* ---- what is not known ---- */

static void lost_is_silent(void **unused)
{
	(void)unused;
	begin();
	collective(0, 0);
	message(0, 1, SC_MESSAGE_LOSE, REDUCE);
	collective(0, 1);
	collective(1, 1);
	collective(1, 0);
	expect(0, SC_POSSIBLE, SC_DOUBT_NONE);
}

/* ---- a thousand ranks ---- */

enum { MANY = 1000, ROUNDS = 200, AHEAD = 8 };

static void many_take(unsigned process, struct sc_across_event e)
{
	take(process, &e);
}

static void many_reduce(unsigned process, uint64_t group, uint32_t own, uint64_t number)
{
	many_take(process, (struct sc_across_event){.what = SC_ACROSS_MESSAGE,
						    .value = SC_MESSAGE_COLLECTIVE,
						    .group = group,
						    .own = own,
						    .tag = number,
						    .call = REDUCE,
						    .link = STREAM,
						    .thread = 1});
}

/* Two communicators, of all and of each two neighbours; some ranks are far ahead of others. */
static void thousand_ranks(void **unused)
{
	size_t held_most = 0;

	(void)unused;
	memset(&story, 0, sizeof(story));
	sc_match_init(&story.match, MANY, &story.remarks, call_name, NULL);
	sc_crossing_init(&story.crossing, &story.match, &story.remarks);
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
			held_most =
				story.crossing.held > held_most ? story.crossing.held : held_most;
		}
	assert_int_equal(story.crossing.held, 0);
	assert_int_equal(story.crossing.cycles, 0);
	assert_int_equal(story.remarks.list.count, 0);
	assert_true(held_most <= (size_t)MANY * AHEAD * 2);
	finish();
}

/* A rank that sends to itself waits for nobody else: no crossing, and its operations stand before
 * themselves. */
static void to_itself(void **unused)
{
	(void)unused;
	begin();
	to_peer(0, SC_MESSAGE_SEND, 0);
	collective(0, 0);
	to_peer(0, SC_MESSAGE_RECEIVE, 0);
	collective(0, 0);
	collective(1, 0);
	run();
	assert_int_equal(story.crossing.cycles, 0);
	assert_int_equal(story.remarks.list.count, 0);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_naive),
		cmocka_unit_test(two_communicators),
		cmocka_unit_test(ring_of_three),
		cmocka_unit_test(same_order_is_silent),
		cmocka_unit_test(two_streams_are_possible),
		cmocka_unit_test(group_is_possible),
		cmocka_unit_test(root_is_possible),
		cmocka_unit_test(sends_before_receives),
		cmocka_unit_test(rounds_are_one),
		cmocka_unit_test(lost_is_silent),
		cmocka_unit_test(thousand_ranks),
		cmocka_unit_test(to_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
