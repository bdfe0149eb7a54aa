/* Decide: the command of the line `decide` in the text report. */
#include "tests/unit/reports/report_fake.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"

/* A kernel of which nothing is known but its parameter. */
static void make(struct fake *f)
{
	struct sc_finding *finding;

	fake_init(f, "function 1 0 text=\"k\"\nalloc a 64\nkernel n1 1\nset n2 a 64\n");
	finding = fake_finding(f, SC_RULE_209, SC_WARNING);
	finding->confidence = SC_POSSIBLE;
	finding->doubt = SC_DOUBT_FOOTPRINT;
	finding->side[0] = fake_side(f, 3, SC_SIDE_WRITE, 0, 64);
	finding->side[0].known = SC_KNOWN_PARAMETER;
	finding->side[0].how = SC_HOW_PARAMETER;
	finding->side[1] = fake_side(f, 4, SC_SIDE_WRITE, 0, 64);
}

/* What decides a possible finding is a command that starts the program again, or says that it is
 * not known. */
TEST(a_command_can_be_pasted)
{
	static const struct {
		const char *command; /* of the process */
		const char *run;     /* as the run was started, if that is known */
		int rank;
		bool is_child;
		const char *trace, *expected;
	} rows[] = {
		{"./app 'a b'", NULL, -1, 0, "t.sct", "verify t.sct -- ./app 'a b'\n"},
		{"./app", "./test.sh './app x'", -1, 1, "t.sct",
		 "verify t.sct -- ./test.sh './app x'\n"},
		{"./app", NULL, -1, 1, "t.sct", "verify t.sct -- PROGRAM\n"},
		{"python3 -u train.py", NULL, 1, 0, "t.sct", "verify t.sct -- PROGRAM\n"},
		{"python3 -u train.py", "torchrun --nproc-per-node 2 train.py", 1, 1, "t.sct",
		 "verify t.sct -- torchrun --nproc-per-node 2 train.py\n"},
		{"python3 -c 'from multiprocessing.spawn import spawn_main; "
		 "spawn_main(tracker_fd=5, "
		 "pipe_handle=9)' --multiprocessing-fork",
		 NULL, -1, 0, "t.sct", "verify t.sct -- PROGRAM\n"},
		{"./app one two …", NULL, -1, 0, "t.sct", "verify t.sct -- PROGRAM\n"},
		{"./app", NULL, -1, 0, "/my traces/t.sct", "verify '/my traces/t.sct' -- ./app\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sc_report_style style = {.is_whole = 1, .width = 30};
		struct sc_buf text = {0};
		struct fake f;

		make(&f);
		f.names.command = rows[i].command;
		f.names.rank = rows[i].rank;
		f.names.is_child = rows[i].is_child;
		f.report.command = rows[i].run;
		f.report.trace = rows[i].trace;
		sc_report_print(sc_report_find("text", 4), &text, &f.report, &style);
		if (!strstr(text.text, rows[i].expected))
			fail_msg("no \"%s\" in\n%s", rows[i].expected, text.text);
		sc_buf_fini(&text);
		fake_fini(&f);
	}
}
