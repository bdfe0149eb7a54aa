/* Uses of shared memory that are not ordered: how sure the findings are, and what a thousand ranks
 * cost. */
#include "extensions/ranks/across/log.h"
#include "extensions/ranks/tests/sharing_check.h"

/* ---- how sure ---- */

static struct sc_across_event *access_of(unsigned process, uint8_t mode)
{
	struct sc_across_event *e = add(process, SC_ACROSS_ACCESS);

	e->tag = MEMORY;
	e->bytes = BLOCK;
	e->value = sc_across_access_value(mode, SC_KNOWN_EXACT, 0);
	e->call = KERNEL;
	return e;
}

static void known(unsigned process, const struct sc_across_event *use)
{
	uint64_t link = use->sequence + 1;

	add(process, SC_ACROSS_KNOWN)->link = link;
}

/* Each was enqueued before the other's host knew its own end. */
static void together_is_proven(void **state)
{
	const struct sc_across_event *a, *b;

	(void)state;
	begin(2);
	a = access_of(0, SC_WRITE);
	b = access_of(1, SC_READ);
	known(0, a);
	known(1, b);
	see = NULL;
	run();
	assert_int_equal(story.remarks.list.count, 2);
	assert_non_null(strstr(story.remarks.list.items[0].remark.text,
			       "rank 1 reads 64 of these bytes by cuLaunchKernel"));
	assert_int_equal(story.remarks.list.items[0].remark.bytes, 64);
	assert_int_not_equal(story.remarks.list.items[0].remark.memory, 0);
	finish();
	expect(2, SC_PROVEN, SC_DOUBT_NONE);
}

/* The first host knew before the second one called, and may have told it. */
static void apart_is_possible(void **state)
{
	(void)state;
	begin(2);
	known(0, access_of(0, SC_WRITE));
	access_of(1, SC_READ);
	expect(2, SC_POSSIBLE, SC_DOUBT_CHANNEL);
}

/* What a rank did after its trace ends is not known: it may have waited, and told the other. */
static void after_the_end_is_possible(void **state)
{
	(void)state;
	begin(2);
	access_of(0, SC_WRITE);
	access_of(1, SC_READ);
	expect(2, SC_POSSIBLE, SC_DOUBT_CHANNEL);
}

static void lost_records_are_possible(void **state)
{
	const struct sc_across_event *a, *b;

	(void)state;
	begin(2);
	add(0, SC_ACROSS_VAGUE);
	a = access_of(0, SC_WRITE);
	b = access_of(1, SC_READ);
	known(0, a);
	known(1, b);
	expect(2, SC_POSSIBLE, SC_DOUBT_LOST);
}

/* A process that is held waits, and nobody else. */
static void held_is_not_handed_out(void **state)
{
	const struct sc_across_event list[2] = {{.what = SC_ACROSS_KNOWN, .time_ns = 1},
						{.what = SC_ACROSS_KNOWN, .time_ns = 2}};
	struct sc_across_log *log = sc_across_log_new();
	struct sc_across_event e;
	unsigned process;

	(void)state;
	assert_non_null(log);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sc_across_log_add_events(log, list, 2), 2);
	sc_across_log_hold(log, 0);
	sc_across_log_hold(log, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(sc_across_log_next(log, &process, &e), 1);
		assert_int_equal(process, 1);
	}
	assert_int_equal(sc_across_log_next(log, &process, &e), 0);
	sc_across_log_release(log, 2);
	assert_int_equal(sc_across_log_next(log, &process, &e), 1);
	assert_int_equal(process, 2);
	assert_true(sc_across_log_release_all(log));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sc_across_log_next(log, &process, &e), 1);
	assert_int_equal(sc_across_log_next(log, &process, &e), 0);
	assert_false(sc_across_log_release_all(log));
	sc_across_log_free(log);
}

/* Of processes that are in no group there are no messages to miss. */
static void strangers_are_silent(void **state)
{
	(void)state;
	begin(2);
	story.events[0][0].value = story.events[1][0].value = SC_GROUP_PART;
	known(0, access_of(0, SC_WRITE));
	access_of(1, SC_READ);
	expect(0, SC_POSSIBLE, SC_DOUBT_NONE);
}

