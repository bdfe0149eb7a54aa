/* Communicators of NCCL compared between ranks, against the naive form: the nth of each rank, side
 * by side. */
#include "extensions/ranks/tests/story.h"

#define ALL	   WORLD
#define PART	   (WORLD + 1)
#define CALLS_MOST 32
#define TRIES	   3000

static size_t count_of(unsigned rule)
{
	size_t count = 0;

	for (size_t i = 0; i < story.remarks.list.count; i++)
		count += story.remarks.list.items[i].remark.rule == rule;
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
	return (struct naive_call){.call = NCCL_ALL_REDUCE + (n * 7 + group) % 2,
				   .peer = 0,
				   .reduction = 1 + n % 2,
				   .type = 1 + n % 3,
				   .bytes = 64};
}

static struct naive_call depart(struct naive_call c)
{
	switch (random_below(40)) {
	case 0: c.peer = 1 + random_below(2); break;
	case 1: c.reduction = 3 - c.reduction; break;
	case 2: c.type = 1 + c.type % 3; break;
	case 3: c.bytes = 128; break;
	case 4: c.call = NCCL_ALL_REDUCE + NCCL_BROADCAST - c.call; break;
	}
	return c;
}

static void make_collective(unsigned rank, unsigned group)
{
	struct naive_list *l = &lists[rank][group];
	struct naive_call c = depart(plan_at(group, l->count));
	unsigned own = group && rank ? 1 : rank; /* rank 2 is 1 of the part */
	struct sc_across_event *e = enqueue_message(rank, SC_MESSAGE_COLLECTIVE, group ? PART : ALL,
						    own, (enum call)c.call);

	e->tag = l->count + 1;
	e->peer = c.peer;
	e->operation = sc_message_way(c.reduction, c.type);
	e->bytes = c.bytes;
	l->call[l->count++] = c;
}

static void to_peer(unsigned rank, enum sc_message kind, unsigned peer, uint64_t bytes)
{
	struct sc_across_event *e = enqueue_message(
		rank, kind, ALL, rank, kind == SC_MESSAGE_SEND ? NCCL_SEND : NCCL_RECEIVE);

	e->peer = peer + 1;
	e->tag = 1;
	e->bytes = bytes;
}

static void make_message(unsigned rank)
{
	unsigned peer = random_below(RANKS);
	uint64_t bytes = random_below(8) ? 64 : 32;
	struct naive_messages *m;

	if (random_below(2)) {
		m = &messages[rank][peer];
		m->sent_bytes[m->sent++] = bytes;
		to_peer(rank, SC_MESSAGE_SEND, peer, bytes);
	} else {
		m = &messages[peer][rank];
		m->received_bytes[m->received++] = bytes;
		to_peer(rank, SC_MESSAGE_RECEIVE, peer, bytes);
	}
}

static void make_program(unsigned rank)
{
	unsigned steps[3] = {CALLS_MOST / 2, rank == 1 ? 0 : CALLS_MOST / 4, CALLS_MOST / 4};

	for (unsigned i = 0; i < 2; i++)
		steps[i] -= steps[i] && random_below(4) == 0;
	while (steps[0] + steps[1] + steps[2]) {
		unsigned which = random_below(3);

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

TEST(naive)
{
	for (unsigned i = 0; i < TRIES; i++) {
		size_t different = 0, waiting = 0, unequal = 0, left = 0;

		seed = i + 1;
		memset(lists, 0, sizeof(lists));
		memset(messages, 0, sizeof(messages));
		memset(&story, 0, sizeof(story));
		for (unsigned r = 0; r < RANKS; r++)
			join(r, ALL, SC_GROUP_NCCL, r, RANKS);
		join(0, PART, SC_GROUP_NCCL, 0, 2);
		join(2, PART, SC_GROUP_NCCL, 1, 2);
		for (unsigned r = 0; r < RANKS; r++)
			make_program(r);
		begin_match();
		play(take_match, NULL);
		sc_match_finish(&story.match);
		naive_count(0, &different, &waiting);
		naive_count(1, &different, &waiting);
		naive_pairs(&unequal, &left);
		assert_int_equal(count_of(170) + count_of(171), different);
		assert_int_equal(count_of(174), waiting);
		assert_int_equal(count_of(176), unequal);
		assert_int_equal(count_of(408), left);
		finish_match();
	}
}
