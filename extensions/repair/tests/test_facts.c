/* Host functions as a plan asks for them: one that still runs while others, of another stream, have
 * come and gone. */
#include "tests/unit/unit.h"
#include "extensions/repair/planner/facts.h"
#include "base/buf.h"
#include "trace/text/text.h"

#define OTHERS 1500

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
	struct sc_text_script script = {0};
	struct sc_trace_facts facts;
	struct sc_reader *reader;
	struct sc_buf text = {0};
	char message[200] = "";
	uint64_t last;

	write_script(&text);
	assert_int_equal(sc_text_parse(&script, text.text, text.bytes, message, sizeof(message)),
			 0);
	assert_int_equal(sc_reader_open_memory(&reader, script.trace, script.bytes, message,
					       sizeof(message)),
			 0);
	sc_trace_facts_read(&facts, reader);
	last = facts.slots;
	assert_true(facts.count >= 3 * OTHERS);
	assert_true(sc_trace_facts_is_running(&facts, facts.running.items[0].stream, last));
	assert_true(sc_trace_facts_is_pending(&facts, facts.enqueued.items[0].stream,
					      facts.enqueued.items[0].place - 1, last));
	assert_false(sc_trace_facts_is_pending(&facts, facts.enqueued.items[0].stream,
					       facts.enqueued.items[0].place, last));
	assert_false(sc_trace_facts_is_running(&facts, facts.running.items[1].stream, last));
	/* the last one of stream 2 has not begun */
	assert_true(sc_trace_facts_is_pending(&facts, facts.running.items[1].stream, 0, last));
	assert_false(sc_trace_facts_is_pending(&facts, facts.running.items[1].stream, 0, last - 1));
	assert_false(sc_trace_facts_has_returned(&facts, 1, last));
	assert_true(sc_trace_facts_has_returned(&facts, 2, last));
	assert_false(sc_trace_facts_has_returned(&facts, 2, facts.running.items[1].begin));
	sc_trace_facts_fini(&facts);
	sc_reader_free(reader);
	sc_text_script_fini(&script);
	sc_buf_fini(&text);
}