static void reads_are_silent(void **state)
{
	(void)state;
	begin(2);
	access_of(0, SC_READ);
	access_of(1, SC_READ);
	expect(0, SC_POSSIBLE, SC_DOUBT_NONE);
}

static void bounds_are_possible(void **state)
{
	(void)state;
	begin(2);
	access_of(0, SC_WRITE)->value = sc_across_access_value(SC_WRITE, SC_KNOWN_PARAMETER, 0);
	access_of(1, SC_READ);
	expect(2, SC_POSSIBLE, SC_DOUBT_FOOTPRINT);
}

static struct sc_across_event *of_event(unsigned process, enum sc_across_what what)
{
	struct sc_across_event *e = add(process, what);

	e->tag = MEMORY + 1;
	e->peer = 7;
	return e;
}

/* The event of rank 0 is recorded after the use. */
static void record_after(const struct sc_across_event *use)
{
	uint64_t link = use->sequence + 1;

	of_event(0, SC_ACROSS_COVER)->link = link;
	of_event(0, SC_ACROSS_RECORD)->sequence--; /* the same op */
}

/* Nothing comes before the wait's call, so it is for the record or for none. */
static void unsure_wait_is_possible(void **state)
{
	const struct sc_across_event *wait, *a, *b;

	(void)state;
	begin(2);
	a = access_of(0, SC_WRITE);
	record_after(a);
	wait = of_event(1, SC_ACROSS_WAIT);
	add(1, SC_ACROSS_AFTER)->link = wait->sequence + 1;
	b = access_of(1, SC_READ);
	known(0, a);
	known(1, b);
	expect(2, SC_POSSIBLE, SC_DOUBT_FOREIGN);
}

/* The same, and what is used does not come after the wait. */
static void unsure_wait_elsewhere_is_proven(void **state)
{
	const struct sc_across_event *a, *b;

	(void)state;
	begin(2);
	a = access_of(0, SC_WRITE);
	record_after(a);
	of_event(1, SC_ACROSS_WAIT);
	b = access_of(1, SC_READ);
	known(0, a);
	known(1, b);
	expect(2, SC_PROVEN, SC_DOUBT_NONE);
}

/* No record covers the use, so no wait is for its end. */
static void unsure_wait_for_others_is_proven(void **state)
{
	const struct sc_across_event *wait, *a, *b;

	(void)state;
	begin(2);
	of_event(0, SC_ACROSS_RECORD);
	a = access_of(0, SC_WRITE);
	wait = of_event(1, SC_ACROSS_WAIT);
	add(1, SC_ACROSS_AFTER)->link = wait->sequence + 1;
	b = access_of(1, SC_READ);
	known(0, a);
	known(1, b);
	expect(2, SC_PROVEN, SC_DOUBT_NONE);
}

/* The host of a third rank waits for the event, and may say so to the second one. */
static void learned_by_a_third_is_possible(void **state)
{
	const struct sc_across_event *wait, *a, *b;

	(void)state;
	begin(3);
	a = access_of(0, SC_WRITE);
	record_after(a);
	say_so(0, 2);
	wait = of_event(2, SC_ACROSS_WAIT);
	add(2, SC_ACROSS_LEARNED)->link = wait->sequence + 1;
	b = access_of(1, SC_READ);
	known(0, a);
	known(1, b);
	expect(2, SC_POSSIBLE, SC_DOUBT_CHANNEL);
}

/* Records of the third rank are missing: one of them may have been such a wait. */
static void learned_unseen_is_possible(void **state)
{
	const struct sc_across_event *a, *b;

	(void)state;
	begin(3);
	add(2, SC_ACROSS_VAGUE);
	a = access_of(0, SC_WRITE);
	record_after(a);
	b = access_of(1, SC_READ);
	known(0, a);
	known(1, b);
	expect(2, SC_POSSIBLE, SC_DOUBT_FOREIGN);
}

