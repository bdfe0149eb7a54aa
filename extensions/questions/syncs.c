/* streamcheck syncs: for each line that synchronizes, what it orders that nothing else does.
 *
 * Every verdict is an analysis of the trace without the line (extensions/questions/sync_line.h).
 * Lines that order nothing by themselves may stand in for each other, so it is also said which of
 * them may go together: the most costly first, each tried without those before it.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "cmds/files/kept_trace.h"
#include "cmds/standard_output.h"
#include "extensions/questions/sync_line.h"
#include "cmds/process/terminal.h"
#include "extensions/questions/op_phrases.h"
#include "reports/text/text_layout.h"

#define LINES_MAX 64 /* that are tried; more are counted */

struct page {
	struct sc_buf *out;
	struct sc_report_style style;
	struct sc_op_phrases ops;
	struct sc_words words;
	struct sc_buf phrase;
	struct sc_sync_lines lines;
};

static void print(struct page *p, const char *label)
{
	sc_layout_fact(p->out, &p->style, label, sc_buf_text(&p->phrase));
	sc_buf_clear(&p->phrase);
}

static bool is_of_host(const struct sc_sync_line *l)
{
	return l->op.kind != SC_OP_EVENT_WAIT && l->op.kind != SC_OP_CONTEXT_WAIT;
}

/* Whether a narrower wait would do: for the one stream in which all that is ordered is. */
static void try_narrower(struct page *p, size_t i)
{
	struct sc_sync_line *l = &p->lines.list.items[i];
	struct sc_trial_result result;
	bool is_wide = l->op.kind == SC_OP_CONTEXT_SYNC ||
		       (l->op.kind == SC_OP_STREAM_SYNC && l->op.stream != l->without.stream);

	if (!is_wide || !l->without.stream)
		return;
	sc_sync_line_try(&p->lines, i, l->without.stream, &result);
	if (sc_trial_is_silent(&result))
		l->narrower = l->without.stream;
}

/* A library for messages may be given memory of the device when the host has waited. */
static bool is_before_messages(const struct page *p, const struct sc_sync_line *l)
{
	return is_of_host(l) && p->lines.loaded->names.rank >= 0;
}

static void try_all(struct page *p)
{
	for (size_t i = 0; i < p->lines.list.count && i < LINES_MAX; i++) {
		struct sc_sync_line *l = &p->lines.list.items[i];

		if (l->is_library || l->is_foreign)
			continue;
		sc_sync_line_try(&p->lines, i, 0, &l->without);
		l->is_examined = 1;
		if (!sc_trial_is_silent(&l->without))
			try_narrower(p, i);
	}
	if (!sc_analysis_complete(p->lines.loaded->analysis))
		return;
	for (size_t i = 0; i < p->lines.list.count && i < LINES_MAX; i++) {
		struct sc_sync_line *l = &p->lines.list.items[i];
		struct sc_trial_result result;

		if (!l->is_examined || !sc_trial_is_silent(&l->without) || is_before_messages(p, l))
			continue;
		l->is_together = 1;
		sc_sync_lines_try_together(&p->lines, &result);
		l->is_together = sc_trial_is_silent(&result);
	}
}

static void want_all(struct page *p)
{
	for (size_t i = 0; i < p->lines.list.count && i < LINES_MAX; i++) {
		const struct sc_sync_line *l = &p->lines.list.items[i];

		sc_op_phrases_want(&p->ops, l->sequence);
		if (l->without.exposed)
			sc_op_phrases_want(&p->ops, l->without.first_exposed);
		for (unsigned k = 0; k < l->without.count && k < SC_LINE_NEWS; k++)
			for (unsigned side = 0; side < l->without.news[k].sides; side++)
				sc_op_phrases_want(&p->ops, l->without.news[k].ops[side]);
	}
	sc_op_phrases_fetch(&p->ops);
}

