/* streamcheck baseline: the findings that are there now, written down, so that only new ones count.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "cmds/judge/baseline_file.h"
#include "cmds/check/loaded.h"
#include "cmds/judge/suppress.h"
#include "reports/fingerprint.h"
#include "reports/output.h"
#include "reports/words/words.h"

/* What goes into a baseline, and what is in it already. */
struct baseline {
	struct sc_suppressions suppressions;
	struct sc_knowns written;
	struct sc_buf text;
	bool has_failed;
};

static void add_finding(struct baseline *b, struct sc_words *w, const struct sc_finding *f,
			uint64_t fingerprint)
{
	const struct sc_rule_row *rule = sc_rule_find(f->rule);
	char print[SC_FINGERPRINT_SIZE];

	if (sc_known_match(&b->written, fingerprint))
		return;
	*sc_u64_map_get(&b->written.findings, fingerprint) = 1;
	sc_fingerprint_text(print, fingerprint);
	sc_words_set_finding(w, f);
	sc_buf_printf(&b->text, "%s SC-%u %s ", print, (unsigned)f->rule,
		      rule ? rule->slug : "unknown-rule");
	sc_words_place(&b->text, w, f->side[f->sides > 1].op);
	sc_buf_add_char(&b->text, '\n');
}

static void add_trace(struct baseline *b, const char *path, const struct sc_options *o)
{
	char directory[PATH_MAX];
	struct sc_fingerprints prints;
	const struct sc_finding *f;
	struct sc_loaded l;
	struct sc_words words;
	size_t count;

	if (sc_loaded_open(&l, path, o, 0)) {
		b->has_failed = 1;
		return;
	}
	sc_fingerprints_init(&prints, &l.report);
	sc_words_init(&words, &l.report, getcwd(directory, sizeof(directory)));
	f = sc_analysis_findings(l.analysis, &count);
	for (size_t i = 0; i < count && i < prints.count; i++)
		if (!sc_suppress_find(&b->suppressions, &l.report, &f[i], sc_suppression_today()))
			add_finding(b, &words, &f[i], prints.items[i]);
	if (!sc_analysis_complete(l.analysis))
		sc_warn("%s is not complete; findings may be missing from the baseline", path);
	sc_fingerprints_fini(&prints);
	sc_loaded_close(&l);
}

static int write_out(const struct baseline *b, const char *path)
{
	int err = *path && strcmp(path, "-") ? sc_output_write_file(path, &b->text, NULL)
					     : sc_output_write_fd(STDOUT_FILENO, &b->text);

	if (err)
		sc_die("cannot write the baseline to %s: %s", *path ? path : "standard output",
		       strerror(-err));
	return b->has_failed ? SC_EXIT_USAGE : SC_EXIT_CLEAN;
}

int sc_cmd_baseline(int argc, char **argv)
{
	struct sc_options options;
	struct baseline b = {0};
	char message[512] = "";
	int code, first = sc_arguments_read(&options, sc_command_find("baseline"), argc, argv);

	if (first == argc)
		sc_die("baseline: no trace given; usage: streamcheck baseline [options] -o FILE "
		       "TRACE...; streamcheck run keeps traces with --trace=FILE, and on a "
		       "terminal "
		       "in streamcheck-reports");
	for (unsigned i = 0; i < options.suppressions.count; i++)
		if (sc_suppressions_read(&b.suppressions, options.suppressions.text[i], message,
					 sizeof(message)))
			sc_die("suppressions: %s", message);
	b.suppressions.reads_comments = options.comments != 0;
	sc_known_print_head(&b.text);
	for (int i = first; i < argc; i++)
		add_trace(&b, argv[i], &options);
	code = write_out(&b, options.output);
	sc_known_fini(&b.written);
	sc_suppressions_fini(&b.suppressions);
	sc_buf_fini(&b.text);
	return code;
}
