/* Communicators of NCCL compared between ranks, against the naive form: the nth of each rank, side
 * by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "extensions/ranks/tests/nccl_story.h"

#define CALLS_MOST 32
#define TRIES	   3000

static size_t count_of(unsigned rule)
{
	size_t count = 0;

	for (size_t i = 0; i < story.remarks.list.count; i++)
		count += remark(i)->rule == rule;
	return count;
}

/* ---- the naive form ---- */

/* What one rank enqueues in one communicator. */
struct naive_call {
	uint32_t call, peer, reduction, type;
	uint64_t bytes;
};

struct naive_list {
	unsigned count;
	struct naive_call call[CALLS_MOST];
};

/* Sizes of the nth message from one rank to another one. */
struct naive_messages {
	unsigned sent, received;
	uint64_t sent_bytes[CALLS_MOST], received_bytes[CALLS_MOST];
};

static struct naive_list lists[RANKS][2];
static struct naive_messages messages[RANKS][RANKS];

static bool is_member(unsigned rank, unsigned group)
{
	return !group || rank != 1;
}

static bool is_same(const struct naive_call *a, const struct naive_call *b)
{
	return a->call == b->call && a->peer == b->peer && a->reduction == b->reduction &&
	       a->type == b->type && a->bytes == b->bytes;
}

/* Different ways to make the nth call of a group; whether the functions differ as well. */
static unsigned naive_ways(unsigned group, unsigned n, bool *is_other_function)
{
	const struct naive_call *seen[RANKS];
	unsigned ways = 0;

	for (unsigned r = 0; r < RANKS; r++) {
		bool is_new = is_member(r, group) && n < lists[r][group].count;

		for (unsigned k = 0; k < ways && is_new; k++) {
			is_new = !is_same(seen[k], &lists[r][group].call[n]);
			*is_other_function |= seen[k]->call != lists[r][group].call[n].call;
		}
		if (is_new)
			seen[ways++] = &lists[r][group].call[n];
	}
	return ways;
}

/* The first call of the rank that another member has not made. */
static bool naive_is_alone(unsigned group, unsigned rank)
{
	for (unsigned r = 0; r < RANKS; r++)
		if (is_member(r, group) && lists[r][group].count < lists[rank][group].count)
			return 1;
	return 0;
}

static void naive_count(unsigned group, size_t *different, size_t *waiting)
{
	bool is_other_function = 0;

	for (unsigned n = 0; n < CALLS_MOST && !is_other_function; n++) {
		unsigned ways = naive_ways(group, n, &is_other_function);

		*different += ways > 1 ? ways : 0;
	}
	for (unsigned r = 0; r < RANKS && !is_other_function; r++)
		*waiting += is_member(r, group) && naive_is_alone(group, r);
}

static void naive_pairs(size_t *unequal, size_t *left)
{
	for (unsigned i = 0; i < RANKS * RANKS; i++) {
		const struct naive_messages *m = &messages[i / RANKS][i % RANKS];
		unsigned both = m->sent < m->received ? m->sent : m->received;

		*left += m->sent + m->received - 2 * both;
		for (unsigned k = 0; k < both; k++)
			*unequal += m->sent_bytes[k] != m->received_bytes[k];
	}
}

/* ---- random programs ---- */

/* All ranks have one plan, from which each departs now and then. */
static struct naive_call plan_at(unsigned group, unsigned n)
{
	return (struct naive_call){.call = 1 + (n * 7 + group) % 2,
				   .peer = 0,
				   .reduction = 1 + n % 2,
				   .type = 1 + n % 3,
				   .bytes = 64};
}

static struct naive_call depart(struct naive_call c)
{
	switch (random_number() % 40) {
	case 0: c.peer = 1 + random_number() % 2; break;
	case 1: c.reduction = 3 - c.reduction; break;
	case 2: c.type = 1 + c.type % 3; break;
	case 3: c.bytes = 128; break;
	case 4: c.call = 3 - c.call; break;
	}
	return c;
}

static void make_collective(unsigned rank, unsigned group)
{
	struct naive_list *l = &lists[rank][group];
	struct naive_call c = depart(plan_at(group, l->count));
	struct sc_across_event *e = collective(rank, group ? PART : ALL, rank, c.call);

	e->peer = c.peer;
	e->operation = sc_message_way(c.reduction, c.type);
	e->bytes = c.bytes;
	l->call[l->count++] = c;
}

static void make_message(unsigned rank)
{
	unsigned peer = random_number() % RANKS;
	uint64_t bytes = random_number() % 8 ? 64 : 32;
	struct naive_messages *m;

	if (random_number() % 2) {
		m = &messages[rank][peer];
		m->sent_bytes[m->sent++] = bytes;
		to_peer(rank, SC_MESSAGE_SEND, peer)->bytes = bytes;
	} else {
		m = &messages[peer][rank];
		m->received_bytes[m->received++] = bytes;
		to_peer(rank, SC_MESSAGE_RECEIVE, peer)->bytes = bytes;
	}
}

static void make_program(unsigned rank)
{
	unsigned steps[3] = {CALLS_MOST / 2, rank == 1 ? 0 : CALLS_MOST / 4, CALLS_MOST / 4};

	for (unsigned i = 0; i < 2; i++)
		steps[i] -= steps[i] && random_number() % 4 == 0;
	while (steps[0] + steps[1] + steps[2]) {
		unsigned which = random_number() % 3;

		if (!steps[which])
			continue;
		steps[which]--;
		if (which == 2)
			make_message(rank);
		else
			make_collective(rank, which);
	}
	add(rank, SC_ACROSS_EXIT);
}

