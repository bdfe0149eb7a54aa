/* The command: what it prints, where, and with which exit code; `run` with a stand-in recorder. */
#include "tests/unit/cmds/command_story.h"

#include <string.h>

static const struct step version_and_help_succeed[] = {
	{"$S --version", 0, "=streamcheck " SC_VERSION "\n", NULL},
	{"$S --help", 0, "streamcheck run", NULL},
	{"$S help analyze", ANY, "--exitcode=N", NULL},
	{"$S run --help", 0, "usage: streamcheck run", NULL},
};

static const struct step wrong_usage_is_2_with_one_line[] = {
	{"$S ", 2, "=", "no command given"},
	{"$S frobnicate", 2, "=", "unknown command \"frobnicate\", and no program"},
	{"$S help frobnicate", 2, "=", "unknown command \"frobnicate\""},
	{"$S analyze", 2, "=", "no trace given"},
	{"$S analyze --formt=json clean.txt", 2, "=", "did you mean --format?"},
	{"$S analyze --zzzzzzzz clean.txt", 2, "=", "unknown option \"--zzzzzzzz\""},
	{"$S analyze -x clean.txt", 2, "=", "unknown option \"-x\""},
	{"$S analyze --format", 2, "=", "--format needs a value"},
	{"$S analyze --format=xml clean.txt", 2, "=", "format"},
	{"$S analyze --exitcode=9999 clean.txt", 2, "=", "exitcode"},
	{"$S analyze nowhere.sct", 2, "=", "cannot read trace nowhere.sct"},
	{"$S analyze --report=xml:x clean.txt", 2, "=", "FORMAT:FILE"},
	{"$S dump", 2, "=", "expected one trace"},
	{"$S dump nowhere.sct", 2, "=", "cannot read trace nowhere.sct"},
	{"$S rules SC-999", 2, "=", "no rule \"SC-999\""},
	{"$S run", 2, "=", "no program given"},
};

/* An unset variable of CI, wherever the option stands. */
static const struct step an_empty_value_is_2[] = {
	{"for o in fail-on baseline budget output trace report suppressions window processes own;"
	 " do $S run --device=gpu --$o= true 2>&1; echo $?; done | grep -c '^2$\\|option .*: the "
	 "value is empty; it takes\\|option report: .*FORMAT:FILE'",
	 ANY, "=20\n", NULL},
	{"$S analyze --fail-on= race.txt", 2, "=",
	 "analyze: option fail-on: the value is empty; it takes LEVEL"},
	{"$S analyze --fail-on=, race.txt", 2, "=", "no level in \",\"; use none, error"},
	{"$S analyze --budget=, clean.txt", 2, "=", "budget: \",\" has no NAME=N"},
	{"STREAMCHECK_OPTIONS=fail-on= $S analyze race.txt", 2, "=",
	 "STREAMCHECK_OPTIONS: option "
	 "fail-on"},
	{"mkdir e; echo 'fail-on = \"\"' >e/streamcheck.toml; cd e; ../bin/streamcheck analyze "
	 "../race.txt",
	 2, "=", "streamcheck.toml:1: option fail-on"},
};

static const struct step an_option_without_effect_is_2[] = {
	{"$S explain --format=json 1 race.txt", 2, "=",
	 "explain: option --format has no effect here"},
	{"$S analyze --device=sim race.txt", 2, "=", "analyze: option --device has no effect"},
	{"$S syncs -o x race.txt", 2, "=", "syncs: option --output has no effect"},
	{"STREAMCHECK_OPTIONS=format=json $S explain 1 race.txt", 0, NULL, "="},
	{"$S doctor --format=json", 2, "=", "doctor: unknown option \"--format=json\""},
	{"$S doctor true false", 2, "=", "one program at a time"},
	{"STREAMCHECK_SIM_SHEDULE=lazy $S run --device=sim true", 2, "=",
	 "did you mean STREAMCHECK_SIM_SCHEDULE?"},
	{"STREAMCHECK_SIM_KERNELS=skp $S run --device=sim true", 2, "=",
	 "STREAMCHECK_SIM_KERNELS: \"skp\" is not run|strict|skip"},
	{"$S run --device=sim --sim-kernels=budget:x true", 2, "=",
	 "option sim-kernels: \"budget:x\" is not run, strict, skip, or budget:SECONDS"},
	{"STREAMCHECK_SIM_DEVICES=two $S run --device=sim true", 2, "=", "\"two\" is not N"},
};

