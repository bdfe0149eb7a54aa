/* The command: what it prints, where, and with which exit code; `run` with a stand-in recorder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define RACE                                      \
	"alloc dev 4096\nalloc out 4096 pinned\n" \
	"copy n1 out <- dev 4096\nhost_read out 4\nstream_sync n1\nexit 0\n"
#define CLEAN                                     \
	"alloc dev 4096\nalloc out 4096 pinned\n" \
	"copy n1 out <- dev 4096\nstream_sync n1\nhost_read out 4\nexit 0\n"

/* A folder with an installed tree: bin/streamcheck, lib/libstreamcheck.so, and two traces. */
static char root[64];

struct outcome {
	int code; /* exit code; 128 + signal */
	char out[1 << 16];
	char err[1 << 16];
};

static struct outcome result;

static void read_text(char *text, size_t bytes, const char *path)
{
	FILE *file = fopen(path, "r");
	size_t got = 0;

	if (file) {
		got = fread(text, 1, bytes - 1, file);
		fclose(file);
	}
	text[got] = '\0';
}

/* Runs a shell line in the folder; $S is the command. */
__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...)
{
	char line[4096], path[128];
	va_list arguments;
	int used, status;

	used = snprintf(line, sizeof(line),
			"cd %s && S=bin/streamcheck && export TMPDIR=%s/tmp && { ", root, root);
	va_start(arguments, format);
	used += vsnprintf(line + used, sizeof(line) - (size_t)used, format, arguments);
	va_end(arguments);
	snprintf(line + used, sizeof(line) - (size_t)used, "\n} >stdout 2>stderr </dev/null");
	status = system(line);
	result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	snprintf(path, sizeof(path), "%s/stdout", root);
	read_text(result.out, sizeof(result.out), path);
	snprintf(path, sizeof(path), "%s/stderr", root);
	read_text(result.err, sizeof(result.err), path);
}