static void print_line(struct page *p, const struct sc_sync_line *l)
{
	sc_op_phrases_add(&p->phrase, &p->ops, l->sequence);
	if (l->calls > 1) {
		sc_buf_add(&p->phrase, ", called ");
		sc_words_count(&p->phrase, l->calls, "time");
	}
	sc_layout_wrap(p->out, &p->style, 0, 2, sc_buf_text(&p->phrase));
	sc_buf_add_char(p->out, '\n');
	sc_buf_clear(&p->phrase);
}

static void print_news(struct page *p, const struct sc_news *n)
{
	sc_op_phrases_add(&p->phrase, &p->ops, n->ops[0]);
	if (n->sides > 1) {
		sc_buf_add(&p->phrase, " before ");
		sc_op_phrases_add(&p->phrase, &p->ops, n->ops[1]);
	}
	sc_buf_printf(&p->phrase, "; without it SC-%u [%s]", n->rule,
		      sc_words_confidence(n->confidence));
	print(p, "orders");
}

/* A trace does not say what the host does with memory once it has waited. */
static void print_exposed(struct page *p, const struct sc_sync_line *l)
{
	if (!l->without.exposed)
		return;
	sc_op_phrases_add(&p->phrase, &p->ops, l->without.first_exposed);
	if (l->without.exposed > 1) {
		sc_buf_add(&p->phrase, ", and ");
		sc_words_count(&p->phrase, l->without.exposed - 1, "more operation");
	}
	sc_buf_add(&p->phrase,
		   ", before whatever the host does next with that memory, which is not "
		   "recorded");
	print(p, l->without.count ? "orders" : "perhaps");
}

static void print_narrower(struct page *p, const struct sc_sync_line *l)
{
	if (l->narrower) {
		sc_buf_add(&p->phrase, "it orders more than needed: a wait for ");
		sc_words_stream_name(&p->phrase, &p->words, l->narrower);
		sc_buf_printf(&p->phrase, " alone (%s) gives no new finding",
			      p->words.dialect->stream_sync.name);
		print(p, "narrower");
	} else if (is_of_host(l) && l->without.is_for_device && !l->without.exposed) {
		sc_buf_printf(
			&p->phrase,
			"all that it orders is work of the device: an event (%s, %s) would do, "
			"and the host need not wait; not tried here",
			p->words.dialect->record.name, p->words.dialect->wait.name);
		print(p, "narrower");
	}
}

static void print_cost(struct page *p, const struct sc_sync_line *l)
{
	if (!l->cost.blocked_ns && !l->cost.idle_ns)
		return;
	sc_buf_add(&p->phrase, "the host waited ");
	sc_words_time(&p->phrase, l->cost.blocked_ns);
	if (l->cost.idle_ns) {
		sc_buf_add(&p->phrase, ", and the device was idle for ");
		sc_words_time(&p->phrase, l->cost.idle_ns);
	}
	sc_buf_add(&p->phrase, " in this run");
	print(p, "cost");
}

static void print_verdict(struct page *p, const struct sc_sync_line *l)
{
	if (l->is_library)
		sc_buf_add(&p->phrase, "not tried: a library calls it");
	else if (l->is_foreign)
		sc_buf_add(&p->phrase, "not tried: another process may record the event");
	else if (!l->is_examined)
		sc_buf_printf(&p->phrase, "not tried: only the %d most costly lines are",
			      LINES_MAX);
	else if (sc_trial_is_silent(&l->without) &&
		 !sc_analysis_complete(p->lines.loaded->analysis))
		sc_buf_add(&p->phrase, "nothing that was recorded; the trace is incomplete");
	else if (sc_trial_is_silent(&l->without) && is_before_messages(p, l))
		sc_buf_add(&p->phrase,
			   "nothing in this process; but it is one of several ranks, and "
			   "what MPI or another library does with memory of the device "
			   "after the wait is not recorded");
	else if (sc_trial_is_silent(&l->without) && l->is_together)
		sc_buf_add(&p->phrase,
			   "nothing that is not ordered without it: safe to remove in this "
			   "run");
	else if (sc_trial_is_silent(&l->without))
		sc_buf_add(&p->phrase,
			   "nothing by itself, but one of this and other such lines must "
			   "stay");
	if (p->phrase.bytes)
		print(p, "orders");
	for (unsigned i = 0; i < l->without.count && i < SC_LINE_NEWS; i++)
		print_news(p, &l->without.news[i]);
	if (l->without.count > SC_LINE_NEWS) {
		sc_buf_printf(&p->phrase, "and %" PRIu64 " more pairs",
			      l->without.count - SC_LINE_NEWS);
		print(p, "orders");
	}
}