/* What has no end is refused by its first bytes. */
static const struct step what_is_no_trace_is_not_read[] = {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they take more */
	{"(ulimit -v 400000; $S analyze /dev/zero)", 2, "=", "neither a trace nor the text of one"},
#endif
	{"head -c 300 /dev/zero | $S analyze /dev/stdin", 2, "=", "neither a trace nor"},
	{"cat race.txt | $S analyze /dev/stdin", 66, NULL, "error SC-101"},
};

static const struct step a_summary_may_have_any_name[] = {
	{"$S analyze --summary=s.sum race.txt; $S merge s.sum", 66, NULL, "together 1 error"},
	{"cat s.sum | $S merge /dev/stdin", 2, NULL, NULL},
};

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

static const struct step every_rule_shows_a_wrong_and_a_right_program[] = {
	{"for r in $($S rules | sed -n 's/^\\(SC-[0-9]*\\) .*/\\1/p'); do $S rules $r |"
	 " awk '/^Wrong$/ {w++} /^Right$/ {r++} /^References$/ {f++}"
	 " END {exit !(w == 1 && r == 1 && f == 1)}' || echo $r; done",
	 ANY, "=", "="},
};

static const struct step the_exit_code_is_the_verdict[] = {
	{"$S analyze clean.txt", 0, NULL, "streamcheck: 0 errors, 0 warnings"},
	{"$S analyze race.txt", 66, "=", "error SC-101 host-read-before-sync"},
	{"$S analyze --exitcode=5 race.txt", 5, NULL, NULL},
	{"$S analyze clean.txt race.txt", 66, NULL, NULL},
	{"echo 'lost 3 text=\"no room\"' | cat clean.txt - >lost.txt; $S analyze lost.txt", 3, NULL,
	 "incomplete"},
};

static const struct step options_come_from_the_environment_first[] = {
	{"STREAMCHECK_OPTIONS=exitcode=7:format=json $S analyze race.txt", 7,
	 "\"rule\": \"SC-101\"", "="},
	{"STREAMCHECK_OPTIONS=exitcode=7 $S analyze --exitcode 8 race.txt", 8, NULL, NULL},
	{"STREAMCHECK_OPTIONS=nonsense=1 $S analyze clean.txt", 2, "=", "nonsense"},
};

static const struct step reports_go_where_they_are_sent[] = {
	{"$S analyze --html=no --output=text.%p --report=json:a.json --report=text:b.txt "
	 "race.txt;"
	 " ls; cat b.txt; cat a.json",
	 ANY, "text.…error SC-101…\"slug\": \"host-read-before-sync\"", "="},
	{"$S analyze --html=no --output=- race.txt", ANY, "error SC-101", "="},
	{"ln -s real.txt link.txt; echo old >real.txt; chmod 640 real.txt;"
	 " $S analyze --output=link.txt race.txt; stat -c %a real.txt; cat real.txt",
	 ANY, "640\n…error SC-101", NULL},
};

static const struct step a_trace_leads_to_no_file_outside[] = {
	{"(printf 'stack 2 - python=\"main\\\\t/etc/passwd\\\\t1\\\\n\"\\n';"
	 " printf 'stack 3 - python=\"main\\\\t/proc/self/environ\\\\t1\\\\n\"\\n';"
	 " sed 's/^copy.*/& stack=2/; s/^host_read.*/& stack=3/' race.txt) >far.txt;"
	 " $S analyze --report=html:far.html far.txt; grep -c root: far.html",
	 ANY, "=0\n",
	 "/etc/passwd:1  main\n  then…/proc/self/environ:1  main\n  bytes…"
	 "--source-root"},
	{"$S analyze --html=no --source-root=/etc far.txt", 66, NULL,
	 "/etc/passwd:1  main\n                 1 │ root:…environ:1  main\n  bytes"},
	{"$S analyze --html=no --source-root=/etc --sources=no far.txt", 66, NULL,
	 "/etc/passwd:1  main\n  then"},
};

