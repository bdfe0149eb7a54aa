/* Memory of an analysis that follows a run: what it has allocated after N turns of a pattern is
 * what it has allocated after 5 N turns.
 *
 * Usage: test_growth WAY [PATTERN]
 *
 * All that is allocated counts, in bytes, so that no table can be forgotten. What is kept to use it
 * again reaches its size in the first turns.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/analysis.h"
#include "analyzer/parts.h"
#include "base/buf.h"
#include "tests/growth/pattern.h"
#include "trace/text/text.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/allocator_interface.h>

static size_t allocated(void)
{
	return __sanitizer_get_current_allocated_bytes();
}
#else
static size_t allocated(void)
{
	struct mallinfo2 now = mallinfo2();

	return now.uordblks + now.hblkhd;
}
#endif

#define TIMES	   5
#define REMEMBERED 512
#define PART	   256
#define LEFT_BYTES (2 * (TIMES - 1)) /* of all further turns: two bytes a turn */

static struct sc_text_script script_of(const struct pattern *p, uint64_t turns)
{
	struct sc_text_script script = {0};
	struct sc_buf text = {0};
	char message[256] = "";

	pattern_write(&text, p, turns);
	if (sc_text_parse(&script, sc_buf_text(&text), text.bytes, message, sizeof(message))) {
		fprintf(stderr, "%s: %s\n", p->name, message);
		exit(1);
	}
	sc_buf_fini(&text);
	return script;
}

/* An analysis that reads one trace in parts, and what comes before its turn. */
struct run {
	struct sc_reader *reader, *ahead; /* owned; of the same trace */
	struct sc_analysis *analysis;	  /* owned */
	bool foresees;
	uint64_t seen; /* records that `ahead` has read */
};

static struct sc_reader *reader_of(const char *name, const struct sc_text_script *s)
{
	char message[256] = "";
	struct sc_reader *r;

	if (sc_reader_open_memory(&r, s->trace, s->bytes, message, sizeof(message))) {
		fprintf(stderr, "%s: %s\n", name, message);
		exit(1);
	}
	return r;
}

/* What extensions/live/disk.c looks ahead for. */
static bool comes_early(const struct sc_op *op)
{
	return (op->kind == SC_OP_LAUNCH_BYTES && op->link) ||
	       (op->kind == SC_OP_KERNEL && op->flags & SC_FLAG_CAPTURED);
}

/* Up to that slot: the reader that looks ahead is PART records before the analysis at most. */
static void read_to(struct run *run, uint64_t end)
{
	struct sc_record record;

	sc_reader_set_end(run->ahead, end);
	while (run->foresees && sc_reader_next(run->ahead, &record)) {
		if (++run->seen % PART == 0) {
			sc_reader_set_end(run->reader, record.sequence);
			sc_analysis_read_on(run->analysis);
		}
		if (comes_early(&record.op))
			sc_analysis_foresee(run->analysis, &record);
	}
	sc_reader_set_end(run->reader, end);
	sc_analysis_read_on(run->analysis);
}

static uint64_t slots_of(const struct sc_text_script *s)
{
	return (s->bytes - SC_TRACE_HEADER) / SC_SLOT_SIZE;
}

/* What the follower of a run analyzes with; and where more is remembered. Tables that are swept
 * grow and shrink in turn; after the turns of the short run and of the long one they are as large
 * as they were. */
static const struct way {
	const char *name;
	uint64_t turns; /* of the short run */
	struct sc_analysis_settings settings;
} ways[] = {
	{"live", 2500, {.profile = SC_REFERENCE, .is_live = 1, .remembered = REMEMBERED}},
	{"strict",
	 2500,
	 {.profile = SC_STRICT, .is_live = 1, .strict_hosts = 1, .remembered = REMEMBERED}},
	{"disk",
	 2500,
	 {.profile = SC_REFERENCE, .is_live = 1, .gives_back = 1, .remembered = REMEMBERED}},
	{"advice",
	 5000,
	 {.profile = SC_REFERENCE, .is_live = 1, .advice = 1, .remembered = REMEMBERED}},
};

/* Whether a long run of the pattern keeps more than a short one. */
static bool grows(const struct pattern *p, const struct way *way)
{
	const struct sc_analysis_settings *settings = &way->settings;
	struct sc_text_script few = script_of(p, way->turns);
	struct sc_text_script many = script_of(p, way->turns * TIMES);
	struct run run = {reader_of(p->name, &many), reader_of(p->name, &many), NULL,
			  settings->gives_back, 0};
	size_t start, early, late;
	bool is_damaged;

	sc_reader_limit(run.ahead, REMEMBERED);
	start = allocated();
	run.analysis = sc_analysis_begin(run.reader, settings);
	read_to(&run, slots_of(&few));
	early = allocated() - start;
	read_to(&run, slots_of(&many));
	late = allocated() - start;
	is_damaged = sc_reader_stats(run.reader)->damaged != 0;
	if (is_damaged)
		fprintf(stderr, "%s: the trace is damaged\n", p->name);
	printf("%-32s %10zu %10zu%s\n", p->name, early, late,
	       late > early + LEFT_BYTES * way->turns ? "  grows" : "");
	sc_analysis_end(run.analysis);
	sc_analysis_free(run.analysis);
	sc_reader_free(run.reader);
	sc_reader_free(run.ahead);
	sc_text_script_fini(&few);
	sc_text_script_fini(&many);
	return is_damaged || late > early + LEFT_BYTES * way->turns;
}

static const struct way *way_of(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	fprintf(stderr, "usage: test_growth live|strict|disk|advice [PATTERN]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	const struct way *way = way_of(argc > 1 ? argv[1] : "");
	unsigned met = 0;
	bool failed = 0;

	for (unsigned i = 0; i < pattern_count; i++) {
		if (argc > 2 && strcmp(argv[2], patterns[i].name) != 0)
			continue;
		met++;
		failed |= grows(&patterns[i], way);
		fflush(stdout);
	}
	return failed || !met;
}
