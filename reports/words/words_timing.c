/* Words for what happened in this run: overlap, time lost, the program's own ranges. */
#include <inttypes.h>
#include <stdbool.h>
#include "reports/utf8.h"
#include "reports/words/words_fill.h"

void sc_words_time(struct sc_buf *out, uint64_t ns)
{
	if (ns < 1000)
		sc_buf_printf(out, "%" PRIu64 " ns", ns);
	else if (ns < 1000000)
		sc_buf_printf(out, "%.1f µs", (double)ns / 1e3);
	else if (ns < 1000000000)
		sc_buf_printf(out, "%.1f ms", (double)ns / 1e6);
	else
		sc_buf_printf(out, "%.1f s", (double)ns / 1e9);
}

bool sc_words_timing(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_device_times *times = sc_analysis_times(w->report->analysis);

	if (!sc_finding_lacks_order(f) || !times->list.count)
		return 0;
	sc_words_fill(out, w, f, sc_timing_rows[f->timing].sentence);
	if (f->timing != SC_TIMING_UNKNOWN && times->error_ns > f->timing_ns / 100) {
		sc_buf_add(out, " (clocks agree within ");
		sc_words_time(out, times->error_ns);
		sc_buf_add(out, ")");
	}
	return 1;
}

#define STALLS_SHOWN 4

/* "stream 3 for 1.2 ms (8 times)". */
static void add_stall(struct sc_buf *out, const struct sc_words *w, const struct sc_stall *stall)
{
	sc_words_stream_name(out, w, stall->stream);
	sc_buf_add(out, " for ");
	sc_words_time(out, stall->ns);
	sc_buf_add(out, " (");
	sc_words_count(out, stall->count, "time");
	sc_buf_add(out, ")");
}

static void add_holds(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_stall *stall = sc_analysis_stalls(w->report->analysis, f);
	uint32_t shown = f->stall_count <= STALLS_SHOWN + 1 ? f->stall_count : STALLS_SHOWN;

	sc_buf_add(out, "it delayed ");
	for (uint32_t i = 0; i < shown; i++) {
		sc_buf_add(out, i ? ", " : "");
		add_stall(out, w, &stall[i]);
	}
	if (shown < f->stall_count)
		sc_buf_printf(out, ", %" PRIu32 " more streams", f->stall_count - shown);
	if (f->stall_count > 1) {
		sc_buf_add(out, ", together for ");
		sc_words_time(out, f->held_ns);
	}
}

bool sc_words_cost(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (!f->blocked_ns && !f->idle_ns && !f->held_ns)
		return 0;
	if (f->blocked_ns) {
		sc_buf_add(out, "the host waited ");
		sc_words_time(out, f->blocked_ns);
	}
	if (f->idle_ns) {
		sc_buf_add(out, f->blocked_ns ? ", then the device was idle for "
					      : "the device was idle after it for ");
		sc_words_time(out, f->idle_ns);
	}
	if (f->held_ns) {
		sc_buf_add(out, f->blocked_ns || f->idle_ns ? "; " : "");
		add_holds(out, w, f);
	}
	sc_buf_add(out, " in this run");
	return 1;
}

void sc_words_section(struct sc_buf *out, const struct sc_words *w, uint64_t op)
{
	const char *section = sc_analysis_section(w->report->analysis, op);

	if (!section)
		return;
	sc_buf_add(out, ", in \"");
	sc_utf8_add_clean(out, section);
	sc_buf_add(out, "\"");
}