static const struct step html_links_lead_where_they_should[] = {
	{"$S analyze --html-links=javascript:x race.txt", 2, "=",
	 "html-links=javascript:x: expected none, file, vscode, or a URL"},
	{"FAKE_TRACE=$PWD/race.txt $S run --device=gpu --html-links='https://x.org/{relative}' "
	 "--report=html:l.html true 2>&1; grep -c '\"links\":\"https://x.org/{relative}\"' l.html",
	 ANY, "…1\n", NULL},
	{"$S analyze --report=html:n.html race.txt; grep -c '\"links\":\"\"' n.html", ANY, "=1\n",
	 NULL},
};

static const struct step a_report_is_written_whole_or_not_at_all[] = {
	{"$S analyze --output=/dev/full clean.txt", 2, NULL, "No space left on device"},
	{"mkdir sub; echo old >sub/r; (ulimit -f 0; trap '' XFSZ;"
	 " $S analyze --output=sub/r race.txt 2>/dev/null); echo $?; cat sub/r; ls sub",
	 ANY, "=2\nold\nr\n", NULL},
	{"$S analyze --output=nowhere/r race.txt", 2, NULL, NULL},
	{"$S rules >/dev/full", 2, NULL, NULL},
	{"$S dump clean.txt >/dev/full", 2, NULL, NULL},
};

static const struct step a_dump_reads_back_as_itself[] = {
	{"$S dump race.txt >one.txt && $S dump one.txt | diff one.txt - && cat one.txt", 0,
	 "host_read", NULL},
};

static const struct step run_keeps_the_exit_code_of_the_program[] = {
	{"$S run --device=gpu -- sh -c 'exit 7'", 7, NULL, NULL},
	{"$S run --device=gpu sh -c 'kill -KILL $$'", 128 + 9, NULL,
	 "/sh was ended by signal 9 (SIGKILL)"},
	{"FAKE_TRACE=$PWD/race.txt $S run --device=gpu --analyze=no sh -c 'kill -SEGV $$'",
	 128 + 11, NULL, "/sh was ended by signal 11 (SIGSEGV)\n"},
	{"FAKE_TRACE=$PWD/race.txt $S run --device=gpu sh -c 'exit 7'", 7, NULL, "error SC-101"},
	{"$S run --device=gpu ./nowhere", 127, NULL, NULL},
	{"$S run --device=gpu ./clean.txt", 126, NULL, NULL},
};

static const struct step run_judges_what_was_recorded[] = {
	{"$S run --device=gpu -- true", 3, NULL, "nothing was recorded"},
	{"FAKE_TRACE=$PWD/clean.txt $S run --device=gpu true", 0, NULL, NULL},
	{"FAKE_TRACE=$PWD/race.txt $S run --device=gpu true", 66, NULL, NULL},
	{"FAKE_TRACE=$PWD/race.txt $S run --device=gpu --analyze=no true", 0, NULL, "="},
	{"ls tmp", ANY, "=", NULL},
};

static const struct step run_leaves_output_and_input_to_the_program[] = {
	{"echo in | FAKE_TRACE=$PWD/race.txt $S run --device=gpu cat", ANY, "=in\n", NULL},
	{"LD_PRELOAD=/nowhere/x.so $S run --device=gpu env 2>/dev/null | grep ^LD_PRELOAD", ANY,
	 "/lib/libstreamcheck.so:/nowhere/x.so\n", NULL},
	{"STREAMCHECK_OPTIONS=guard=off $S run --device=gpu --stack-depth=5 env |"
	 " grep ^STREAMCHECK_OPTIONS",
	 ANY, "guard=off…stack-depth=5", NULL},
};

