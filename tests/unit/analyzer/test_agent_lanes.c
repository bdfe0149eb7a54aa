/* Lanes of operations that streams begin (analyzer/order/agent.h): a run that makes streams again
 * and again, and lets each begin one, needs no more of them. */
#include <stdbool.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "analyzer/analysis.h"
#include "analyzer/order/state.h"
#include "base/buf.h"
#include "trace/text/text.h"

#define STREAMS 400

static const struct sc_order *order;

static void see(void *data, struct sc_order *o, const struct sc_step *step)
{
	(void)data;
	(void)step;
	order = o;
}

/* How many lanes a trace of so many streams takes; the rest is what each does. */
static uint32_t lanes_of(unsigned streams, bool is_quiet)
{
	static const struct sc_watch watch = {.see = see};
	struct sc_analysis_settings settings = {
		.profile = SC_REFERENCE, .no_routine = 1, .watch = &watch};
	struct sc_text_script script;
	struct sc_analysis *analysis;
	struct sc_reader *reader;
	struct sc_buf text = {0};
	char message[200] = "";
	uint32_t lanes;

	sc_buf_add(&text, "alloc A 1024\n");
	for (unsigned i = 0, line = 1; i < streams; i++) {
		sc_buf_printf(&text, "agent nvshmemx_putmem_nbi_on_stream stream=s%u reads A\n", i);
		line++;
		if (is_quiet) {
			sc_buf_printf(&text, "agent_end %u stream=s%u\n", line, i);
			line++;
		}
		sc_buf_printf(&text, "kernel s%u work\nstream_sync s%u\nstream_destroy s%u\n", i, i,
			      i);
		line += 3;
	}
	if (sc_text_parse(&script, text.text, text.bytes, message, sizeof(message)))
		fail_msg("%s", message);
	assert_int_equal(sc_reader_open_memory(&reader, script.trace, script.bytes, message,
					       sizeof(message)),
			 0);
	analysis = sc_analysis_begin(reader, &settings);
	assert_non_null(analysis);
	sc_analysis_read_on(analysis);
	lanes = order->streams.lanes;
	sc_analysis_end(analysis);
	sc_analysis_free(analysis);
	sc_reader_free(reader);
	sc_text_script_fini(&script);
	sc_buf_fini(&text);
	return lanes;
}

TEST(ended)
{
	assert_in_range(lanes_of(STREAMS, true), 2, STREAMS / 4);
}

/* An operation of which nobody saw the end may still be at work: its lane stays its own. */
TEST(not_ended)
{
	assert_true(lanes_of(STREAMS, false) >= STREAMS);
}
