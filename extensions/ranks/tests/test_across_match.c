/* Which messages of several processes belong together, against the naive form; and what is said of
 * those that have no other side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "extensions/ranks/across/log.h"
#include "extensions/ranks/across/match.h"
#include "analyzer/finding/verdict.h"

#define WORLD	    UINT64_C(77)
#define EVENTS_MOST 4096
#define RANKS	    3
#define MESSAGES    60
#define TAGS	    2
#define TRIES	    3000
#define BLOCKS	    SC_MESSAGE_BLOCKS

/* What a process did, as a trace would say it. */
struct story {
	struct sc_across_event events[RANKS][EVENTS_MOST];
	size_t counts[RANKS];
	struct sc_across_remarks remarks;
	struct sc_match match;
	void (*see_pair)(void *data, const struct sc_match_side *sent,
			 const struct sc_match_side *got);
};

static struct story story;

static const char *call_name(const void *data, uint32_t call)
{
	static const char *const names[] = {"", "MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Bcast"};

	(void)data;
	return names[call];
}

static struct sc_across_event *add(unsigned process, enum sc_across_what what)
{
	struct sc_across_event *e = &story.events[process][story.counts[process]];

	assert_true(story.counts[process] < EVENTS_MOST);
	*e = (struct sc_across_event){.sequence = story.counts[process]++,
				      .what = (uint8_t)what,
				      .group = WORLD,
				      .thread = 1};
	return e;
}

static void begin(unsigned processes)
{
	memset(&story, 0, sizeof(story));
	for (unsigned i = 0; i < processes; i++) {
		struct sc_across_event *e = add(i, SC_ACROSS_GROUP);

		e->value = SC_GROUP_WORLD;
		e->peer = i + 1;
		e->bytes = processes;
	}
}

/* `peer` and `tag` -1: any. */
static struct sc_across_event *message(unsigned process, unsigned value, int peer, int tag,
				       uint64_t bytes)
{
	struct sc_across_event *e = add(process, SC_ACROSS_MESSAGE);

	e->value = value;
	e->peer = (uint32_t)(peer + 1);
	e->tag = (uint64_t)tag + 1;
	e->bytes = bytes;
	e->call = sc_message_kind(value) == SC_MESSAGE_SEND ? 1 : 2;
	return e;
}

static void end_of(unsigned process, const struct sc_across_event *of, int peer, int tag)
{
	uint64_t link = of->sequence + 1;
	struct sc_across_event *e = add(process, SC_ACROSS_END);

	e->link = link;
	e->peer = (uint32_t)(peer + 1);
	e->tag = (uint64_t)tag + 1;
}

static void collective(unsigned process, uint32_t call, uint64_t number, uint32_t root,
		       uint64_t bytes)
{
	struct sc_across_event *e = add(process, SC_ACROSS_MESSAGE);

	e->value = SC_MESSAGE_COLLECTIVE | BLOCKS;
	e->call = call;
	e->tag = number;
	e->peer = root;
	e->bytes = bytes;
}

/* MPI_Finalize. */
static struct sc_across_event *begin_to_leave(unsigned process)
{
	struct sc_across_event *e = add(process, SC_ACROSS_MESSAGE);

	e->value = SC_MESSAGE_COLLECTIVE | BLOCKS | SC_MESSAGE_LEAVES | SC_MESSAGE_UNSIZED;
	e->tag = 1000000;
	return e;
}

static void leave(unsigned process)
{
	begin_to_leave(process);
	add(process, SC_ACROSS_EXIT);
}

/* The groups first, then whatever order `next` says. */
static void run(unsigned processes, unsigned (*next)(void))
{
	size_t at[RANKS] = {0}, left = 0;

	sc_match_init(&story.match, processes, &story.remarks, call_name, NULL);
	story.match.see_pair = story.see_pair;
	for (unsigned i = 0; i < processes; i++) {
		sc_match_take(&story.match, i, &story.events[i][at[i]++]);
		left += story.counts[i] - 1;
	}
	while (left) {
		unsigned process = next() % processes;

		if (at[process] == story.counts[process])
			continue;
		sc_match_take(&story.match, process, &story.events[process][at[process]++]);
		left--;
	}
	sc_match_finish(&story.match);
	sc_across_remarks_sort(&story.remarks);
}