static const struct step run_checks_every_process[] = {
	{"FAKE_TRACE=$PWD/race.txt $S run --device=gpu --html=no --output=p.txt sh -c "
	 "'true; "
	 "env true';"
	 " echo $?; ls p.txt* | wc -l; grep -c '^==== process' p.txt; grep -c ^error p.txt",
	 ANY, "=66\n1\n2\n1\n", NULL},
	{"head -2 p.txt", ANY,
	 "streamcheck: 2 processes, together 1 error, 0 warnings…in 2 of 2 processes", NULL},
	{"grep '^  also' p.txt", ANY, "of a process above", NULL},
	{"$S analyze --output=l.txt --html=no race.txt nowhere.txt; head -2 l.txt", ANY,
	 "streamcheck: 1 process, together 1 error…in 1 of 1 process\n", "nowhere.txt"},
	{"for p in 11 12; do (echo \"process $p text=\\\"app\\\"\"; cat race.txt) >$p.txt; "
	 "done;"
	 " $S analyze --output=q.%p.txt 11.txt 12.txt; ls q.*.txt; cat q.*.txt | grep -c "
	 "^error;"
	 " cat q.*.txt | grep -c ===",
	 ANY, "=q.11.txt\nq.12.txt\n2\n0\n", NULL},
	{"FAKE_TRACE=$PWD/race.txt $S run --device=gpu --report=json:j.json sh -c 'true;"
	 " env true'; grep -c '\"rule\": \"SC-101\"' j.json; tail -2 j.json",
	 ANY, "=3\n  }\n}\n", NULL},
};

static const struct step run_keeps_traces_where_asked[] = {
	{"FAKE_TRACE=$PWD/race.txt $S run --device=gpu --trace=kept.%p --output=/dev/null"
	 " true; $S analyze kept.*",
	 66, NULL, NULL},
	{"FAKE_TRACE=$PWD/race.txt $S run --device=gpu --trace=nowhere/t true", 2, NULL,
	 "=streamcheck: cannot write the trace to nowhere/t: there is no folder nowhere; mkdir -p "
	 "nowhere makes it\n"},
	{"mkdir gone; FAKE_TRACE=$PWD/race.txt $S run --device=gpu --trace=gone/t rmdir gone", 2,
	 NULL, "cannot keep the trace"},
	{"FAKE_TRACE=$PWD/race.txt TMPDIR=/dev/shm $S run --device=gpu --trace=far.sct true;"
	 " stat -c %a far.sct; $S analyze far.sct",
	 66, "600\n", "error SC-101"},
};

static const struct step run_passes_signals_on[] = {
	{"mkfifo ready; $S run --device=gpu sh -c 'trap \"exit 9\" TERM; echo up >ready;"
	 " while :; do read x <ready; done' & child=$!; read line <ready; kill -TERM "
	 "$child;"
	 " wait $child",
	 9, NULL, NULL},
};

static const struct step a_static_runtime_is_refused_on_the_simulated_device[] = {
	{"mkdir -p lib/streamcheck/sim && : >lib/streamcheck/sim/libcuda.so.1;"
	 " $S run --device=sim " SC_STATIC_FILE,
	 2, NULL, "--cudart shared"},
	{"$S run --device=sim env | grep ^LD_LIBRARY_PATH; rm -r lib/streamcheck", ANY,
	 "/lib/streamcheck/sim", NULL},
	{"$S run --device=sim true", 2, NULL, "not installed"},
};

static const struct step a_tree_without_recorder_says_so[] = {
	{"mkdir -p lone/bin && cp bin/streamcheck lone/bin && lone/bin/streamcheck run "
	 "true",
	 2, NULL, "libstreamcheck.so"},
};

