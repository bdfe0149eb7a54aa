/* Top's state: what is in flight, what is complete, which memory is alive. */
#include "extensions/live/top_state.h"

#include <stdio.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/analysis.h"
#include "base/buf.h"
#include "trace/text/text.h"

/* A trace of which everything was read. */
struct seen {
	struct sc_text_script script;
	struct sc_reader *reader;
	struct sc_analysis *analysis;
	struct sc_filter filter;
	struct sc_top_state state;
};

static bool asks_all = true;

static bool take(void *data, struct sc_record *record)
{
	sc_top_state_note(data, record);
	return true;
}

static void see(struct seen *s, const char *text)
{
	struct sc_analysis_settings settings = {
		.profile = SC_REFERENCE, .is_live = 1, .no_routine = asks_all};
	char message[200] = "";

	*s = (struct seen){0};
	if (sc_text_parse(&s->script, text, strlen(text), message, sizeof(message)))
		fail_msg("%s", message);
	assert_int_equal(sc_reader_open_memory(&s->reader, s->script.trace, s->script.bytes,
					       message, sizeof(message)),
			 0);
	sc_top_state_init(&s->state);
	settings.watch = &s->state.watch;
	s->analysis = sc_analysis_begin(s->reader, &settings);
	assert_non_null(s->analysis);
	s->filter = (struct sc_filter){.is_kept = take, .data = &s->state};
	sc_reader_set_filter(s->reader, &s->filter);
	sc_analysis_read_on(s->analysis);
	sc_top_state_settle(&s->state);
}

static void fini(struct seen *s)
{
	sc_reader_set_filter(s->reader, NULL);
	sc_analysis_end(s->analysis);
	sc_analysis_free(s->analysis);
	sc_top_state_fini(&s->state);
	sc_reader_free(s->reader);
	sc_text_script_fini(&s->script);
}

static void assert_stream(const struct seen *s, size_t index, uint64_t enqueued, uint64_t complete)
{
	assert_true(index < s->state.streams.count);
	assert_int_equal(s->state.streams.items[index].enqueued, enqueued);
	assert_int_equal(s->state.streams.items[index].complete, complete);
}

TEST(complete_is_what_the_host_knows)
{
	struct seen s;

	see(&s, "alloc d 1024\n"
		"kernel s1 writes d\n"
		"kernel s2\n"
		"record e1 s1\n"
		"kernel s1 writes d\n"
		"event_sync e1\n");
	assert_stream(&s, 0, 3, 2);
	assert_stream(&s, 1, 1, 0);
	fini(&s);
}

TEST(stream_that_waited_for_another)
{
	struct seen s;

	see(&s, "kernel s1\n"
		"record e1 s1\n"
		"wait s2 e1\n"
		"kernel s2\n"
		"stream_sync s2\n");
	assert_stream(&s, 0, 2, 2);
	assert_stream(&s, 1, 2, 2);
	fini(&s);
}

TEST(last_is_work)
{
	struct seen s;

	see(&s, "kernel s1\n"
		"record e1 s1\n"
		"record e1 s2\n");
	assert_int_equal(s.state.streams.items[0].last.kind, SC_OP_KERNEL);
	assert_int_equal(s.state.streams.items[1].last.kind, SC_OP_EVENT_RECORD);
	fini(&s);
}

/* More than are kept one by one: never said to be complete too early, and all in the end. */
TEST(more_marks_than_are_kept)
{
	struct sc_buf text = {0};
	struct seen s;

	for (unsigned i = 0; i < 3 * SC_TOP_MARKS_MOST; i++)
		sc_buf_add(&text, "kernel s1\n");
	sc_buf_add(&text, "record e1 s1\n");
	for (unsigned i = 0; i < SC_TOP_MARKS_MOST; i++)
		sc_buf_add(&text, "kernel s1\n");
	sc_buf_add(&text, "event_sync e1\n");
	see(&s, sc_buf_text(&text));
	assert_int_equal(s.state.streams.items[0].enqueued, 4 * SC_TOP_MARKS_MOST + 1);
	assert_true(s.state.streams.items[0].complete <= 3 * SC_TOP_MARKS_MOST + 1);
	assert_true(s.state.streams.items[0].complete > 2 * SC_TOP_MARKS_MOST);
	fini(&s);
	sc_buf_add(&text, "stream_sync s1\n");
	see(&s, sc_buf_text(&text));
	assert_stream(&s, 0, 4 * SC_TOP_MARKS_MOST + 1, 4 * SC_TOP_MARKS_MOST + 1);
	fini(&s);
	sc_buf_fini(&text);
}