static void finish(void)
{
	sc_match_fini(&story.match);
	sc_across_remarks_fini(&story.remarks);
}

static uint64_t seed = 1;

static unsigned random_number(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 40);
}

static unsigned one_after_the_other(void)
{
	static unsigned turn;

	return turn++ / 1000;
}

static const struct sc_remark *remark(size_t i)
{
	assert_true(i < story.remarks.list.count);
	return &story.remarks.list.items[i].remark;
}

/* ---- the naive form ---- */

/* Who got which message: the receive's number among those of its process, by sender and number. */
struct naive {
	unsigned sent_count, got_count;
	struct {
		unsigned from, to, number;
		int tag;
		bool is_taken;
	} sent[MESSAGES];
	struct {
		unsigned from, from_number, to, number;
	} pairs[MESSAGES];
	unsigned pair_count;
};

static struct naive naive;
static unsigned pairs_seen, pairs_wrong;

static void see_pair(void *data, const struct sc_match_side *sent, const struct sc_match_side *got)
{
	(void)data;
	pairs_seen++;
	for (unsigned i = 0; i < naive.pair_count; i++)
		if (naive.pairs[i].from == sent->key.process &&
		    naive.pairs[i].from_number == sent->key.sequence)
			pairs_wrong += naive.pairs[i].to != got->key.process ||
				       naive.pairs[i].number != got->key.sequence;
}

/* A receive in order of posting takes the first message that it accepts. */
static bool take(unsigned to, int source, int tag, unsigned number, unsigned *from, int *with)
{
	unsigned start = random_number() % MESSAGES;

	for (unsigned k = 0; k < naive.sent_count; k++) {
		unsigned i = source < 0 ? (start + k) % naive.sent_count : k;

		if (naive.sent[i].is_taken || naive.sent[i].to != to ||
		    (source >= 0 && naive.sent[i].from != (unsigned)source) ||
		    (tag >= 0 && naive.sent[i].tag != tag))
			continue;
		/* of this sender the first one that fits */
		for (unsigned j = 0; j < i; j++)
			if (!naive.sent[j].is_taken && naive.sent[j].to == to &&
			    naive.sent[j].from == naive.sent[i].from &&
			    (tag < 0 || naive.sent[j].tag == tag)) {
				i = j;
				break;
			}
		naive.sent[i].is_taken = 1;
		*from = naive.sent[i].from;
		*with = naive.sent[i].tag;
		naive.pairs[naive.pair_count].from = naive.sent[i].from;
		naive.pairs[naive.pair_count].from_number = naive.sent[i].number;
		naive.pairs[naive.pair_count].to = to;
		naive.pairs[naive.pair_count++].number = number;
		return 1;
	}
	return 0;
}

static void make_sends(void)
{
	for (unsigned i = 0; i < MESSAGES; i++) {
		unsigned from = random_number() % RANKS, to = random_number() % RANKS;
		int tag = (int)(random_number() % TAGS);
		const struct sc_across_event *e =
			message(from, SC_MESSAGE_SEND | BLOCKS, (int)to, tag, 8);

		naive.sent[naive.sent_count].from = from;
		naive.sent[naive.sent_count].to = to;
		naive.sent[naive.sent_count].tag = tag;
		naive.sent[naive.sent_count++].number = (unsigned)e->sequence;
	}
}