static const struct step gates_decide_the_exit_code[] = {
	{"$S analyze --fail-on=none race.txt", 0, NULL, NULL},
	{"$S analyze --fail-on=none,SC-101 race.txt", 66, NULL, NULL},
	{"$S analyze --fail-on=sometimes race.txt", 2, NULL, NULL},
	{"$S analyze --budget=copies=1 clean.txt", 0, NULL, NULL},
	{"$S analyze --budget=copies=1 clean.txt clean.txt", 66, NULL,
	 "budget copies: 2 used, 1 allowed"},
	{"printf 'alloc out 64 pinned\\nexit 0\\n' >idle.txt; $S analyze idle.txt", 0, NULL, NULL},
	{"$S analyze --require-cuda idle.txt", 3, NULL, NULL},
	{"$S analyze --require-cuda clean.txt", 0, NULL, NULL},
	/* a window that never opens */
	{"(echo window_end; cat clean.txt) >closed.txt; $S analyze --require-cuda closed.txt", 3,
	 NULL, "0 windows with…in a window, if the run has windows"},
	{"(echo window_end; echo window_begin; cat clean.txt) >opened.txt; $S analyze "
	 "--require-cuda opened.txt",
	 0, NULL, NULL},
	/* after an error of its context a device does nothing */
	{"sed '/^host/d; s/^stream_sync.*/& result=700/' clean.txt >fault.txt; $S analyze "
	 "fault.txt",
	 3, NULL, "incomplete: 1 context reported an error"},
};

#define FAILED                                                                                   \
	"alloc d 64\nalloc p 64 pinned\nkernel s1 writes d\nstream_sync s1\n"                    \
	"copy s1 d <- p 64 result=1 call=cuMemcpyHtoDAsync_v2 stack=3\n"                         \
	"copy s1 d <- p 64 result=1 call=cuMemcpyHtoDAsync_v2 stack=3\n"                         \
	"call cuCtxEnablePeerAccess result=704\nstream_query s1 result=600 call=cuStreamQuery\n" \
	"call cuMemAlloc_v2 result=2 bytes=100\nalloc x 100\n"                                   \
	"call cuMemAlloc_v2 result=2 bytes=100\nalloc y 99\nexit 0\n"

#define GIVEN_UP                                                             \
	"alloc d 64\nkernel s1 writes d\nstream_sync s1\nlaunches value=3\n" \
	"launches value=2 object=2 text=\"spin: given up after 1 s\"\nexit 0\n"

static const struct step launches_that_were_given_up_are_a_loss[] = {
	{"printf '" GIVEN_UP "' >given.txt; $S analyze given.txt", 3, NULL,
	 "incomplete: 2 launches given up by the simulated device…"
	 "3 launches ran on the simulated device; not executed: 2 of spin (given up after 1 s); "
	 "what the program computed after…"},
	{"$S analyze --format=json given.txt", 3, "\"given_up\": 2", NULL},
	{"sed 's/ object=2//' given.txt >skipped.txt; $S analyze skipped.txt", 0, NULL,
	 "note: 2 launches not executed by the simulated device"},
};

static const struct step failed_calls_are_listed[] = {
	{"printf '" FAILED "' >failed.txt; $S analyze failed.txt", 0, NULL,
	 "note: 3 calls failed, the first cuMemcpyHtoDAsync at …: CUDA_ERROR_INVALID_VALUE\n…"
	 "  failed:   cuMemcpyHtoDAsync at …: CUDA_ERROR_INVALID_VALUE, 2 times\n"
	 "  failed:   cuMemAlloc at …: CUDA_ERROR_OUT_OF_MEMORY\n"},
	{"$S analyze --format=json failed.txt", 0,
	 "\"failed_calls\": 3…\"failed_calls\": […\"error\": \"CUDA_ERROR_INVALID_VALUE\"…"
	 "\"result\": 1…\"count\": 2…\"error\": \"CUDA_ERROR_OUT_OF_MEMORY\"…\"findings\"",
	 NULL},
	{"$S analyze --format=html failed.txt | grep -c 'failed: cuMemAlloc at'", ANY, "=1\n",
	 NULL},
	/* the first calls failed: nothing was checked */
	{"printf 'call cuInit result=100\nexit 0\n' >none.txt; $S analyze none.txt", 3, NULL,
	 "incomplete: 1 call failed, the first cuInit at operation 5: CUDA_ERROR_NO_DEVICE, so "
	 "nothing was checked"},
};