static void assert_holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void write_text(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

static int make_tree(void **state)
{
	(void)state;
	strcpy(root, "/tmp/test_command.XXXXXX");
	assert_non_null(mkdtemp(root));
	unsetenv("STREAMCHECK_OPTIONS");
	unsetenv("LD_PRELOAD");
	shell("mkdir bin lib tmp && cp %s bin/streamcheck && cp %s lib/libstreamcheck.so",
	      SC_COMMAND_FILE, SC_RECORDER_FILE);
	assert_int_equal(result.code, 0);
	write_text("race.txt", RACE);
	write_text("clean.txt", CLEAN);
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	shell("cd / && rm -rf %s", root);
	return 0;
}

static void version_and_help_succeed(void **state)
{
	(void)state;
	shell("$S --version");
	assert_int_equal(result.code, 0);
	assert_string_equal(result.out, "streamcheck " SC_VERSION "\n");
	shell("$S --help");
	assert_int_equal(result.code, 0);
	assert_holds(result.out, "streamcheck run");
	shell("$S help analyze");
	assert_holds(result.out, "--exitcode=N");
	shell("$S run --help");
	assert_int_equal(result.code, 0);
	assert_holds(result.out, "usage: streamcheck run");
}

static void wrong_usage_is_2_with_one_line(void **state)
{
	static const struct {
		const char *arguments;
		const char *expected;
	} wrong[] = {
		{"", "no command given"},
		{"frobnicate", "no command \"frobnicate\""},
		{"help frobnicate", "no command \"frobnicate\""},
		{"analyze", "no trace given"},
		{"analyze --formt=json clean.txt", "did you mean --format?"},
		{"analyze --zzzzzzzz clean.txt", "no option \"--zzzzzzzz\""},
		{"analyze -x clean.txt", "no option \"-x\""},
		{"analyze --format", "--format needs a value"},
		{"analyze --format=xml clean.txt", "format"},
		{"analyze --exitcode=9999 clean.txt", "exitcode"},
		{"analyze nowhere.sct", "cannot read trace nowhere.sct"},
		{"analyze --report=xml:x clean.txt", "FORMAT:FILE"},
		{"dump", "give one trace"},
		{"dump nowhere.sct", "cannot read trace nowhere.sct"},
		{"rules SC-999", "no rule \"SC-999\""},
		{"run", "no program given"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		shell("$S %s", wrong[i].arguments);
		assert_int_equal(result.code, 2);
		assert_holds(result.err, wrong[i].expected);
		assert_string_equal(result.out, "");
	}
}

static void rules_are_found_by_number_id_and_slug(void **state)
{
	static struct outcome by_number;

	(void)state;
	shell("$S rules");
	assert_int_equal(result.code, 0);
	assert_holds(result.out, "SC-101  error    host-read-before-sync");
	assert_holds(result.out, "SC-401");
	shell("$S rules 101");
	assert_int_equal(result.code, 0);
	assert_holds(result.out, "cudaStreamSynchronize(stream);");
	by_number = result;
	shell("$S rules sc-101");
	assert_string_equal(result.out, by_number.out);
	shell("$S rules host-read-before-sync");
	assert_string_equal(result.out, by_number.out);
}

static void every_rule_shows_a_wrong_and_a_right_program(void **state)
{
	(void)state;
	shell("for r in $($S rules | sed -n 's/^\\(SC-[0-9]*\\) .*/\\1/p'); do $S rules $r |"
	      " awk '/^Wrong$/ {w++} /^Right$/ {r++} /^References$/ {f++}"
	      " END {exit !(w == 1 && r == 1 && f == 1)}' || echo $r; done");
	assert_string_equal(result.out, "");
	assert_string_equal(result.err, "");
}

static void analysis_tells_by_its_exit_code(void **state)
{
	(void)state;
	shell("$S analyze clean.txt");
	assert_int_equal(result.code, 0);
	assert_holds(result.err, "streamcheck: 0 errors, 0 warnings");
	shell("$S analyze race.txt");
	assert_int_equal(result.code, 66);
	assert_holds(result.err, "error SC-101 host-read-before-sync");
	assert_string_equal(result.out, "");
	shell("$S analyze --exitcode=5 race.txt");
	assert_int_equal(result.code, 5);
	shell("$S analyze clean.txt race.txt");
	assert_int_equal(result.code, 66);
	shell("echo 'lost 3 text=\"no room\"' | cat clean.txt - >lost.txt; $S analyze lost.txt");
	assert_int_equal(result.code, 3);
	assert_holds(result.err, "incomplete");
}

static void options_come_from_the_environment_first(void **state)
{
	(void)state;
	shell("STREAMCHECK_OPTIONS=exitcode=7:format=json $S analyze race.txt");
	assert_int_equal(result.code, 7);
	assert_holds(result.err, "\"rule\": \"SC-101\"");
	shell("STREAMCHECK_OPTIONS=exitcode=7 $S analyze --exitcode 8 race.txt");
	assert_int_equal(result.code, 8);
	shell("STREAMCHECK_OPTIONS=nonsense=1 $S analyze clean.txt");
	assert_int_equal(result.code, 0);
	assert_holds(result.err, "nonsense");
}

static void reports_go_where_they_are_sent(void **state)
{
	(void)state;
	shell("$S analyze --html=no --output=text.%%p --report=json:a.json --report=text:b.txt "
	      "race.txt;"
	      " ls; cat b.txt; cat a.json");
	assert_string_equal(result.err, "");
	assert_holds(result.out, "text.");
	assert_holds(result.out, "error SC-101");
	assert_holds(result.out, "\"slug\": \"host-read-before-sync\"");
	shell("$S analyze --html=no --output=- race.txt");
	assert_holds(result.out, "error SC-101");
	assert_string_equal(result.err, "");
	shell("ln -s real.txt link.txt; echo old >real.txt; chmod 640 real.txt;"
	      " $S analyze --output=link.txt race.txt; stat -c %%a real.txt; cat real.txt");
	assert_holds(result.out, "640\n");
	assert_holds(result.out, "error SC-101");
}

static void a_report_is_written_whole_or_not_at_all(void **state)
{
	(void)state;
	shell("$S analyze --output=/dev/full clean.txt");
	assert_int_equal(result.code, 2);
	assert_holds(result.err, "No space left on device");
	shell("mkdir sub; echo old >sub/r; (ulimit -f 0; trap '' XFSZ;"
	      " $S analyze --output=sub/r race.txt 2>/dev/null); echo $?; cat sub/r; ls sub");
	assert_string_equal(result.out, "2\nold\nr\n");
	shell("$S analyze --output=nowhere/r race.txt");
	assert_int_equal(result.code, 2);
	shell("$S rules >/dev/full");
	assert_int_equal(result.code, 2);
	shell("$S dump clean.txt >/dev/full");
	assert_int_equal(result.code, 2);
}

static void a_dump_reads_back_as_itself(void **state)
{
	(void)state;
	shell("$S dump race.txt >one.txt && $S dump one.txt | diff one.txt - && cat one.txt");
	assert_int_equal(result.code, 0);
	assert_holds(result.out, "host_read");
}

static void run_keeps_the_exit_code_of_the_program(void **state)
{
	(void)state;
	shell("$S run --device=gpu -- sh -c 'exit 7'");
	assert_int_equal(result.code, 7);
	shell("$S run --device=gpu sh -c 'kill -KILL $$'");
	assert_int_equal(result.code, 128 + 9);
	shell("FAKE_TRACE=$PWD/race.txt $S run --device=gpu sh -c 'exit 7'");
	assert_int_equal(result.code, 7);
	assert_holds(result.err, "error SC-101");
	shell("$S run --device=gpu ./nowhere");
	assert_int_equal(result.code, 127);
	shell("$S run --device=gpu ./clean.txt");
	assert_int_equal(result.code, 126);
}

static void run_judges_what_was_recorded(void **state)
{
	(void)state;
	shell("$S run --device=gpu -- true");
	assert_int_equal(result.code, 3);
	assert_holds(result.err, "nothing was recorded");
	shell("FAKE_TRACE=$PWD/clean.txt $S run --device=gpu true");
	assert_int_equal(result.code, 0);
	shell("FAKE_TRACE=$PWD/race.txt $S run --device=gpu true");
	assert_int_equal(result.code, 66);
	shell("FAKE_TRACE=$PWD/race.txt $S run --device=gpu --analyze=no true");
	assert_int_equal(result.code, 0);
	assert_string_equal(result.err, "");
	shell("ls tmp");
	assert_string_equal(result.out, "");
}

static void run_leaves_output_and_input_to_the_program(void **state)
{
	(void)state;
	shell("echo in | FAKE_TRACE=$PWD/race.txt $S run --device=gpu cat");
	assert_string_equal(result.out, "in\n");
	shell("LD_PRELOAD=/nowhere/x.so $S run --device=gpu env 2>/dev/null | grep ^LD_PRELOAD");
	assert_holds(result.out, "/lib/libstreamcheck.so:/nowhere/x.so\n");
	shell("STREAMCHECK_OPTIONS=guard=off $S run --device=gpu --stack-depth=5 env |"
	      " grep ^STREAMCHECK_OPTIONS");
	assert_holds(result.out, "guard=off");
	assert_holds(result.out, "stack-depth=5");
}

static void run_checks_every_process(void **state)
{
	(void)state;
	shell("FAKE_TRACE=$PWD/race.txt $S run --device=gpu --html=no --output=p.txt sh -c 'true; "
	      "env true';"
	      " echo $?; ls p.txt* | wc -l; grep -c '^==== process' p.txt; grep -c ^error p.txt");
	assert_string_equal(result.out, "66\n1\n2\n2\n");
	shell("head -2 p.txt");
	assert_holds(result.out, "streamcheck: 2 processes, together 1 error, 0 warnings");
	assert_holds(result.out, "in 2 of 2 processes");
	shell("for p in 11 12; do (echo \"process $p text=\\\"app\\\"\"; cat race.txt) >$p.txt; "
	      "done;"
	      " $S analyze --output=q.%%p.txt 11.txt 12.txt; ls q.*.txt; cat q.*.txt | grep -c "
	      "^error;"
	      " cat q.*.txt | grep -c ===");
	assert_string_equal(result.out, "q.11.txt\nq.12.txt\n2\n0\n");
	shell("FAKE_TRACE=$PWD/race.txt $S run --device=gpu --report=json:j.json sh -c 'true;"
	      " env true'; grep -c '\"rule\": \"SC-101\"' j.json; tail -2 j.json");
	assert_string_equal(result.out, "2\n  ]\n}\n");
}

static void run_keeps_traces_where_asked(void **state)
{
	(void)state;
	shell("FAKE_TRACE=$PWD/race.txt $S run --device=gpu --trace=kept.%%p --output=/dev/null"
	      " true; $S analyze kept.*");
	assert_int_equal(result.code, 66);
	shell("FAKE_TRACE=$PWD/race.txt $S run --device=gpu --trace=nowhere/t true");
	assert_int_equal(result.code, 2);
	assert_holds(result.err, "cannot keep the trace");
}

static void run_passes_signals_on(void **state)
{
	(void)state;
	shell("mkfifo ready; $S run --device=gpu sh -c 'trap \"exit 9\" TERM; echo up >ready;"
	      " while :; do read x <ready; done' & child=$!; read line <ready; kill -TERM $child;"
	      " wait $child");
	assert_int_equal(result.code, 9);
}

static void a_static_runtime_is_refused_on_the_simulated_device(void **state)
{
	(void)state;
	shell("mkdir -p lib/streamcheck/sim && : >lib/streamcheck/sim/libcuda.so.1;"
	      " $S run --device=sim %s",
	      SC_STATIC_FILE);
	assert_int_equal(result.code, 2);
	assert_holds(result.err, "--cudart shared");
	shell("$S run --device=sim env | grep ^LD_LIBRARY_PATH; rm -r lib/streamcheck");
	assert_holds(result.out, "/lib/streamcheck/sim");
	shell("$S run --device=sim true");
	assert_int_equal(result.code, 2);
	assert_holds(result.err, "not installed");
}

static void a_tree_without_recorder_says_so(void **state)
{
	(void)state;
	shell("mkdir -p lone/bin && cp bin/streamcheck lone/bin && lone/bin/streamcheck run true");
	assert_int_equal(result.code, 2);
	assert_holds(result.err, "libstreamcheck.so");
	shell("mkdir -p 'a b/bin' 'a b/lib' && cp bin/streamcheck 'a b/bin' &&"
	      " cp lib/libstreamcheck.so 'a b/lib' && 'a b/bin/streamcheck' run true");
	assert_int_equal(result.code, 2);
	assert_holds(result.err, "without colon and space");
}

static void gates_decide_the_exit_code(void **state)
{
	(void)state;
	shell("$S analyze --fail-on=none race.txt");
	assert_int_equal(result.code, 0);
	shell("$S analyze --fail-on=none,SC-101 race.txt");
	assert_int_equal(result.code, 66);
	shell("$S analyze --fail-on=sometimes race.txt");
	assert_int_equal(result.code, 2);
	shell("$S analyze --budget=copies=1 clean.txt");
	assert_int_equal(result.code, 0);
	shell("$S analyze --budget=copies=1 clean.txt clean.txt");
	assert_int_equal(result.code, 66);
	assert_holds(result.err, "budget copies: 2 used, 1 allowed");
	shell("printf 'alloc out 64 pinned\\nexit 0\\n' >idle.txt; $S analyze idle.txt");
	assert_int_equal(result.code, 0);
	shell("$S analyze --require-cuda idle.txt");
	assert_int_equal(result.code, 3);
	shell("$S analyze --require-cuda clean.txt");
	assert_int_equal(result.code, 0);
}

static void hidden_findings_are_counted(void **state)
{
	(void)state;
	shell("printf '[why]\\nrule = SC-101\\n[old]\\nrule = SC-1*\\nexpires = 2001-01-01\\n"
	      "[idle]\\nrule = SC-401\\n' >s.txt; $S analyze --suppressions=s.txt race.txt");
	assert_int_equal(result.code, 0);
	assert_holds(result.err, "0 advice, 1 suppressed in");
	assert_holds(result.err, "s.txt:3: the suppression [old] expired on 2001-01-01");
	assert_holds(result.err, "s.txt:6: the suppression [idle] was not used");
	shell("$S analyze --suppressions=s.txt --format=json race.txt");
	assert_holds(result.err, "\"suppressed\": 1");
	shell("$S analyze --suppressions=s.txt --fail-on-expired race.txt");
	assert_int_equal(result.code, 66);
	shell("$S analyze --suppressions=nowhere race.txt");
	assert_int_equal(result.code, 2);
	shell("$S baseline -o base.txt race.txt && $S analyze --baseline=base.txt race.txt");
	assert_int_equal(result.code, 0);
	assert_holds(result.err, "0 advice, 1 known in");
	shell("$S baseline --suppressions=s.txt race.txt | grep -c SC-101");
	assert_string_equal(result.out, "0\n");
	shell("$S analyze --baseline=base.txt clean.txt");
	assert_int_equal(result.code, 0);
	assert_holds(result.err, "1 of its 1 findings were not met");
	shell("$S analyze --baseline=race.txt race.txt");
	assert_int_equal(result.code, 2);
}

static void folders_are_merged_with_their_ranks(void **state)
{
	(void)state;
	shell("mkdir m; for r in 1 2 10; do (echo \"process $r object=$r text=\\\"app\\\"\";"
	      " cat race.txt) >m/$r.sct; done; $S merge m 2>&1 | grep '^  process\\|^===='");
	assert_holds(result.out, "  process 1, rank 0: 1 error");
	assert_holds(result.out, "  process 10, rank 9: 1 error");
	assert_holds(result.out, "==== process 10, rank 9: app");
	shell("$S merge --output=r%%r.txt m; ls r*.txt | sort");
	assert_holds(result.out, "r0.txt\nr1.txt\nr9.txt\n");
}

static void a_finding_is_explained(void **state)
{
	static struct outcome by_number;

	(void)state;
	shell("$S explain 1 race.txt");
	assert_int_equal(result.code, 0);
	assert_holds(result.out, "between:  no call that waits");
	by_number = result;
	shell("$S explain $($S baseline race.txt | grep SC-101 | cut -c1-8) race.txt");
	assert_string_equal(result.out, by_number.out);
	shell("sed 's/^host_read/stream_sync n2\\n&/' race.txt >other.txt; $S explain 1 other.txt");
	assert_holds(result.out, "the first operation is in another stream");
	shell("$S explain 2 race.txt");
	assert_int_equal(result.code, 2);
}

static void the_doctor_knows_why(void **state)
{
	(void)state;
	shell("$S doctor %s", SC_STATIC_FILE);
	assert_int_equal(result.code, 0);
	assert_holds(result.out, "lib/libstreamcheck.so");
	assert_holds(result.out, "static CUDA runtime");
	assert_holds(result.out, "next ");
	shell("$S doctor ./nowhere");
	assert_holds(result.out, "No such file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_and_help_succeed),
		cmocka_unit_test(wrong_usage_is_2_with_one_line),
		cmocka_unit_test(rules_are_found_by_number_id_and_slug),
		cmocka_unit_test(every_rule_shows_a_wrong_and_a_right_program),
		cmocka_unit_test(analysis_tells_by_its_exit_code),
		cmocka_unit_test(options_come_from_the_environment_first),
		cmocka_unit_test(reports_go_where_they_are_sent),
		cmocka_unit_test(a_report_is_written_whole_or_not_at_all),
		cmocka_unit_test(a_dump_reads_back_as_itself),
		cmocka_unit_test(run_keeps_the_exit_code_of_the_program),
		cmocka_unit_test(run_judges_what_was_recorded),
		cmocka_unit_test(run_leaves_output_and_input_to_the_program),
		cmocka_unit_test(run_checks_every_process),
		cmocka_unit_test(run_keeps_traces_where_asked),
		cmocka_unit_test(run_passes_signals_on),
		cmocka_unit_test(a_static_runtime_is_refused_on_the_simulated_device),
		cmocka_unit_test(gates_decide_the_exit_code),
		cmocka_unit_test(hidden_findings_are_counted),
		cmocka_unit_test(folders_are_merged_with_their_ranks),
		cmocka_unit_test(a_finding_is_explained),
		cmocka_unit_test(the_doctor_knows_why),
		cmocka_unit_test(a_tree_without_recorder_says_so),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
