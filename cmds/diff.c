/* streamcheck diff: which findings a run has that another did not have, by their fingerprints. */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/vector.h"
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "cmds/check/loaded.h"
#include "cmds/judge/judge.h"
#include "cmds/process/exit_code.h"
#include "reports/facts.h"
#include "reports/fingerprint.h"
#include "reports/json_writer.h"
#include "reports/output.h"

enum change { NEW, GONE, SAME, CHANGES };

static const char *const change_names[] = {"new", "gone", "same"};

struct row {
	uint64_t fingerprint;
	unsigned rule;
	enum change change;
	struct sc_buf line; /* as compilers write it, without a line end */
};

struct difference {
	struct sc_judge judge;
	struct sc_u64_map by_print; /* index + 1 in rows */
	SC_VECTOR(struct row) rows;
	size_t counts[CHANGES];
	bool is_complete, fails;
};

/* A finding of the newer run that the older one has is the same; of one run equals are one. */
static void take_finding(struct difference *d, const struct sc_report *r,
			 const struct sc_finding *f, uint64_t fingerprint, bool is_newer)
{
	uint64_t *index = sc_u64_map_get(&d->by_print, fingerprint);
	struct row row = {.fingerprint = fingerprint, .change = is_newer ? NEW : GONE};
	char directory[PATH_MAX];

	if (*index) {
		struct row *known = &d->rows.items[*index - 1];

		if (is_newer && known->change == GONE)
			known->change = SAME;
		return;
	}
	row.rule = f->rule;
	sc_report_line(&row.line, r, f, getcwd(directory, sizeof(directory)));
	row.line.text[strcspn(row.line.text, "\n")] = '\0';
	sc_vector_push(&d->rows, row);
	*index = d->rows.count;
	d->fails |= is_newer && sc_gate_fails(&d->judge.gate, f);
}

static void take_trace(struct difference *d, const char *path, bool is_newer)
{
	struct sc_fingerprints prints;
	const struct sc_finding *f;
	struct sc_loaded l;
	size_t count;

	if (sc_loaded_open(&l, path, d->judge.options, 0))
		exit(SC_EXIT_USAGE);
	sc_fingerprints_init(&prints, &l.report);
	f = sc_analysis_findings(l.analysis, &count);
	for (size_t i = 0; i < count; i++)
		if (!sc_judge_hides(&d->judge, &l.report, &f[i]))
			take_finding(d, &l.report, &f[i], prints.items[i], is_newer);
	sc_loaded_warn(&l, "diff", path);
	d->is_complete &= sc_analysis_complete(l.analysis);
	sc_fingerprints_fini(&prints);
	sc_loaded_close(&l);
}

static void print_text(struct sc_buf *out, const struct difference *d)
{
	for (unsigned change = 0; change < SAME; change++)
		for (size_t i = 0; i < d->rows.count; i++)
			if (d->rows.items[i].change == change)
				sc_buf_printf(out, "%-4s %s\n", change_names[change],
					      d->rows.items[i].line.text);
	sc_buf_printf(out, "%zu new, %zu gone, %zu same\n", d->counts[NEW], d->counts[GONE],
		      d->counts[SAME]);
}

static void print_json(struct sc_buf *out, const struct difference *d)
{
	struct sc_json j = {.out = out};
	char print[SC_FINGERPRINT_SIZE];
	struct sc_buf rule = {0};

	sc_json_open(&j, NULL, '{');
	sc_json_bool(&j, "complete", d->is_complete);
	for (unsigned change = 0; change < CHANGES; change++) {
		sc_json_open(&j, change_names[change], '[');
		for (size_t i = 0; i < d->rows.count; i++) {
			const struct row *row = &d->rows.items[i];

			if (row->change != change)
				continue;
			sc_json_open(&j, NULL, '{');
			sc_fingerprint_text(print, row->fingerprint);
			sc_json_text(&j, "fingerprint", print);
			sc_buf_printf(&rule, "SC-%u", row->rule);
			sc_json_phrase(&j, "rule", &rule);
			sc_json_text(&j, "line", row->line.text);
			sc_json_close(&j, '}');
		}
		sc_json_close(&j, ']');
	}
	sc_json_close(&j, '}');
	sc_buf_fini(&rule);
}

static void print(struct difference *d)
{
	struct sc_buf out = {0};
	int err;

	for (size_t i = 0; i < d->rows.count; i++)
		d->counts[d->rows.items[i].change]++;
	if (d->judge.options->format == SC_FORMAT_JSON)
		print_json(&out, d);
	else
		print_text(&out, d);
	err = sc_output_write_fd(STDOUT_FILENO, &out);
	if (err)
		sc_die("diff: cannot write to standard output: %s", strerror(-err));
	sc_buf_fini(&out);
}

static void fini(struct difference *d)
{
	for (size_t i = 0; i < d->rows.count; i++)
		sc_buf_fini(&d->rows.items[i].line);
	sc_vector_fini(&d->rows);
	sc_u64_map_fini(&d->by_print);
	sc_judge_fini(&d->judge);
}

int sc_cmd_diff(int argc, char **argv)
{
	struct difference d = {.is_complete = 1};
	struct sc_options options;
	int code = SC_EXIT_CLEAN, first;

	first = sc_arguments_read(&options, sc_command_find("diff"), argc, argv);
	if (argc - first != 2)
		sc_die("diff: two traces are wanted, not %d; usage: streamcheck diff [options] "
		       "OLD NEW",
		       argc - first);
	if (options.format != SC_FORMAT_TEXT && options.format != SC_FORMAT_JSON)
		sc_die("diff: option format is text or json here, not %s",
		       sc_report_at(options.format)->name);
	sc_judge_init(&d.judge, &options);
	take_trace(&d, argv[first], 0);
	take_trace(&d, argv[first + 1], 1);
	print(&d);
	if (d.fails)
		code = (int)options.exitcode;
	else if (!d.is_complete)
		code = SC_EXIT_INCOMPLETE;
	fini(&d);
	return code;
}