static void test_naive(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < TRIES; i++) {
		size_t different = 0, waiting = 0, unequal = 0, left = 0;

		seed = i + 1;
		memset(lists, 0, sizeof(lists));
		memset(messages, 0, sizeof(messages));
		begin(RANKS);
		join(0, PART, 0, 2);
		join(2, PART, 1, 2);
		for (unsigned r = 0; r < RANKS; r++)
			make_program(r);
		for (unsigned k = 0; k < story.counts[2]; k++) /* rank 2 is 1 of the part */
			if (story.events[2][k].group == PART && story.events[2][k].own)
				story.events[2][k].own = 2;
		run(RANKS);
		naive_count(0, &different, &waiting);
		naive_count(1, &different, &waiting);
		naive_pairs(&unequal, &left);
		assert_int_equal(count_of(170) + count_of(171), different);
		assert_int_equal(count_of(174), waiting);
		assert_int_equal(count_of(176), unequal);
		assert_int_equal(count_of(408), left);
		finish();
	}
}

/* ---- what is not known ---- */

/* A rank says that not all is recorded from here on: what comes later is not compared. */
static void test_lost(void **unused)
{
	(void)unused;
	begin(2);
	for (unsigned i = 0; i < 2; i++)
		collective(i, ALL, i, REDUCE)->bytes = 8 + i;
	message(0, SC_MESSAGE_LOSE, ALL, 0, REDUCE);
	collective(1, ALL, 1, BROADCAST);
	to_peer(1, SC_MESSAGE_RECEIVE, 0);
	add(0, SC_ACROSS_EXIT);
	add(1, SC_ACROSS_EXIT);
	run(2);
	expect_count(2);
	assert_int_equal(remark(0)->rule, 171);
	assert_int_equal(remark(1)->rule, 171);
	finish();
}

static void test_failed(void **unused)
{
	(void)unused;
	begin(2);
	collective(0, ALL, 0, REDUCE);
	collective(1, ALL, 1, BROADCAST)->has_failed = 1;
	message(1, SC_MESSAGE_LOSE, ALL, 1, REDUCE);
	add(0, SC_ACROSS_EXIT);
	add(1, SC_ACROSS_EXIT);
	run(2);
	expect_count(0);
	finish();
}

static void test_aborted(void **unused)
{
	(void)unused;
	begin(2);
	collective(0, ALL, 0, REDUCE);
	to_peer(0, SC_MESSAGE_SEND, 1);
	for (unsigned i = 0; i < 2; i++) {
		message(i, SC_MESSAGE_PART | SC_MESSAGE_CANCELED, ALL, i, REDUCE);
		add(i, SC_ACROSS_EXIT);
	}
	run(2);
	expect_count(0);
	finish();
	/* What the host still waited for is said, as far as it is known. */
	begin(2);
	collective(0, ALL, 0, REDUCE);
	message(0, SC_MESSAGE_PART | SC_MESSAGE_CANCELED, ALL, 0, REDUCE);
	stuck(0);
	run(2);
	expect_count(1);
	assert_int_equal(remark(0)->confidence, SC_POSSIBLE);
	finish();
}

static void test_records_lost(void **unused)
{
	(void)unused;
	begin(2);
	add(0, SC_ACROSS_VAGUE);
	collective(0, ALL, 0, REDUCE);
	collective(1, ALL, 1, BROADCAST);
	collective(1, ALL, 1, BROADCAST);
	add(0, SC_ACROSS_EXIT);
	add(1, SC_ACROSS_EXIT);
	run(2);
	expect_count(0);
	finish();
}

/* One name for two communicators. */
static void test_joined_twice(void **unused)
{
	(void)unused;
	begin(2);
	join(0, ALL, 0, 2);
	collective(0, ALL, 0, REDUCE);
	collective(1, ALL, 1, BROADCAST);
	run(2);
	expect_count(0);
	finish();
}

static void test_unknown_ways(void **unused)
{
	(void)unused;
	begin(2);
	collective(0, ALL, 0, REDUCE)->operation = sc_message_way(0, 8);
	collective(1, ALL, 1, REDUCE)->operation = sc_message_way(2, 8);
	run(2);
	expect_count(0);
	finish();
}

/* ---- one process, several ranks ---- */

static void test_several_ranks(void **unused)
{
	(void)unused;
	memset(&story, 0, sizeof(story));
	join(0, ALL, 0, 2);
	join(0, ALL, 1, 2);
	add(0, SC_ACROSS_RANK)->peer = 1;
	collective(0, ALL, 0, REDUCE);
	collective(0, ALL, 1, BROADCAST);
	run(1);
	expect_count(2);
	assert_non_null(strstr(remark(0)->text, "rank 1 of the communicator calls ncclBroadcast"));
	finish();
}

static void test_names(void **unused)
{
	(void)unused;
	begin(2);
	for (unsigned i = 0; i < 2; i++)
		add(i, SC_ACROSS_RANK)->peer = 9 + i;
	collective(0, ALL, 0, REDUCE)->operation = sc_message_way(3, 8);
	collective(1, ALL, 1, REDUCE)->operation = sc_message_way(1, 8);
	run(2);
	expect_count(2);
	assert_non_null(
		strstr(remark(0)->text, "rank 9 calls ncclAllReduce with the operation ncclSum"));
	assert_non_null(strstr(remark(0)->text, "here with the operation ncclMax"));
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_naive),	     cmocka_unit_test(test_lost),
		cmocka_unit_test(test_failed),	     cmocka_unit_test(test_aborted),
		cmocka_unit_test(test_records_lost), cmocka_unit_test(test_joined_twice),
		cmocka_unit_test(test_unknown_ways), cmocka_unit_test(test_several_ranks),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
