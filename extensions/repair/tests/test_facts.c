/* Host functions as a plan asks for them: one that still runs while others, of another stream, have
 * come and gone. */
#include "tests/unit/unit.h"
#include "extensions/repair/planner/facts.h"
#include "base/buf.h"
#include "trace/text/text.h"

#define OTHERS 1500

/* A text trace, and its facts. */
struct opened {
	struct sc_text_script script;
	struct sc_reader *reader;
	struct sc_trace_facts facts;
};

static void open_facts(struct opened *o, struct sc_buf *text)
{
	char message[200] = "";

	*o = (struct opened){0};
	assert_int_equal(
		sc_text_parse(&o->script, text->text, text->bytes, message, sizeof(message)), 0);
	assert_int_equal(sc_reader_open_memory(&o->reader, o->script.trace, o->script.bytes,
					       message, sizeof(message)),
			 0);
	sc_trace_facts_read(&o->facts, o->reader);
	sc_buf_fini(text);
}

static void close_facts(struct opened *o)
{
	sc_trace_facts_fini(&o->facts);
	sc_reader_free(o->reader);
	sc_text_script_fini(&o->script);
}

/* Stream 1 has a function that does not return, and stream 2 many that do. */
static void write_script(struct sc_buf *text)
{
	sc_buf_printf(text, "host_func s1\ncallback_begin 1\n");
	for (unsigned i = 0; i < OTHERS; i++) {
		unsigned line = 3 + 3 * i;

		sc_buf_printf(text, "host_func s2\ncallback_begin %u\ncallback_end %u\n", line,
			      line);
	}
	sc_buf_printf(text, "host_func s2\n");
}

TEST(one_runs_and_many_have_run)
{
	struct sc_buf text = {0};
	struct sc_trace_facts *f;
	struct opened o;
	uint64_t last;

	write_script(&text);
	open_facts(&o, &text);
	f = &o.facts;
	last = f->slots;
	assert_true(f->count >= 3 * OTHERS);
	assert_true(sc_trace_facts_is_running(f, f->running.items[0].stream, last));
	assert_true(sc_trace_facts_is_pending(f, f->enqueued.items[0].stream,
					      f->enqueued.items[0].place - 1, last));
	assert_false(sc_trace_facts_is_pending(f, f->enqueued.items[0].stream,
					       f->enqueued.items[0].place, last));
	assert_false(sc_trace_facts_is_running(f, f->running.items[1].stream, last));
	/* the last one of stream 2 has not begun */
	assert_true(sc_trace_facts_is_pending(f, f->running.items[1].stream, 0, last));
	assert_false(sc_trace_facts_is_pending(f, f->running.items[1].stream, 0, last - 1));
	assert_false(sc_trace_facts_has_returned(f, 1, last));
	assert_true(sc_trace_facts_has_returned(f, 2, last));
	assert_false(sc_trace_facts_has_returned(f, 2, f->running.items[1].begin));
	close_facts(&o);
}

/* Waits of other threads, and those up to the place, do not count. */
TEST(waits_of_a_thread)
{
	const struct sc_known_sync *waits[4];
	struct sc_buf text = {0};
	struct opened o;

	sc_buf_add(&text,
		   "t1: stream_sync s1\nt2: stream_sync s1\nt1: context_sync\nt1: event_sync e1\n");
	open_facts(&o, &text);
	for (size_t i = 0; i < 4; i++)
		waits[i] = sc_trace_facts_wait(&o.facts, 1, 0, i);
	assert_non_null(waits[0]);
	assert_true(waits[0]->stream != 0);
	assert_int_equal(waits[1]->stream, 0);
	assert_true(waits[0]->place < waits[1]->place && waits[1]->place < waits[2]->place);
	assert_null(waits[3]);
	assert_ptr_equal(sc_trace_facts_wait(&o.facts, 1, waits[0]->place, 0), waits[1]);
	close_facts(&o);
}
