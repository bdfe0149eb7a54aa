/* Which messages of several processes belong together, against the naive form; what a thousand
 * cost. */
#include "extensions/ranks/across/log.h"
#include "extensions/ranks/tests/story.h"

#define MESSAGES 60
#define TAGS	 2
#define TRIES	 3000
#define BLOCKS	 SC_MESSAGE_BLOCKS

/* `peer` and `tag` -1: any. */
static struct sc_across_event *message(unsigned process, unsigned value, int peer, int tag,
				       uint64_t bytes)
{
	struct sc_across_event *e = add(process, SC_ACROSS_MESSAGE);

	e->value = value;
	e->peer = (uint32_t)(peer + 1);
	e->tag = (uint64_t)tag + 1;
	e->bytes = bytes;
	e->call = sc_message_kind(value) == SC_MESSAGE_SEND ? SEND : RECEIVE;
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

/* MPI_Finalize. */
static void leave(unsigned process)
{
	struct sc_across_event *e = add(process, SC_ACROSS_MESSAGE);

	e->value = SC_MESSAGE_COLLECTIVE | BLOCKS | SC_MESSAGE_LEAVES | SC_MESSAGE_UNSIZED;
	e->tag = 1000000;
	add(process, SC_ACROSS_EXIT);
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
	unsigned start = random_below(MESSAGES);

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
		unsigned from = random_below(RANKS), to = random_below(RANKS);
		int tag = (int)(random_below(TAGS));
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
		unsigned to = random_below(RANKS), from;
		int peer = (int)(random_below(RANKS + 1)) - 1;
		int tag = (int)(random_below(TAGS + 1)) - 1, with;
		size_t number = story.counts[to];

		if (!take(to, peer, tag, (unsigned)number, &from, &with))
			continue;
		open[to][counts[to]] = message(to, SC_MESSAGE_RECEIVE, peer, tag, 8);
		source[to][counts[to]] = (int)from;
		tags[to][counts[to]++] = with;
	}
	for (unsigned to = 0; to < RANKS; to++)
		while (counts[to]) {
			unsigned i = random_below(counts[to]--);

			end_of(to, open[to][i], source[to][i], tags[to][i]);
			open[to][i] = open[to][counts[to]];
			source[to][i] = source[to][counts[to]];
			tags[to][i] = tags[to][counts[to]];
		}
}

TEST(naive)
{
	for (unsigned i = 0; i < TRIES; i++) {
		seed = i + 1;
		naive = (struct naive){0};
		pairs_seen = pairs_wrong = 0;
		memset(&story, 0, sizeof(story));
		for (unsigned k = 0; k < RANKS; k++)
			join(k, WORLD, SC_GROUP_WORLD, k, RANKS);
		make_sends();
		make_receives();
		for (unsigned k = 0; k < RANKS; k++)
			leave(k);
		begin_match();
		story.match.see_pair = see_pair;
		play(take_match, NULL);
		sc_match_finish(&story.match);
		assert_int_equal(pairs_seen, naive.pair_count);
		assert_int_equal(pairs_wrong, 0);
		/* what nobody took is left over */
		assert_int_equal(story.remarks.list.count, MESSAGES - naive.pair_count);
		finish_match();
	}
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

TEST(memory_of_a_thousand)
{
	assert_true(held_of_ring(1000, 200) <= 2000);
	assert_int_equal(held_of_ring(1000, 20), held_of_ring(1000, 200));
}