/* Receives are posted in order, and their ends are seen in any. */
static void make_receives(void)
{
	const struct sc_across_event *open[RANKS][MESSAGES];
	int source[RANKS][MESSAGES], tags[RANKS][MESSAGES];
	unsigned counts[RANKS] = {0};

	for (unsigned i = 0; i < MESSAGES; i++) {
		unsigned to = random_number() % RANKS, from;
		int peer = (int)(random_number() % (RANKS + 1)) - 1;
		int tag = (int)(random_number() % (TAGS + 1)) - 1, with;
		size_t number = story.counts[to];

		if (!take(to, peer, tag, (unsigned)number, &from, &with))
			continue;
		open[to][counts[to]] = message(to, SC_MESSAGE_RECEIVE, peer, tag, 8);
		source[to][counts[to]] = (int)from;
		tags[to][counts[to]++] = with;
	}
	for (unsigned to = 0; to < RANKS; to++)
		while (counts[to]) {
			unsigned i = random_number() % counts[to]--;

			end_of(to, open[to][i], source[to][i], tags[to][i]);
			open[to][i] = open[to][counts[to]];
			source[to][i] = source[to][counts[to]];
			tags[to][i] = tags[to][counts[to]];
		}
}

static void test_naive(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < TRIES; i++) {
		seed = i + 1;
		naive = (struct naive){0};
		pairs_seen = pairs_wrong = 0;
		begin(RANKS);
		make_sends();
		make_receives();
		for (unsigned k = 0; k < RANKS; k++)
			leave(k);
		story.see_pair = see_pair;
		run(RANKS, random_number);
		assert_int_equal(pairs_seen, naive.pair_count);
		assert_int_equal(pairs_wrong, 0);
		/* what nobody took is left over */
		assert_int_equal(story.remarks.list.count, MESSAGES - naive.pair_count);
		finish();
	}
}

/* ---- messages ---- */

static void test_truncated(void **unused)
{
	(void)unused;
	begin(2);
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 4, 100);
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 4, 50);
	message(1, SC_MESSAGE_RECEIVE | BLOCKS, 0, 4, 100);
	message(1, SC_MESSAGE_RECEIVE | BLOCKS, 0, 4, 49);
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 1);
	assert_int_equal(remark(0)->rule, 172);
	assert_int_equal(remark(0)->sequence, 2);
	assert_int_equal(remark(0)->confidence, SC_PROVEN);
	finish();
}

static void test_threads_have_no_order(void **unused)
{
	(void)unused;
	begin(2);
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 4, 100);
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 4, 50)->thread = 2;
	message(1, SC_MESSAGE_RECEIVE | BLOCKS, 0, 4, 50);
	message(1, SC_MESSAGE_RECEIVE | BLOCKS, 0, 4, 100);
	run(2, one_after_the_other);
	assert_int_equal(story.remarks.list.count, 1);
	assert_int_equal(remark(0)->confidence, SC_POSSIBLE);
	finish();
}

/* Messages before the recording began may be what was received. */
static void test_missed(void **unused)
{
	(void)unused;
	begin(2);
	story.events[0][0].tag = 1;
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 4, 100);
	message(1, SC_MESSAGE_RECEIVE | BLOCKS, 0, 4, 50);
	message(1, SC_MESSAGE_RECEIVE | BLOCKS, 0, 5, 50);
	leave(0);
	leave(1);
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 0);
	finish();
}

static void test_from_anybody_without_status(void **unused)
{
	const struct sc_across_event *e;

	(void)unused;
	begin(2);
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 4, 100);
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 5, 100);
	e = message(1, SC_MESSAGE_RECEIVE | BLOCKS, -1, -1, 100);
	end_of(1, e, -1, -1);
	message(1, SC_MESSAGE_RECEIVE | BLOCKS, 0, 4, 50);
	leave(0);
	leave(1);
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 0);
	finish();
}

