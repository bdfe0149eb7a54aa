/* What uses of shared memory by a thousand ranks cost. */
#include "extensions/ranks/tests/sharing_story.h"

enum { MANY = 1000, ON_A_NODE = 8, ROUNDS = 60, LOOPS = 10000 };

/* Of its node. */
#define MEMORY_OF(rank) (UINT64_C(1) + (rank) / ON_A_NODE)
#define EVENT_OF(rank)	(UINT64_C(1) + MANY + (rank) / ON_A_NODE)

static uint64_t sequences[MANY];

static void ignore_hold(void *data, unsigned process, bool is_held)
{
	(void)data;
	(void)process;
	(void)is_held;
}

static uint64_t give(unsigned process, struct sc_across_event e, enum sc_across_what what)
{
	e.what = (uint8_t)what;
	e.sequence = sequences[process]++;
	e.time_ns = story.now_ns++;
	sc_sharing_take(&sharing, process, &e);
	return e.sequence;
}

static void share(unsigned process, uint64_t name, enum sc_across_bound what)
{
	give(process,
	     (struct sc_across_event){.group = name,
				      .tag = name,
				      .value = what,
				      .peer = process % ON_A_NODE ? SC_SHARE_OPENED
								  : SC_SHARE_GIVEN},
	     SC_ACROSS_BINDING);
}

static void begin_many(void)
{
	memset(&story, 0, sizeof(story));
	memset(sequences, 0, sizeof(sequences));
	sc_match_init(&story.match, MANY, &story.remarks, call_name, NULL);
	sc_sharing_init(&sharing, &story.match, &story.remarks, ignore_hold, NULL);
	for (unsigned i = 0; i < MANY; i++) {
		give(i,
		     (struct sc_across_event){
			     .group = WORLD, .value = SC_GROUP_WORLD, .peer = i + 1, .bytes = MANY},
		     SC_ACROSS_GROUP);
		share(i, MEMORY_OF(i), SC_ACROSS_BOUND_MEMORY);
	}
}

static void many_use(unsigned process, uint8_t mode)
{
	uint64_t sequence = give(
		process,
		(struct sc_across_event){.tag = MEMORY_OF(process),
					 .group = sequences[process] + 1,
					 .bytes = BLOCK,
					 .value = sc_across_access_value(mode, SC_KNOWN_EXACT, 0),
					 .call = KERNEL},
		SC_ACROSS_ACCESS);

	give(process, (struct sc_across_event){.group = sequence + 1}, SC_ACROSS_KNOWN);
}

static void many_meet(uint64_t number, enum call call)
{
	uint32_t flags = call == ALLTOALLV ? SC_MESSAGE_UNSIZED | SC_MESSAGE_FROM_ALL : 0u;
	uint64_t link[MANY];

	for (unsigned i = 0; i < MANY; i++)
		link[i] = give(i,
			       (struct sc_across_event){
				       .group = WORLD,
				       .tag = number,
				       .bytes = 8,
				       .value = value_of(SC_MESSAGE_COLLECTIVE, call) | flags,
				       .call = call},
			       SC_ACROSS_MESSAGE);
	for (unsigned i = 0; i < MANY; i++)
		give(i, (struct sc_across_event){.link = link[i] + 1}, SC_ACROSS_RETURN);
}

static size_t uses_held(void)
{
	size_t count = 0;

	for (const struct sc_sharing_object *x = sharing.shared.objects; x; x = x->hh.next)
		count += x->uses.count;
	return count;
}

/* What a rank knows is what all knew at a collective, and a few lanes. */
static void assert_few_lanes(void)
{
	for (unsigned i = 0; i < MANY; i++) {
		const struct sc_clock *c = sharing.knowledge.of[i].clock;

		assert_true(c->is_dense ? c->version > 0 : c->count < MANY / ON_A_NODE);
	}
}

/* Of each node one rank writes and the others read, in turns: what all know is forgotten. */
TEST(memory_of_a_thousand)
{
	size_t held_most = 0;

	begin_many();
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < MANY; i++)
			if (i % ON_A_NODE == 0)
				many_use(i, SC_WRITE);
		many_meet(3 * round + 1, BARRIER);
		for (unsigned i = 0; i < MANY; i++)
			if (i % ON_A_NODE)
				many_use(i, SC_READ);
		many_meet(3 * round + 2, ALLTOALLV);
		many_meet(3 * round + 3, SCAN);
		assert_few_lanes();
		held_most = uses_held() > held_most ? uses_held() : held_most;
		assert_int_equal(sc_knowledge_size(&sharing.knowledge), 0);
	}
	sc_sharing_finish(&sharing);
	assert_int_equal(story.remarks.list.count, 0);
	assert_int_equal(sharing.forgotten, 0);
	assert_true(held_most <= (size_t)(MANY / ON_A_NODE) * 2 * 64);
	finish();
}

static unsigned races;

static void count_race(void *data, struct sc_match_key a, struct sc_match_key b)
{
	(void)data;
	(void)a;
	(void)b;
	races++;
}

/* Two ranks read in a loop, and neither hears how far the other one is. What stays is few uses of
 * each loop, the last one too; so all of what a write races with at the end is compared, and
 * nothing had to be forgotten. */
TEST(loops_of_which_nobody_hears)
{
	begin_many();
	sharing.see_race = count_race;
	races = 0;
	for (unsigned i = 0; i < LOOPS; i++) {
		many_use(0, SC_READ);
		many_use(1, SC_READ);
	}
	assert_true(uses_held() <= 2 * (SC_SHARING_EXAMPLES + 1));
	many_use(1, SC_WRITE);
	assert_int_equal(races, SC_SHARING_EXAMPLES + 1);
	sc_sharing_finish(&sharing);
	assert_int_equal(sharing.forgotten, 0);
	assert_int_equal(story.remarks.list.count, 2);
	finish();
}

/* Of each node one rank writes, and the others wait for its event before they read. */
TEST(events_of_a_thousand)
{
	begin_many();
	for (unsigned i = 0; i < MANY; i++)
		share(i, EVENT_OF(i), SC_ACROSS_BOUND_EVENT);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < MANY; i += ON_A_NODE) {
			many_use(i, SC_WRITE);
			give(i, (struct sc_across_event){.tag = EVENT_OF(i)}, SC_ACROSS_RECORD);
		}
		many_meet(2 * round + 1, BARRIER);
		for (unsigned i = 0; i < MANY; i++) {
			uint64_t wait;

			if (i % ON_A_NODE == 0)
				continue;
			wait = give(i, (struct sc_across_event){.tag = EVENT_OF(i)},
				    SC_ACROSS_WAIT);
			give(i, (struct sc_across_event){.link = wait + 1}, SC_ACROSS_AFTER);
			many_use(i, SC_READ);
			give(i, (struct sc_across_event){.link = wait + 1}, SC_ACROSS_LEARNED);
		}
		assert_int_equal(sharing.busy.count, 0); /* nothing more to look at */
		many_meet(2 * round + 2, BARRIER);
	}
	sc_sharing_finish(&sharing);
	assert_int_equal(story.remarks.list.count, 0);
	finish();
}
