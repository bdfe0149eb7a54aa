/* streamcheck verify: a program again, to decide what its first run could not: which bytes the
 * kernels of its findings touch. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmds/arguments.h"
#include "cmds/files/as_recorded.h"
#include "cmds/process/child.h"
#include "cmds/command.h"
#include "cmds/run/recording.h"
#include "cmds/process/terminal.h"
#include "cmds/check/verification.h"
#include "reports/output.h"

struct verify {
	struct sc_verification findings;
	struct sc_verified verified;
};

/* On a GPU the kernels' bytes are recorded; the simulated device reports them of what it executes,
 * unless a library is named that is to record them there. */
static void choose_kernels(struct sc_recording *run)
{
	struct verify *v = run->context;
	struct sc_buf names = {0};
	char path[PATH_MAX];
	int err;

	if (run->is_simulated && !*run->options.sanitizer)
		return;
	if (snprintf(path, sizeof(path), "%s/kernels", run->collect.folder) >= (int)sizeof(path) ||
	    strlen(path) >= sizeof(run->options.record_kernels))
		sc_die("TMPDIR is too long: %s", run->collect.folder);
	sc_verification_kernels(&names, &v->findings);
	err = sc_output_write_file(path, &names, NULL);
	if (err)
		sc_die("cannot write %s: %s", path, strerror(-err));
	sc_buf_fini(&names);
	run->options.footprints = SC_FOOTPRINTS_RECORDED;
	strcpy(run->options.record_kernels, path);
}

/* The table stands before the report; where no process was seen there is none. */
static void print_alone(const struct sc_recording *run, const struct sc_verified *verified)
{
	char directory[PATH_MAX];
	struct sc_report_style style;
	struct sc_buf text = {0};

	if (run->options.format != SC_FORMAT_TEXT && !*run->options.output)
		return;
	sc_terminal_style(&style, STDERR_FILENO, (unsigned)run->options.color, directory);
	sc_verified_print(&text, verified, &style);
	sc_output_write_fd(STDERR_FILENO, &text);
	sc_buf_fini(&text);
}

static void look(struct sc_recording *run, int own)
{
	struct verify *v = run->context;
	char path[PATH_MAX];

	for (int i = 0; i < run->collect.count; i++) {
		if (sc_collect_is_empty(&run->collect, i))
			continue;
		sc_collect_path(&run->collect, i, path);
		sc_verification_look(&v->findings, path, &run->options);
	}
	sc_verification_judge(&v->verified, &v->findings, own);
	run->check.verified = &v->verified;
	if (sc_verified_count(&v->verified, SC_VERIFIED_OPEN) == v->verified.rows.count)
		run->check.is_incomplete = 1; /* nothing was decided: that is no success */
	if (run->options.format != SC_FORMAT_TEXT || !run->collect.count)
		print_alone(run, &v->verified);
}

/* Index of the program: after "--", or else the second argument; argc if there is none. */
static int find_program(int first, int argc, char **argv)
{
	for (int i = first; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return i + 1;
	return first + 1 < argc ? first + 1 : argc;
}

static int count_traces(int first, int end, char **argv)
{
	int count = 0;

	while (first + count < end && strcmp(argv[first + count], "--") != 0)
		count++;
	return count;
}

/* Takes the findings of all traces of the first run. */
static bool read_first(struct verify *v, const struct sc_options *options, int first, int end,
		       char **argv)
{
	for (int i = first; i < first + count_traces(first, end, argv); i++)
		if (!sc_verification_take(&v->findings, argv[i], options))
			return 0;
	v->verified.trace = argv[first];
	return 1;
}

/* Kernels that are not executed leave no bytes. */
static void let_kernels_run(const struct sc_recording *run)
{
	const char *kernels = getenv("STREAMCHECK_SIM_KERNELS");

	if (run->is_simulated && kernels && !strcmp(kernels, "skip"))
		sc_child_set("STREAMCHECK_SIM_KERNELS", "run");
}

/* A second run sees no more of an order that is made without a call than the first one. */
static void say_unasked(uint64_t unasked)
{
	if (unasked)
		sc_warn("verify cannot decide %" PRIu64
			" finding%s that %s not proven: no other run "
			"shows more of what %s line \"doubt\" says",
			unasked, unasked == 1 ? "" : "s", unasked == 1 ? "is" : "are",
			unasked == 1 ? "its" : "their");
}

static int verify(struct verify *v, struct sc_recording *run, char **argv)
{
	sc_recording_init(run, argv[0]);
	let_kernels_run(run);
	run->begin = choose_kernels;
	run->look = look;
	run->context = v;
	return sc_recording_run(run, argv);
}

int sc_cmd_verify(int argc, char **argv)
{
	struct sc_recording run = {0};
	struct verify v = {0};
	int first = sc_arguments_read(&run.options, sc_command_find("verify"), argc, argv);
	int program = find_program(first, argc, argv), code = SC_EXIT_CLEAN;

	if (first == argc || program >= argc || !strcmp(argv[first], "--"))
		sc_die("verify: expected a trace and a program; usage: streamcheck verify "
		       "[options] TRACE... -- PROGRAM [ARGUMENT...]");
	if (!run.options.analyze)
		sc_die("verify: needs --analyze=yes");
	sc_as_recorded_adopt(&run.options, argv + first, count_traces(first, program, argv));
	if (!read_first(&v, &run.options, first, program, argv))
		code = SC_EXIT_USAGE;
	else if (!v.findings.items.count)
		sc_warn("nothing to verify: no finding of %s depends on which bytes a kernel "
			"touches; the program was not run",
			argv[first]);
	else
		code = verify(&v, &run, argv + program);
	say_unasked(v.findings.unasked);
	sc_verified_fini(&v.verified);
	sc_verification_fini(&v.findings);
	return code;
}
