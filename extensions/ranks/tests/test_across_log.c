/* Which waits of the host have not returned at the end of a trace; which events are handed out. */
#include "extensions/ranks/across/log.h"

#include <string.h>
#include "tests/unit/unit.h"
#include "base/buf.h"
#include "trace/text/text.h"

#define NCCL	"group 1 0x77 4 peer=1 bytes=2\n"
#define PENDING " phase=begin result=pending\n"
#define MOST	4

/* The waits that are left at the end; returns how many. */
static size_t waits_of(const char *text, struct sc_across_event out[MOST])
{
	struct sc_across_log *log = sc_across_log_new();
	struct sc_text_script script;
	struct sc_across_event event;
	struct sc_reader *reader;
	char message[200] = "";
	unsigned process;
	size_t count = 0;

	if (sc_text_parse(&script, text, strlen(text), message, sizeof(message)))
		fail_msg("%s", message);
	assert_int_equal(sc_reader_open_memory(&reader, script.trace, script.bytes, message,
					       sizeof(message)),
			 0);
	assert_true(sc_across_log_add(log, reader) >= 0);
	while (sc_across_log_next(log, &process, &event) > 0)
		if (event.what == SC_ACROSS_STUCK && count < MOST)
			out[count++] = event;
	sc_across_log_free(log);
	sc_reader_free(reader);
	sc_text_script_fini(&script);
	return count;
}

TEST(returned)
{
	struct sc_across_event waits[MOST];

	assert_int_equal(waits_of(NCCL "t1: stream_sync s1" PENDING "t2: stream_sync s2" PENDING
				       "t3: stream_sync s3" PENDING
				       "t1: stream_sync s1 phase=end link=2\n",
				  waits),
			 2);
	assert_true(waits[0].sequence < waits[1].sequence);
	assert_int_not_equal(waits[0].thread, waits[1].thread);
	assert_int_not_equal(waits[0].thread, 1);
	assert_int_not_equal(waits[1].thread, 1);
}

TEST(without_nccl)
{
	struct sc_across_event waits[MOST];

	assert_int_equal(waits_of("group 1 0x77 3 peer=1 bytes=2\nstream_sync s1" PENDING, waits),
			 0);
}

/* Whose streams a wait for a context is for, if there are several. */
TEST(contexts)
{
	struct sc_across_event waits[MOST];

	assert_int_equal(waits_of(NCCL "kernel s1 work\ncontext_sync c1" PENDING, waits), 1);
	assert_int_equal(waits[0].tag, 1);
	assert_int_equal(waits_of(NCCL "kernel s1 work\ncontext_sync c2" PENDING, waits), 1);
	assert_int_equal(waits[0].tag, 0);
}

/* As many waits as a hostile trace likes, each of which costs a look-up. */
TEST(many)
{
	struct sc_across_event waits[MOST];
	struct sc_buf text = {0};

	sc_buf_add(&text, NCCL);
	for (unsigned i = 0; i < 150000; i++)
		sc_buf_add(&text, "stream_sync s1" PENDING);
	for (unsigned i = 0; i < 150000; i++)
		sc_buf_add(&text, "stream_sync s1 phase=end link=1\n");
	assert_int_equal(waits_of(text.text, waits), MOST);
	sc_buf_fini(&text);
}

/* A process that is held waits, and nobody else. */
TEST(held)
{
	const struct sc_across_event list[2] = {{.what = SC_ACROSS_KNOWN, .time_ns = 1},
						{.what = SC_ACROSS_KNOWN, .time_ns = 2}};
	struct sc_across_log *log = sc_across_log_new();
	struct sc_across_event e;
	unsigned process;

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
