/* Check: trace to findings to reports to one exit code. */
#include "cmds/check/check.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "analyzer/symbol/cache.h"
#include "base/run_start.h"
#include "base/shell.h"
#include "base/message.h"
#include "cmds/process/exit_code.h"
#include "cmds/files/folder.h"
#include "extensions/repair/repair.h"
#include "cmds/files/kept_trace.h"
#include "reports/output.h"

void sc_check_init(struct sc_check *c, const struct sc_options *o)
{
	*c = (struct sc_check){.options = o};
	sc_judge_init(&c->judge, o);
}

/* Of several traces, names of the files that they share are looked up once. */
static void share_symbols(struct sc_check *c, size_t traces)
{
	if (!c->symbols && traces > 1)
		c->symbols = sc_symbol_cache_new();
}

static void add_word(struct sc_buf *out, const char *word)
{
	bool is_plain = *word && !strpbrk(word, SC_SHELL_SPECIAL);

	if (is_plain) {
		sc_buf_add(out, word);
		return;
	}
	sc_buf_add_char(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			sc_buf_add(out, "'\\''");
		else
			sc_buf_add_char(out, *word);
	sc_buf_add_char(out, '\'');
}

void sc_check_set_command(struct sc_check *c, char *const *argv)
{
	for (; *argv; argv++) {
		sc_buf_add(&c->command, c->command.bytes ? " " : "");
		add_word(&c->command, *argv);
	}
}

void sc_check_forget_command(struct sc_check *c)
{
	sc_buf_fini(&c->command);
}

void sc_check_set_ended(struct sc_check *c, int process)
{
	sc_run_find(process, &c->sinks.run);
	c->is_own = 1;
}

void sc_check_begin(struct sc_check *c, unsigned traces)
{
	sc_sinks_init(&c->sinks, c->options, traces);
	share_symbols(c, traces);
}

static bool wants_summary(const struct sc_check *c)
{
	return c->sinks.traces > 1 || *c->options->summary;
}

/* Fingerprints cost little, but only baselines and runs of many processes need them here. */
static void take_prints(const struct sc_check *c, const struct sc_loaded *l,
			struct sc_fingerprints *prints)
{
	if (*c->options->baseline || wants_summary(c))
		sc_fingerprints_init(prints, &l->report);
}

/* Chooses what reports call the trace; true if it is a name for a packed one. */
static bool name_trace(struct sc_check *c, struct sc_loaded *l, const char *path, const char *shown,
		       char kept[PATH_MAX])
{
	bool is_kept = !shown && c->is_own && !*c->options->trace && sc_folder_is_writable() &&
		       sc_kept_name(kept, c->options, path, (int)l->names.process, l->names.rank,
				    c->sinks.traces);

	if (shown)
		l->report.trace = shown;
	else if (is_kept)
		l->report.trace = kept;
	else if (!c->is_own || *c->options->trace)
		l->report.trace = path;
	return is_kept;
}

/* The report for people on standard error names the signal, if the recorder knows it. */
static void note_end(struct sc_check *c, const struct sc_loaded *l)
{
	if (l->names.process == c->ended_process && sc_analysis_coverage(l->analysis)->signal &&
	    c->options->format == SC_FORMAT_TEXT && !*c->options->output)
		c->ended_signal = 0;
}

static void keep(struct sc_check *c, const struct sc_loaded *l, const char *path, const char *kept)
{
	bool is_in_folder = !strncmp(kept, SC_FOLDER "/", strlen(SC_FOLDER "/"));
	size_t findings;
	int err;

	sc_analysis_findings(l->analysis, &findings);
	if (!findings)
		return;
	c->sinks.used_folder |= is_in_folder;
	err = is_in_folder ? sc_folder_make() : 0;
	err = err ? err : sc_kept_write(path, kept, l->report.symbols);
	if (err)
		sc_warn("cannot keep the trace as %s: %s; html=no keeps none", kept,
			strerror(-err));
}

void sc_check_compare(struct sc_check *c, char *const *paths, size_t count)
{
	share_symbols(c, count);
	c->ranks.symbols = c->symbols;
	sc_ranks_compare(&c->ranks, c->options, paths, count);
}

static int load(struct sc_check *c, struct sc_loaded *l, const char *path,
		const struct sc_remarks *remarks)
{
	struct sc_analysis *analysis;
	struct sc_reader *reader;

	if (!c->live || !sc_live_take(c->live, path, &reader, &analysis))
		return sc_loaded_open_with(l, path, c->options, c->is_own, remarks);
	sc_loaded_take(l, reader, analysis, path, c->options, c->is_own);
	return 0;
}

void sc_check_trace(struct sc_check *c, const char *path, const char *shown)
{
	struct sc_fingerprints prints = {0};
	struct sc_repair_note repair;
	struct sc_buf options = {0};
	char kept[PATH_MAX];
	struct sc_remarks remarks = {0};
	struct sc_loaded l;
	bool is_kept;

	c->traces++;
	if (c->options->verbose)
		sc_warn("checking trace %s", path);
	remarks.items = sc_ranks_of(&c->ranks, path, &remarks.count);
	if (load(c, &l, path, &remarks)) {
		c->has_failed = 1;
		return;
	}
	sc_ranks_note(&c->ranks, l.reader, path);
	l.report.verified = c->verified;
	sc_symbols_share(l.report.symbols, c->symbols);
	note_end(c, &l);
	is_kept = sc_reader_is_whole(l.reader) && name_trace(c, &l, path, shown, kept);
	sc_kept_add_options(&options, c->options);
	l.report.trace_options = options.text;
	l.report.command = c->command.bytes ? c->command.text : NULL;
	take_prints(c, &l, &prints);
	sc_judge_report(&c->judge, &l.report, l.analysis, l.reader, &prints);
	if (c->confirm)
		sc_confirm_report(c->confirm, &l.report);
	sc_fingerprints_fini(&prints);
	prints = (struct sc_fingerprints){0};
	if (wants_summary(c)) {
		sc_fingerprints_init(&prints, &l.report);
		sc_summary_add(&c->summary, &l.report, &prints);
		sc_fingerprints_fini(&prints);
	}
	c->is_incomplete |= !sc_analysis_complete(l.analysis);
	if (sc_reader_is_whole(l.reader) && sc_plan_note(&repair, &l.report, c->options))
		l.report.repair = &repair;
	sc_sinks_write(&c->sinks, &l);
	if (is_kept)
		keep(c, &l, path, kept);
	sc_buf_fini(&options);
	c->passed_over += l.sources.passed_over;
	sc_loaded_close(&l);
}

static void warn_of_no_cuda(void)
{
	sc_warn("no copy, fill, kernel or graph was recorded in full (in a window, if the run has "
		"windows), and option require-cuda requires one");
}

bool sc_check_summary(struct sc_check *c, const struct sc_summary *read, const char *path)
{
	if (!sc_summary_join(&c->summary, read)) {
		sc_warn("%s is of %" PRIu32 " shards, others are of %" PRIu32, path,
			read->shard_count, c->summary.shard_count);
		c->has_failed = 1;
		return 0;
	}
	for (size_t i = 0; i < read->rows.count; i++) {
		const struct sc_summary_row *row = &read->rows.items[i];

		sc_judge_row(&c->judge, row->rule, row->severity, row->confidence);
	}
	c->traces += read->processes > 0;
	return 1;
}

static void write_summary(struct sc_check *c)
{
	char path[PATH_MAX];
	struct sc_buf text = {0};
	int err;

	if (!*c->options->summary)
		return;
	err = sc_options_expand(c->options->summary, (int)getpid(), path, sizeof(path));
	sc_summary_write(&text, &c->summary);
	if (!err)
		err = sc_output_write_file(path, &text, sc_sinks_keep(&c->sinks));
	if (err) {
		sc_warn("cannot write the summary to %s: %s", path, strerror(-err));
		c->has_failed = 1;
	}
	sc_buf_fini(&text);
}

/* Ranks of two runs are said by every format, whatever it can show. */
static void check_runs(struct sc_check *c)
{
	struct sc_buf runs = {0};

	if (sc_summary_runs(&runs, &c->summary)) {
		sc_warn("ranks of %s; name the files of one run", runs.text);
		c->is_incomplete = 1;
	}
	sc_buf_fini(&runs);
}

int sc_check_end(struct sc_check *c)
{
	struct sc_buf summary = {0};
	bool is_incomplete = !c->is_shard && sc_summary_is_incomplete(&c->summary);
	bool fails, saw_no_cuda = sc_judge_saw_no_cuda(&c->judge);

	if (c->verified)
		sc_verified_print(&summary, c->verified, &(struct sc_report_style){0});
	sc_summary_print(&summary, &c->summary, c->options->text != 0);
	sc_sinks_finish(&c->sinks, &c->summary, sc_buf_text(&summary));
	write_summary(c);
	check_runs(c);
	sc_buf_fini(&summary);
	if (c->sinks.used_folder && !c->sinks.run.began)
		sc_run_find((int)getpid(), &c->sinks.run);
	if (c->sinks.used_folder)
		sc_folder_clean(c->sinks.run.began);
	sc_summary_fini(&c->summary);
	sc_ranks_fini(&c->ranks);
	sc_buf_fini(&c->command);
	sc_symbol_cache_free(c->symbols);
	fails = sc_judge_finish(&c->judge);
	sc_judge_fini(&c->judge);
	c->is_incomplete |= is_incomplete;
	if (saw_no_cuda)
		warn_of_no_cuda();
	if (c->passed_over)
		sc_warn("source files outside of the current folder, and comments in them, were "
			"not read; --source-root=FOLDER reads those below FOLDER");
	if (c->has_failed || c->sinks.has_failed)
		return SC_EXIT_USAGE;
	if (fails)
		return (int)c->options->exitcode;
	return c->is_incomplete || saw_no_cuda || (!c->traces && !c->is_shard) ? SC_EXIT_INCOMPLETE
									       : SC_EXIT_CLEAN;
}
