/* streamcheck sites: the places that rely on an order that CUDA's texts do not promise, or that
 *only the default stream gives, for whoever ports the program or changes its streams.
 *
 * The trace is analyzed under other assumptions, one after the other; what is found under one and
 *not under the one before relies on the difference:
 *
 *	permissive	what drivers of today do
 *	reference	what the page of each function says
 *	strict		what no text contradicts
 *	apart		the same as reference, if streams were not ordered with the default stream
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "extensions/questions/finding_key.h"
#include "cmds/files/kept_trace.h"
#include "cmds/check/loaded.h"
#include "cmds/standard_output.h"
#include "cmds/process/terminal.h"
#include "extensions/questions/op_phrases.h"
#include "reports/text/text_layout.h"

enum class { HABIT, TEXTS, DEFAULT_STREAM, CLASSES };

static const struct {
	const char *title;
	enum sc_profile from, to; /* what is found only under the second */
	bool is_apart;
} classes[] = {
	[HABIT] =
		{"Drivers of today wait here, and no text promises it (docs/ordering.md 0.6, H-3, "
		 "C-A1, C-A2, 4.5)",
		 SC_PERMISSIVE, SC_REFERENCE, 0},
	[TEXTS] =
		{"CUDA's texts contradict each other about this order (docs/ordering.md 0.6, C-S2)",
		 SC_REFERENCE, SC_STRICT, 0},
	[DEFAULT_STREAM] = {"Only the default stream orders these (S-3): not so with "
			    "--default-stream=per-thread, or in non-blocking streams",
			    SC_REFERENCE, SC_REFERENCE, 1},
};

struct page {
	struct sc_buf *out;
	struct sc_report_style style;
	struct sc_buf phrase;
	struct sc_loaded *loaded;
	const char *path;
	struct sc_options options;
	struct sc_callsites callsites;
	size_t counts[CLASSES];
};

static void print(struct page *p, const char *label)
{
	sc_layout_fact(p->out, &p->style, label, sc_buf_text(&p->phrase));
	sc_buf_clear(&p->phrase);
}

/* Every stream that the program made as one that the default stream does not wait for. */
static bool part_streams(void *data, struct sc_record *record)
{
	struct sc_op *op = &record->op;

	(void)data;
	if (op->kind == SC_OP_STREAM_CREATE && !(op->flags & SC_FLAG_LEGACY))
		op->flags |= SC_FLAG_NON_BLOCKING;
	return 1;
}

static struct sc_analysis *analyse(struct page *p, enum sc_profile profile, bool is_apart)
{
	static const struct sc_filter apart = {.is_kept = part_streams};
	struct sc_analysis *a;

	p->options.profile = profile;
	if (is_apart)
		sc_reader_set_filter(p->loaded->reader, &apart);
	a = sc_loaded_analyse(p->loaded->reader, p->path, &p->options, NULL);
	sc_reader_set_filter(p->loaded->reader, NULL);
	return a;
}

static void print_side(struct page *p, struct sc_op_phrases *ops, const struct sc_finding *f,
		       unsigned i)
{
	sc_op_phrases_add(&p->phrase, ops, sc_finding_shown(f, i));
	print(p, f->sides < 2 ? "where" : i ? "then" : "first");
}

static void print_rule(struct page *p, unsigned number, const char *label)
{
	const struct sc_rule_row *rule = sc_rule_find(number);

	if (!number || !rule)
		return;
	sc_buf_printf(&p->phrase, "SC-%u %s: %s", number, rule->slug, rule->summary);
	print(p, label);
}

static void print_site(struct page *p, struct sc_op_phrases *ops, const struct sc_finding *f)
{
	sc_words_set_finding(&ops->words, f);
	sc_buf_add_char(p->out, '\n');
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		print_side(p, ops, f, i);
	print_rule(p, f->rule, "finding");
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		print_rule(p, f->causes[i], "cause");
	if (f->count > 1) {
		sc_words_count(&p->phrase, f->count, "time");
		print(p, "seen");
	}
	sc_words_fix(&p->phrase, &ops->words, f);
	print(p, "repair");
}

/* Prints what the second analysis finds more than the first. */
static void print_class(struct page *p, enum class class, const struct sc_analysis *before,
			const struct sc_analysis *after)
{
	struct sc_report report = p->loaded->report;
	const struct sc_finding *f;
	struct sc_u64_map known = {0};
	struct sc_op_phrases ops;
	size_t count;

	report.analysis = after;
	sc_op_phrases_init(&ops, &report, p->style.directory);
	sc_finding_keys_add(&known, &p->callsites, p->loaded->reader, before);
	f = sc_analysis_findings(after, &count);
	for (size_t i = 0; i < count; i++)
		for (unsigned k = 0; k < f[i].sides && k < 2; k++)
			sc_op_phrases_want(&ops, sc_finding_shown(&f[i], k));
	sc_op_phrases_fetch(&ops);
	for (size_t i = 0; i < count; i++) {
		uint64_t key = sc_finding_key(&p->callsites, p->loaded->reader, after, &f[i]);

		if (f[i].severity == SC_ADVICE || sc_u64_map_find(&known, key))
			continue;
		if (!p->counts[class]++)
			sc_buf_printf(p->out, "%s%s:\n", p->out->bytes ? "\n" : "",
				      classes[class].title);
		print_site(p, &ops, &f[i]);
	}
	sc_op_phrases_fini(&ops);
	sc_u64_map_fini(&known);
}

static void print_all(struct page *p)
{
	size_t all = 0;

	for (unsigned i = 0; i < CLASSES; i++) {
		struct sc_analysis *before = analyse(p, classes[i].from, 0);
		struct sc_analysis *after = analyse(p, classes[i].to, classes[i].is_apart);

		print_class(p, i, before, after);
		sc_analysis_free(before);
		sc_analysis_free(after);
	}
	for (unsigned i = 0; i < CLASSES; i++)
		all += p->counts[i];
	if (!all)
		sc_buf_add(p->out, "no place of this run relies on an order that the texts do not "
				   "promise, or on the default stream\n");
	else
		sc_buf_printf(p->out,
			      "\n%zu by drivers' habit, %zu by contradicting texts, %zu by the "
			      "default stream\n",
			      p->counts[HABIT], p->counts[TEXTS], p->counts[DEFAULT_STREAM]);
	if (!sc_analysis_complete(p->loaded->analysis))
		sc_buf_add(p->out, "the trace is incomplete: there may be others\n");
}

int sc_cmd_sites(int argc, char **argv)
{
	char directory[PATH_MAX], path[PATH_MAX];
	struct sc_options options;
	struct sc_buf out = {0};
	struct page page = {.out = &out};
	struct sc_loaded l;
	int first = sc_arguments_read(&options, sc_command_find("sites"), argc, argv);

	if (argc - first > 1)
		sc_die("sites: usage: streamcheck sites [options] [TRACE]");
	sc_kept_choose(path, "sites", argc > first ? argv[first] : NULL);
	if (sc_loaded_open(&l, path, &options, 0))
		return SC_EXIT_USAGE;
	sc_loaded_name_all(&l);
	page.loaded = &l;
	page.path = path;
	page.options = options;
	page.options.advice = 0;
	sc_terminal_style(&page.style, STDOUT_FILENO, (unsigned)options.color, directory);
	print_all(&page);
	sc_buf_fini(&page.phrase);
	sc_callsites_fini(&page.callsites);
	sc_loaded_close(&l);
	return sc_print_and_free(&out);
}