/* A worker that its pool ends, as the command closes its trace. */
static const struct step a_child_may_be_ended_by_its_parent[] = {
	{"sed 's/^exit.*/exit 143 object=15 peer=1/' clean.txt >worker.txt; $S analyze worker.txt",
	 0, NULL, "note: ended by its parent with signal 15 (SIGTERM)\n"},
	{"sed '/^stream_sync/d; /^host/d' worker.txt >busy.txt; $S analyze busy.txt", 3, NULL,
	 "incomplete: ended by its parent with signal 15 (SIGTERM) while work was in flight"},
	{"sed 's/^exit.*/context_sync phase=begin result=pending\\n&/' worker.txt >inside.txt; $S "
	 "analyze inside.txt",
	 3, NULL, "1 call never returned"},
	{"sed 's/ peer=1//' worker.txt >other.txt; $S analyze other.txt", 0, NULL,
	 "signal 15 (SIGTERM) ended the program"},
};

/* The recorder writes which call it was. */
static const struct step a_signal_may_end_the_program_in_a_call[] = {
	{"N=$(grep -c '^[a-z]' clean.txt); sed \"s/^exit.*/call cuGraphInstantiateWithFlags "
	 "result=pending\\nexit 139 object=11 link=$N/\" clean.txt >died.txt; $S analyze died.txt",
	 0, NULL,
	 "1 call failed, the first cuGraphInstantiateWithFlags at operation…: signal 11 (SIGSEGV) "
	 "ended the program in it"},
	{"sed 's/ link=.*//' died.txt >elsewhere.txt; $S analyze elsewhere.txt", 0, NULL,
	 "1 call never returned, signal 11"},
};

static const struct step hidden_findings_are_counted[] = {
	{"printf '[why]\\nrule = SC-101\\n[old]\\nrule = SC-1*\\nexpires = 2001-01-01\\n"
	 "[idle]\\nrule = SC-401\\n' >s.txt; $S analyze --suppressions=s.txt race.txt",
	 0, NULL,
	 "0 advice, 1 suppressed in…s.txt:3: the suppression [old] expired on "
	 "2001-01-01…s.txt:6: the suppression [idle] was not used"},
	{"$S analyze --suppressions=s.txt --format=json race.txt", ANY, "\"suppressed\": 1", NULL},
	{"$S analyze --suppressions=s.txt --fail-on-expired race.txt", 66, NULL, NULL},
	{"$S analyze --suppressions=nowhere race.txt", 2, NULL, NULL},
	{"$S baseline -o base.txt race.txt && $S analyze --baseline=base.txt race.txt", 0, NULL,
	 "0 advice, 1 known in"},
	{"$S baseline --suppressions=s.txt race.txt | grep -c SC-101", ANY, "=0\n", NULL},
	{"$S analyze --baseline=base.txt clean.txt", 0, NULL,
	 "1 of 1 findings of the baseline no longer occur"},
	{"$S analyze --baseline=race.txt race.txt", 2, NULL, NULL},
};

static const struct step folders_are_merged_with_their_ranks[] = {
	{"mkdir m; for r in 1 2 10; do (echo \"process $r object=$r text=\\\"app\\\"\";"
	 " cat race.txt) >m/$r.sct; done; $S merge m 2>&1 | grep '^  process\\|^===='",
	 ANY,
	 "  process 1, rank 0: 1 error…  process 10, rank 9: 1 error…==== process 10, rank "
	 "9: app",
	 NULL},
	{"$S merge --output=r%r.txt m; ls r*.txt | sort", ANY, "r0.txt\nr1.txt\nr9.txt\n", NULL},
};

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
	shell("$S explain SC-101 race.txt");
	assert_string_equal(result.out, by_number.out);
	shell("$S explain SC-106 race.txt");
	assert_int_equal(result.code, 2);
	assert_holds(result.err, "no finding SC-106 in race.txt");
}