/* The same after both were enqueued. */
static void learned_later_is_proven(void **state)
{
	const struct sc_across_event *wait, *a, *b;

	(void)state;
	begin(3);
	a = access_of(0, SC_WRITE);
	b = access_of(1, SC_READ);
	record_after(a);
	say_so(0, 2);
	wait = of_event(2, SC_ACROSS_WAIT);
	add(2, SC_ACROSS_LEARNED)->link = wait->sequence + 1;
	known(0, a);
	known(1, b);
	expect(2, SC_PROVEN, SC_DOUBT_NONE);
}

/* Columns of a matrix: no byte in common. */
static void rows_are_exact(void **state)
{
	(void)state;
	begin(2);
	for (unsigned i = 0; i < 2; i++) {
		struct sc_across_event *e = add(i, SC_ACROSS_SHAPE);

		e->operation = 2 * BLOCK;
		e->bytes = 8;
		e->link = 1;
		access_of(i, SC_WRITE)->operation = i * BLOCK;
	}
	expect(0, SC_POSSIBLE, SC_DOUBT_NONE);
}

/* A handle that two processes gave is of neither. */
static void double_name_is_silent(void **state)
{
	(void)state;
	begin(2);
	story.events[1][1].peer = SC_SHARE_GIVEN;
	access_of(0, SC_WRITE);
	access_of(1, SC_WRITE);
	expect(0, SC_POSSIBLE, SC_DOUBT_NONE);
}

/* Rank 2 waits for a message that nobody has sent, as far as is known. */
static void wait_in_vain(void)
{
	struct sc_across_event *e = add(2, SC_ACROSS_MESSAGE);
	uint64_t link = e->sequence + 1;

	e->value = SC_MESSAGE_RECEIVE | SC_MESSAGE_BLOCKS;
	e->call = RECEIVE;
	e->peer = 1;
	e->tag = 9;
	add(2, SC_ACROSS_RETURN)->link = link;
}

/* Nothing is said of what comes after it, since the message may have ordered that. */
static void after_a_lost_message_is_silent(void **state)
{
	(void)state;
	begin(3);
	known(0, access_of(0, SC_WRITE));
	wait_in_vain();
	access_of(2, SC_READ);
	expect(0, SC_POSSIBLE, SC_DOUBT_NONE);
}

/* The message may have been another's word. */
static void after_word_of_it_is_silent(void **state)
{
	(void)state;
	begin(3);
	known(0, access_of(0, SC_WRITE));
	wait_in_vain();
	say_so(2, 1);
	access_of(1, SC_READ);
	expect(0, SC_POSSIBLE, SC_DOUBT_NONE);
}

/* Of what comes before it, and of other ranks, all is known. */
static void beside_a_lost_message_is_possible(void **state)
{
	(void)state;
	begin(3);
	known(0, access_of(0, SC_WRITE));
	access_of(1, SC_READ);
	wait_in_vain();
	expect(2, SC_POSSIBLE, SC_DOUBT_CHANNEL);
}

/* A pool whose exported data does not tell two pointers apart leads nowhere. */
static void one_name_of_two_pointers_is_silent(void **state)
{
	(void)state;
	for (unsigned second = 0; second < 2; second++) {
		begin(2);
		story.events[0][1].value = story.events[1][1].value = SC_ACROSS_BOUND_ONCE;
		story.events[0][2] = story.events[0][1];
		story.events[0][2].tag += second;
		access_of(0, SC_WRITE);
		access_of(1, SC_WRITE);
		expect(second ? 0 : 2, SC_POSSIBLE, SC_DOUBT_CHANNEL);
	}
}

/* Nodes have different clocks, so that both were enqueued early proves nothing. */
static void other_nodes_are_possible(void **state)
{
	const struct sc_across_event *a, *b;

	(void)state;
	begin(2);
	story.events[1][1].bytes = 1;
	a = access_of(0, SC_WRITE);
	b = access_of(1, SC_READ);
	known(0, a);
	known(1, b);
	expect(2, SC_POSSIBLE, SC_DOUBT_CLOCKS);
}

/* ---- a thousand ranks ---- */

enum { MANY = 1000, ON_A_NODE = 8, ROUNDS = 60 };

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
	sc_sharing_take(&story.sharing, process, &e);
	return e.sequence;
}