TEST(memory_that_is_alive)
{
	struct seen s;

	see(&s, "alloc d 1024\n"
		"alloc p 512 pinned\n"
		"alloc_async s1 a 256\n"
		"free d\n"
		"free_async s1 a\n"
		"alloc q 64 pinned\n");
	assert_int_equal(s.state.memory[SC_MEM_DEVICE].count, 0);
	assert_int_equal(s.state.memory[SC_MEM_DEVICE].bytes, 0);
	assert_int_equal(s.state.memory[SC_MEM_PINNED].count, 2);
	assert_int_equal(s.state.memory[SC_MEM_PINNED].bytes, 576);
	fini(&s);
}

TEST(failed_allocation_is_none)
{
	struct seen s;

	see(&s, "alloc d 1024 result=2\n");
	assert_int_equal(s.state.memory[SC_MEM_DEVICE].count, 0);
	fini(&s);
}

TEST(call_that_a_thread_is_inside)
{
	struct seen s;

	see(&s, "t1: kernel s1 call=cuLaunchKernel\n"
		"t1: stream_sync s1 begin call=cuStreamSynchronize result=pending\n"
		"t2: kernel s2 call=cuLaunchKernel\n"
		"t3: kernel s2 call=cuLaunchKernel result=pending\n");
	assert_int_equal(s.state.threads.count, 3);
	assert_true(sc_top_state_is_inside(&s.state.threads.items[0], s.reader));
	assert_int_equal(s.state.threads.items[0].last.kind, SC_OP_STREAM_SYNC);
	assert_false(sc_top_state_is_inside(&s.state.threads.items[1], s.reader));
	assert_true(sc_top_state_is_inside(&s.state.threads.items[2], s.reader));
	fini(&s);
}

/* The analysis asks only some families about an ordinary op; this is told of each. */
TEST(state_without_asking_all_families)
{
	static const char text[] = "kernel s1\n"
				   "record e1 s1\n"
				   "wait s2 e1\n"
				   "kernel s2\n"
				   "kernel s2\n"
				   "event_sync e1\n";
	struct seen all, some;

	see(&all, text);
	asks_all = false;
	see(&some, text);
	asks_all = true;
	assert_int_equal(some.state.streams.count, 2);
	assert_stream(&some, 0, 2, 2);
	assert_int_equal(some.state.streams.items[1].enqueued, 3);
	for (size_t i = 0; i < 2; i++)
		assert_stream(&some, i, all.state.streams.items[i].enqueued,
			      all.state.streams.items[i].complete);
	fini(&all);
	fini(&some);
}

/* In stream order: an operation that ended says so of those before it. */
TEST(device_times_end_operations)
{
	struct seen s;

	see(&s, "kernel s1\n"
		"kernel s1\n"
		"kernel s2\n"
		"kernel s1\n"
		"device_time 2 1000 500 engine=kernel\n");
	assert_stream(&s, 0, 3, 2);
	assert_stream(&s, 1, 1, 0);
	fini(&s);
}

TEST(time_of_a_node_ends_no_graph)
{
	struct seen s;

	see(&s, "kernel s1\n"
		"device_time 1 1000 500 engine=kernel peer=1\n");
	assert_stream(&s, 0, 1, 0);
	fini(&s);
}

/* What is over takes no room. */
TEST(what_is_over_is_gone)
{
	struct sc_buf text = {0};
	struct seen s;

	for (unsigned i = 1; i <= 100; i++)
		sc_buf_printf(&text,
			      "alloc d%u 64\n"
			      "t%u: kernel s%u\n"
			      "stream_sync s%u\n"
			      "stream_destroy s%u\n"
			      "t%u: thread_end\n"
			      "free d%u\n",
			      i, i + 1, i, i, i, i + 1, i);
	see(&s, sc_buf_text(&text));
	assert_int_equal(s.state.streams.count, 0);
	assert_int_equal(s.state.blocks.count, 1);
	assert_int_equal(s.state.blocks_by_address.count, 0);
	assert_int_equal(s.state.streams_by_id.count, 0);
	assert_true(s.state.threads.count <= 1);
	assert_int_equal(s.state.threads_by_id.count, s.state.threads.count);
	fini(&s);
	sc_buf_fini(&text);
}