static const struct step a_plan_ends_findings[] = {
	{"$S repair race.txt", 0,
	 "streamcheck: 1 edit ends 1 of 1 finding\nedit 1: the host waits for stream "
	 "…  before:   a line that is not known: cudaStreamSynchronize(<stream …  ends:     "
	 "finding 1\n",
	 NULL},
	{"$S repair --format=json race.txt", 0, "\"kind\": \"sync_stream\"…\"missed\": true", NULL},
	{"STREAMCHECK_PYTHON=/no/python $S repair --patch race.txt", 2,
	 "streamcheck: 1 edit ends 1 of 1 finding\nedit 1: …",
	 "cannot start /no/python: …install streamcheck[patch]"},
	{"$S repair --patch --sources=no race.txt", 2, NULL, "patch reads source files"},
	{"sed 's/^host_read/stream_sync n1\\n&/' race.txt >good.txt; $S repair good.txt", 0,
	 "=streamcheck: there is nothing to repair\n", NULL},
	{"printf 'map 0x400000 0x10000 0 \"/bin/x\"\nstack 1 frames=[4194560]\nstack 2 - peer=1"
	 " python=\"f\\\\t/a.py\\\\t20\\\\n\"\nalloc d 64\nalloc p 64 pinned\nstream s1 stack=2\n"
	 "copy s1 p <- d 64\nhost_read p 4\nexit 0\n' >s.txt; $S repair s.txt",
	 0, "(<stream …)…  streams:  stream … was created at x+0xff\n  cost:", NULL},
	{"$S repair", 2, NULL, "no trace given"},
};

/* What came close, a loop, and how many findings a rule has. */
static const struct step explanations_say_what_came_close[] = {
	{"sed 's/^host_read/host_func n1\\n&/' race.txt >f.txt; $S explain 1 f.txt", 0,
	 "closest:  cudaLaunchHostFunc at operation…nothing waits for that function", NULL},
	{"sed 's/^copy/stream_sync n1\\n&/' race.txt >f.txt; $S explain 1 f.txt", 0,
	 "closest:  cudaStreamSynchronize…before the first operation", NULL},
	{"sed 's/^host_read/stream_query n1 result=600\\n&/' race.txt >f.txt; $S explain 1 f.txt",
	 0, "cudaStreamQuery…got \"not ready\"", NULL},
	{"printf 'alloc d 64\nset n1 d 64 stack=3\nset n2 d 64 stack=3\nset n3 d 64 "
	 "stack=3\nexit 0\n' >l.txt; $S explain 1 l.txt",
	 0, "then:…in the next iteration", NULL},
	{"printf 'alloc d 64\nalloc e 64\nset n1 d 64\nset n2 d 64 stack=2\nset n1 e 64 "
	 "stack=3\nset n2 e 64 stack=4\nexit 0\n' >l.txt; $S explain SC-105 l.txt",
	 0, NULL, "finding 1 is the first of 2 of SC-105"},
};

#define TWO_STREAMS "alloc d 64\\nset n1 d 64\\nrecord e n1\\nwait n2 e\\n"
#define IN_ORDER    "printf '" TWO_STREAMS "set n2 d 64\\nexit 0\\n' >o.txt; "

static const struct step two_operations_are_ordered_or_not[] = {
	{IN_ORDER "$S order o.txt 6 16", 0, "ordered:  yes…E-1:…E-4:…S-1:", NULL},
	{"$S order o.txt 16 6", 0, "ordered:  yes, the other way round", NULL},
	{"$S order --format=json o.txt 6 16", 0, "\"order\": \"before\"…\"rule\": \"E-4\"", NULL},
	{"sed '/^wait/d' o.txt >u.txt; $S order u.txt 6 14", 0, "ordered:  no", NULL},
	{"$S order o.txt 6 nowhere.cu:7", 2, "=", "no operation is called nowhere.cu:7"},
	{"$S order 6", 2, "=", "usage: streamcheck order"},
	{"printf 'alloc d 64\\nkernel n1 writes d\\nkernel n1 reads d\\nkernel n2 reads "
	 "d\\nexit 0\\n' >k.txt; $S order k.txt kernel kernel",
	 0, "pairs:    6 pairs of 3 and 3 operations", NULL},
	/* the code that the first launch of a line loaded is not what the line is about */
	{"printf 'map 0x400000 0x10000 0 \"/bin/x\"\nstack 1 frames=[4194560]\nstack 2 - peer=1"
	 " python=\"f\\\\t/a.py\\\\t20\\\\n\"\nalloc d 64\nmodule 1 stack=2\nkernel n1 writes d"
	 " stack=2\nkernel n2 reads d stack=2\nexit 0\n' >l.txt; $S order l.txt a.py:20 a.py:20",
	 0, "pairs:    2 pairs of 2 and 2 operations", NULL},
};