static void test_lost(void **unused)
{
	(void)unused;
	begin(2);
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 4, 8);
	leave(0);
	leave(1);
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 1);
	assert_int_equal(remark(0)->rule, 408);
	finish();
	/* MPICH ends the receiver inside of MPI_Finalize because of the message, and kills the
	 * sender. */
	begin(2);
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 4, 8);
	begin_to_leave(0)->is_pending = 1;
	begin_to_leave(1)->is_pending = 1;
	add(1, SC_ACROSS_EXIT);
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 1);
	assert_int_equal(remark(0)->rule, 408);
	finish();
	/* The receiver was killed: it may have received it later. */
	begin(2);
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 4, 8);
	leave(0);
	add(1, SC_ACROSS_EXIT)->tag = 15;
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 0);
	finish();
}

/* ---- collectives ---- */

static void test_collectives(void **unused)
{
	(void)unused;
	begin(3);
	for (unsigned i = 0; i < 3; i++) {
		collective(i, 4, 1, 1, 8);
		collective(i, i == 1 ? 4 : 3, 2, i == 1, 0);
		collective(i, i == 1 ? 3 : 4, 3, i != 1, 0);
	}
	run(3, random_number);
	/* the first difference only, in the rank that differs and in the first of the others */
	assert_int_equal(story.remarks.list.count, 2);
	assert_int_equal(story.remarks.list.items[0].process, 0);
	assert_int_equal(story.remarks.list.items[1].process, 1);
	assert_int_equal(remark(0)->rule, 170);
	assert_int_equal(remark(0)->sequence, 2);
	assert_non_null(strstr(remark(1)->text, "rank 0 and 1 other call MPI_Barrier"));
	finish();
}

static void test_sizes(void **unused)
{
	(void)unused;
	begin(2);
	for (unsigned i = 0; i < 2; i++)
		collective(i, 4, 1, 1, 8 + i);
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 2);
	assert_int_equal(remark(0)->rule, 171);
	finish();
}

/* ---- waiting ---- */

static void test_cycle(void **unused)
{
	(void)unused;
	begin(2);
	for (unsigned i = 0; i < 2; i++)
		message(i, SC_MESSAGE_RECEIVE | BLOCKS, (int)(1 - i), 0, 8)->is_pending = 1;
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 2);
	assert_int_equal(remark(0)->rule, 174);
	assert_int_equal(remark(0)->confidence, SC_PROVEN);
	assert_non_null(strstr(remark(0)->text, "waits for rank 1, which waits in MPI_Recv"));
	assert_non_null(strstr(remark(0)->text, "for rank 0: these wait for each other"));
	finish();
}

/* The message is on its way, or the other may still send it. */
static void test_no_cycle(void **unused)
{
	(void)unused;
	begin(3);
	message(0, SC_MESSAGE_SEND | BLOCKS, 1, 0, 8);
	message(1, SC_MESSAGE_RECEIVE | BLOCKS, 0, 0, 8)->is_pending = 1;
	message(0, SC_MESSAGE_RECEIVE | BLOCKS, 1, 0, 8)->is_pending = 1;
	message(2, SC_MESSAGE_RECEIVE | BLOCKS, -1, 0, 8)->is_pending = 1;
	run(3, random_number);
	assert_int_equal(story.remarks.list.count, 2);
	assert_int_equal(remark(0)->confidence, SC_POSSIBLE);
	assert_int_equal(remark(1)->confidence, SC_POSSIBLE);
	finish();
}

static void test_waits_for_one_that_left(void **unused)
{
	(void)unused;
	begin(2);
	leave(0);
	message(1, SC_MESSAGE_RECEIVE | BLOCKS, -1, 0, 8)->is_pending = 1;
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 1);
	assert_int_equal(remark(0)->confidence, SC_PROVEN);
	assert_non_null(strstr(remark(0)->text, "rank 0, which has called MPI_Finalize"));
	finish();
}