static void print_head(struct page *p)
{
	size_t removable = 0, wide = 0, examined = 0;

	for (size_t i = 0; i < p->lines.list.count; i++) {
		const struct sc_sync_line *l = &p->lines.list.items[i];

		examined += l->is_examined;
		removable += l->is_together;
		wide += l->narrower != 0;
	}
	sc_words_count(&p->phrase, p->lines.list.count, "line");
	sc_buf_printf(&p->phrase,
		      " with synchronization, %zu tried: %zu may go together, %zu order more than "
		      "needed. That is about this run. Not looked at is that a wait also lets time "
		      "pass, shows errors of the device, and comes before device memory is given "
		      "to another process (MPI, RDMA)",
		      examined, removable, wide);
	if (!sc_analysis_complete(p->lines.loaded->analysis))
		sc_buf_add(&p->phrase,
			   ". The trace is incomplete, so a wait may be needed for what "
			   "was not recorded");
	sc_layout_wrap(p->out, &p->style, 0, 2, sc_buf_text(&p->phrase));
	sc_buf_add_char(p->out, '\n');
	sc_buf_clear(&p->phrase);
}

static void print_lines(struct page *p)
{
	for (size_t i = 0; i < p->lines.list.count && i < LINES_MAX; i++) {
		const struct sc_sync_line *l = &p->lines.list.items[i];

		sc_buf_add_char(p->out, '\n');
		print_line(p, l);
		print_verdict(p, l);
		print_exposed(p, l);
		print_narrower(p, l);
		print_cost(p, l);
	}
	if (p->lines.list.count <= LINES_MAX)
		return;
	sc_buf_add(p->out, "\nnot tried: ");
	sc_words_count(p->out, p->lines.list.count - LINES_MAX, "more line");
	sc_buf_printf(p->out, "; only the %d most costly are\n", LINES_MAX);
}

int sc_cmd_syncs(int argc, char **argv)
{
	char directory[PATH_MAX], path[PATH_MAX];
	struct sc_options options;
	struct sc_buf out = {0};
	struct page p = {.out = &out};
	struct sc_loaded l;
	int first = sc_arguments_read(&options, sc_command_find("syncs"), argc, argv);

	if (argc - first > 1)
		sc_die("syncs: usage: streamcheck syncs [options] [TRACE]");
	sc_kept_choose(path, "syncs", argc > first ? argv[first] : NULL);
	if (sc_loaded_open(&l, path, &options, 0))
		return SC_EXIT_USAGE;
	sc_loaded_warn(&l, "syncs", path);
	sc_loaded_name_all(&l);
	sc_sync_lines_find(&p.lines, &l, path, &options);
	try_all(&p);
	sc_terminal_style(&p.style, STDOUT_FILENO, (unsigned)options.color, directory);
	sc_op_phrases_init(&p.ops, &l.report, p.style.directory);
	sc_words_init(&p.words, &l.report, p.style.directory);
	want_all(&p);
	print_head(&p);
	print_lines(&p);
	sc_buf_fini(&p.phrase);
	sc_op_phrases_fini(&p.ops);
	sc_sync_lines_fini(&p.lines);
	sc_loaded_close(&l);
	return sc_print_and_free(&out);
}