static const struct step waits_that_may_go_are_named[] = {
	{"sed 's/^stream_sync.*/&\\n&/' clean.txt >t.txt; $S syncs t.txt", 0,
	 "2 lines with synchronization, 2 tried: 1 may go together…perhaps:…safe to remove", NULL},
	{"sed 's/^stream_sync.*/context_sync/' clean.txt >w.txt; $S syncs w.txt", 0,
	 "1 order more than needed…narrower:", NULL},
	{"sed 's/^exit/lost value=1\\n&/' clean.txt >x.txt; $S syncs x.txt", 0,
	 "0 may go together…incomplete", NULL},
	{"printf 'alloc p 64 pinned\\nalloc d 64\\ncopy s1 dst=0 src=0 bytes=0 value=2 "
	 "accesses=[w p:8@pinned, r d:8, w p+8:8@pinned, r d+8:8]\\nstream_sync s1\\n' "
	 ">b.txt; $S syncs b.txt",
	 0, "0 may go together…perhaps:", NULL},
	{IN_ORDER "$S syncs o.txt", 0, "orders:…before…without it SC-105 [proven]", NULL},
	{"$S syncs nowhere.txt", 2, "=", "nowhere.txt"},
};

static const struct step sites_are_what_no_text_promises[] = {
	{"$S sites clean.txt", 0, "no place of this run", NULL},
	{"printf 'alloc d 64\\nset s1 d 64\\nset L d 64\\nstream_sync L\\nexit 0\\n' "
	 ">b.txt; $S sites b.txt",
	 0, "Only the default stream orders these…repair:", NULL},
	{"$S sites one two", 2, "=", "usage: streamcheck sites"},
};

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(version_and_help_succeed),
		STORY(wrong_usage_is_2_with_one_line),
		STORY(an_empty_value_is_2),
		STORY(an_option_without_effect_is_2),
		STORY(what_is_no_trace_is_not_read),
		STORY(a_summary_may_have_any_name),
		cmocka_unit_test(rules_are_found_by_number_id_and_slug),
		STORY(every_rule_shows_a_wrong_and_a_right_program),
		STORY(the_exit_code_is_the_verdict),
		STORY(options_come_from_the_environment_first),
		STORY(reports_go_where_they_are_sent),
		STORY(a_trace_leads_to_no_file_outside),
		STORY(html_links_lead_where_they_should),
		STORY(a_report_is_written_whole_or_not_at_all),
		STORY(a_dump_reads_back_as_itself),
		STORY(run_keeps_the_exit_code_of_the_program),
		STORY(run_judges_what_was_recorded),
		STORY(run_leaves_output_and_input_to_the_program),
		STORY(run_checks_every_process),
		STORY(run_keeps_traces_where_asked),
		STORY(run_passes_signals_on),
		STORY(a_static_runtime_is_refused_on_the_simulated_device),
		STORY(gates_decide_the_exit_code),
		STORY(failed_calls_are_listed),
		STORY(launches_that_were_given_up_are_a_loss),
		STORY(a_child_may_be_ended_by_its_parent),
		STORY(a_signal_may_end_the_program_in_a_call),
		STORY(hidden_findings_are_counted),
		STORY(folders_are_merged_with_their_ranks),
		cmocka_unit_test(a_finding_is_explained),
		STORY(a_plan_ends_findings),
		STORY(explanations_say_what_came_close),
		STORY(two_operations_are_ordered_or_not),
		STORY(waits_that_may_go_are_named),
		STORY(sites_are_what_no_text_promises),
		STORY(a_tree_without_recorder_says_so),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