/* Of a rank without a trace nothing is known: it may have received, and may still answer. */
static void test_rank_without_trace(void **unused)
{
	(void)unused;
	begin(2);
	story.events[0][0].bytes = story.events[1][0].bytes = 3;
	message(0, SC_MESSAGE_SEND | BLOCKS, 2, 0, 8);
	leave(0);
	message(1, SC_MESSAGE_RECEIVE | BLOCKS, 2, 0, 8)->is_pending = 1;
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 0);
	finish();
	begin(2);
	story.events[0][0].bytes = story.events[1][0].bytes = 3;
	for (unsigned i = 0; i < 2; i++)
		collective(i, 3, 1, 0, 0);
	story.events[0][1].is_pending = story.events[1][1].is_pending = 1;
	run(2, random_number);
	assert_int_equal(story.remarks.list.count, 2);
	assert_int_equal(remark(0)->confidence, SC_POSSIBLE);
	assert_non_null(strstr(remark(0)->text, "waits for a rank without a trace"));
	finish();
}

/* Two runs in one folder: two processes are rank 0. */
static void test_two_runs(void **unused)
{
	(void)unused;
	begin(2);
	story.events[1][0].peer = 1;
	collective(0, 3, 1, 0, 0);
	collective(1, 4, 1, 0, 0);
	run(2, random_number);
	assert_true(story.match.is_double);
	assert_int_equal(story.remarks.list.count, 0);
	finish();
}

/* ---- memory ---- */

/* A thousand processes in a ring, each with many messages: what is held follows from what is in
 * flight, and not from how many there are. */
static size_t held_of_ring(unsigned processes, unsigned messages)
{
	struct sc_across_log *log = sc_across_log_new();
	struct sc_across_event *list = calloc(2 * messages + 1, sizeof(*list)), e;
	struct sc_across_remarks remarks = {0};
	struct sc_match match;
	unsigned process;
	size_t held;

	assert_non_null(log);
	assert_non_null(list);
	for (unsigned i = 0; i < processes; i++) {
		list[0] = (struct sc_across_event){.what = SC_ACROSS_GROUP,
						   .group = WORLD,
						   .value = SC_GROUP_WORLD,
						   .peer = i + 1,
						   .bytes = processes};
		for (unsigned k = 0; k < 2 * messages; k++)
			list[k + 1] = (struct sc_across_event){
				.sequence = k + 1,
				.time_ns = UINT64_C(1000) * i + k,
				.what = SC_ACROSS_MESSAGE,
				.group = WORLD,
				.value = (k % 2 ? SC_MESSAGE_RECEIVE : SC_MESSAGE_SEND) | BLOCKS,
				.peer = 1 + (i + (k % 2 ? processes - 1 : 1)) % processes,
				.tag = 1,
				.bytes = 8,
				.thread = 1};
		assert_true(sc_across_log_add_events(log, list, 2 * messages + 1) > 0);
	}
	sc_match_init(&match, processes, &remarks, call_name, NULL);
	while (sc_across_log_next(log, &process, &e) > 0)
		sc_match_take(&match, process, &e);
	sc_match_finish(&match);
	assert_int_equal(match.pairs, (uint64_t)processes * messages);
	assert_int_equal(match.held, 0);
	assert_int_equal(remarks.list.count, 0);
	assert_true(sc_across_log_bytes(log) < processes * 4096u);
	held = match.held_most;
	sc_match_fini(&match);
	sc_across_remarks_fini(&remarks);
	sc_across_log_free(log);
	free(list);
	return held;
}

static void test_memory_of_a_thousand(void **unused)
{
	(void)unused;
	assert_true(held_of_ring(1000, 200) <= 2000);
	assert_int_equal(held_of_ring(1000, 20), held_of_ring(1000, 200));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_naive),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_threads_have_no_order),
		cmocka_unit_test(test_missed),
		cmocka_unit_test(test_from_anybody_without_status),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_collectives),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_no_cycle),
		cmocka_unit_test(test_waits_for_one_that_left),
		cmocka_unit_test(test_rank_without_trace),
		cmocka_unit_test(test_two_runs),
		cmocka_unit_test(test_memory_of_a_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