static void begin_many(void)
{
	memset(&story, 0, sizeof(story));
	memset(sequences, 0, sizeof(sequences));
	sc_match_init(&story.match, MANY, &story.remarks, call_name, NULL);
	sc_sharing_init(&story.sharing, &story.match, &story.remarks, ignore_hold, NULL);
	for (unsigned i = 0; i < MANY; i++) {
		uint64_t name = 1 + i / ON_A_NODE;

		give(i,
		     (struct sc_across_event){
			     .group = WORLD, .value = SC_GROUP_WORLD, .peer = i + 1, .bytes = MANY},
		     SC_ACROSS_GROUP);
		give(i,
		     (struct sc_across_event){.group = name,
					      .tag = name,
					      .peer = i % ON_A_NODE ? SC_SHARE_OPENED
								    : SC_SHARE_GIVEN},
		     SC_ACROSS_BINDING);
	}
}

static void many_use(unsigned process, uint8_t mode)
{
	uint64_t sequence = give(
		process,
		(struct sc_across_event){.tag = 1 + process / ON_A_NODE,
					 .bytes = BLOCK,
					 .value = sc_across_access_value(mode, SC_KNOWN_EXACT, 0),
					 .call = KERNEL},
		SC_ACROSS_ACCESS);

	give(process, (struct sc_across_event){.link = sequence + 1}, SC_ACROSS_KNOWN);
}

static void many_meet(uint64_t number, enum call call)
{
	uint32_t flags = call == ALLTOALLV ? SC_MESSAGE_UNSIZED | SC_MESSAGE_FROM_ALL : 0u;
	uint64_t link[MANY];

	for (unsigned i = 0; i < MANY; i++)
		link[i] = give(i,
			       (struct sc_across_event){.group = WORLD,
							.tag = number,
							.bytes = 8,
							.value = SC_MESSAGE_COLLECTIVE | flags,
							.call = call},
			       SC_ACROSS_MESSAGE);
	for (unsigned i = 0; i < MANY; i++)
		give(i, (struct sc_across_event){.link = link[i] + 1}, SC_ACROSS_RETURN);
}

static size_t uses_held(void)
{
	size_t count = 0;

	for (const struct sc_sharing_object *x = story.sharing.shared.objects; x; x = x->hh.next)
		count += x->uses.count;
	return count;
}

/* Of each node one rank writes and the others read, in turns: what all know is forgotten. */
static void memory_of_a_thousand(void **state)
{
	size_t held_most = 0;

	(void)state;
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
		held_most = uses_held() > held_most ? uses_held() : held_most;
		assert_int_equal(sc_knowledge_size(&story.sharing.knowledge), 0);
	}
	sc_sharing_finish(&story.sharing);
	assert_int_equal(story.remarks.list.count, 0);
	assert_int_equal(story.sharing.forgotten, 0);
	assert_true(held_most <= (size_t)(MANY / ON_A_NODE) * 2 * 64);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(together_is_proven),
		cmocka_unit_test(apart_is_possible),
		cmocka_unit_test(after_the_end_is_possible),
		cmocka_unit_test(lost_records_are_possible),
		cmocka_unit_test(held_is_not_handed_out),
		cmocka_unit_test(strangers_are_silent),
		cmocka_unit_test(reads_are_silent),
		cmocka_unit_test(bounds_are_possible),
		cmocka_unit_test(unsure_wait_is_possible),
		cmocka_unit_test(unsure_wait_elsewhere_is_proven),
		cmocka_unit_test(unsure_wait_for_others_is_proven),
		cmocka_unit_test(learned_by_a_third_is_possible),
		cmocka_unit_test(learned_unseen_is_possible),
		cmocka_unit_test(learned_later_is_proven),
		cmocka_unit_test(rows_are_exact),
		cmocka_unit_test(double_name_is_silent),
		cmocka_unit_test(after_a_lost_message_is_silent),
		cmocka_unit_test(after_word_of_it_is_silent),
		cmocka_unit_test(beside_a_lost_message_is_possible),
		cmocka_unit_test(one_name_of_two_pointers_is_silent),
		cmocka_unit_test(other_nodes_are_possible),
		cmocka_unit_test(memory_of_a_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
