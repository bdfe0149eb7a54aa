/* Uses of shared memory that are not ordered: how sure the findings are, and what a thousand ranks
 * cost. */
#include "analyzer/across/log.h"
#include "tests/unit/sharing_story.h"

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

static void expect(size_t count, enum sc_confidence confidence, enum sc_doubt doubt)
{
	see = NULL;
	run();
	assert_int_equal(story.remarks.list.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(story.remarks.list.items[i].remark.rule, 175);
		assert_int_equal(story.remarks.list.items[i].remark.confidence, confidence);
		assert_int_equal(story.remarks.list.items[i].remark.doubt, doubt);
	}
	finish();
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

/* Nothing comes before the wait's call, so it is for a record or for none. */
static void unsure_wait_is_possible(void **state)
{
	struct sc_across_event *e;

	(void)state;
	begin(2);
	access_of(0, SC_WRITE);
	e = add(0, SC_ACROSS_RECORD);
	e->tag = MEMORY + 1;
	e = add(1, SC_ACROSS_WAIT);
	e->tag = MEMORY + 1;
	access_of(1, SC_READ);
	expect(2, SC_POSSIBLE, SC_DOUBT_FOREIGN);
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

static void many_meet(uint64_t number)
{
	uint64_t link[MANY];

	for (unsigned i = 0; i < MANY; i++)
		link[i] = give(i,
			       (struct sc_across_event){.group = WORLD,
							.tag = number,
							.value = SC_MESSAGE_COLLECTIVE,
							.call = BARRIER},
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
		many_meet(2 * round + 1);
		for (unsigned i = 0; i < MANY; i++)
			if (i % ON_A_NODE)
				many_use(i, SC_READ);
		many_meet(2 * round + 2);
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
		cmocka_unit_test(rows_are_exact),
		cmocka_unit_test(double_name_is_silent),
		cmocka_unit_test(memory_of_a_thousand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
