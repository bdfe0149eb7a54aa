/* streamcheck merge: the traces and summaries of all processes of a run, in one report. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "cmds/arguments.h"
#include "cmds/check/check.h"
#include "cmds/command.h"
#include "cmds/inputs.h"
#include "cmds/files/text_file.h"

#define SUMMARY_MAX ((size_t)256 << 20) /* bytes: 2 KB for each of 20,000 findings, and more */

/* Reads a summary and adds it; one is in memory at a time. */
static void add_summary(struct sc_check *check, const char *path)
{
	struct sc_summary summary = {0};
	char message[512] = "", *text;
	size_t bytes;
	int err = sc_text_file_read_most(path, SUMMARY_MAX, &text, &bytes);

	if (err)
		sc_die("merge: cannot read %s: %s", path, strerror(-err));
	if (sc_summary_read(&summary, path, text, bytes, message, sizeof(message)))
		sc_die("merge: %s", message);
	free(text);
	sc_check_summary(check, &summary, path);
	sc_summary_fini(&summary);
}

int sc_cmd_merge(int argc, char **argv)
{
	struct sc_options options;
	struct sc_inputs in = {0};
	struct sc_check check;
	int first = sc_arguments_read(&options, sc_command_find("merge"), argc, argv);
	size_t parts;

	if (first == argc)
		sc_die("merge: no trace given; usage: streamcheck merge [options] "
		       "TRACE|SUMMARY|FOLDER...");
	sc_arguments_print_data(&options);
	signal(SIGPIPE, SIG_IGN);
	sc_inputs_take(&in, "merge", argv + first, argc - first);
	sc_check_init(&check, &options);
	/* Even one summary is of several processes. */
	parts = in.traces.count + in.summaries.count + (in.summaries.count == 1);
	sc_check_begin(&check, (unsigned)parts);
	if (in.summaries.count)
		sc_sinks_check_summaries(&check.sinks);
	sc_check_compare(&check, in.traces.items, in.traces.count);
	for (size_t i = 0; i < in.traces.count; i++)
		sc_check_trace(&check, in.traces.items[i], NULL);
	for (size_t i = 0; i < in.summaries.count; i++)
		add_summary(&check, in.summaries.items[i]);
	/* Of shards it is known which traces they have. */
	if (in.passed_over && !check.summary.shard_count)
		sc_warn("merge: %zu traces beside summaries are not read; name them one by one if "
			"the summaries are of other processes",
			in.passed_over);
	sc_inputs_fini(&in);
	return sc_check_end(&check);
}
