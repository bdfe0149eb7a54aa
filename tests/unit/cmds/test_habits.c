/* The command as people of other tools use it: words, help, files of options, where reports go. */
#include "tests/unit/cmds/command_story.h"

#define NUMBERS " | sed 's/[0-9][0-9]*/N/g'"

static const struct step html_stands_beside_the_text[] = {
	{"mkdir a; cd a; ../$S analyze --html ../race.txt; ls *" NUMBERS "; cat */.gitignore", ANY,
	 "=report.N.html\n# Made by streamcheck.\n*\n", "streamcheck-reports/report."},
	{"mkdir b; cd b; ../$S analyze --html --report=html:own.html ../race.txt; ls", ANY,
	 "=own.html\n", NULL},
	{"mkdir c; cd c; ../$S analyze --html=no ../race.txt; ../$S analyze ../race.txt; ls", ANY,
	 "=", NULL},
	{"cd c; ../$S analyze --html ../clean.txt; ls", ANY, "=", NULL},
	{"cd c; echo mine >streamcheck-reports; ../$S analyze --html ../race.txt; cat *", ANY,
	 "=mine\n", "cannot write the HTML report streamcheck-reports/report."},
};

/* Runs of long ago, and one with two processes: 1 to 9, 20, 21; reports of the first that were
 * asked for while it ran; what others put there. */
#define LONG_AGO                                                                        \
	"mkdir -p d/streamcheck-reports; cd d/streamcheck-reports;"                     \
	" for n in 1 2 3 4 5 6 7 8 9; do touch -d \"2001-01-01 00:0$n\" report.$n.html" \
	" report.$n.sct.zst; done; touch -d '2001-01-01 00:01' report.1.1.txt"          \
	" report.1.1.html report.1.2.json; touch -d '2001-01-01 01:00' report.20.html"  \
	" report.20.21.sct.zst report.20.22.sct.zst; touch -d '2000-01-01' report.html" \
	" report.1.html.bak report.x.html notes; mkdir report.77.html; cd ..; "

static const struct step the_last_ten_reports_stay[] = {
	{LONG_AGO "../$S analyze --html ../race.txt; ls streamcheck-reports | sort -t. -k2n", ANY,
	 "notes…report.1.html.bak\n"
	 "report.2.html\nreport.2.sct.zst…report.9.sct.zst\n…report.20.22.sct.zst\n",
	 NULL},
	{"cd d; ls streamcheck-reports | grep -c '^report\\.1\\.'", ANY, "=1\n", NULL},
	{"cd d; touch streamcheck-reports/report.2.html; ../$S analyze --html ../race.txt;"
	 " ls streamcheck-reports | grep '^report\\.[23]\\.'",
	 ANY, "=report.2.html\nreport.2.sct.zst\nreport.3.html\nreport.3.sct.zst\n", NULL},
	{"cd d; (sleep 0; for n in 41 42 43 44 45 46 47 48 49 50 51 52; do"
	 " touch -d '2099-01-01' streamcheck-reports/report.$n.html; done);"
	 " ../$S analyze --html ../race.txt; ls streamcheck-reports | grep -c '^report\\.[45]'",
	 ANY, "=12\n", NULL},
};

static const struct step other_tools_words_get_a_hint[] = {
	{"$S --log-file=x ./clean.txt", 2, "=", "use --output=FILE"},
	{"$S run --error-exitcode=3 true", 2, "=", "\"--error-exitcode=3\": use --exitcode=N"},
	{"$S --tool memcheck true", 2, "=", "streamcheck rules lists"},
	{"$S run -q true", 2, "=", "--output=/dev/null"},
	{"$S analyze --print-limit 3 clean.txt", 2, "=", "every finding is reported"},
	{"STREAMCHECK_OPTIONS=log_path=x $S analyze clean.txt", 2, "=", "use --output=FILE"},
	{"$S racecheck ./app", 2, "=", "compute-sanitizer"},
	{"$S analyse clean.txt", 2, "=", "did you mean analyze?"},
	{"$S clean.txt", 2, "=", "use streamcheck analyze clean.txt for a trace"},
	{"$S help racecheck", 2, "=", "compute-sanitizer"},
	{"$S -V", 0, "=streamcheck " SC_VERSION "\n", NULL},
};

static const struct step slips_get_a_hint[] = {
	{"$S run -device=sim true", 2, "=", "did you mean --device?"},
	{"$S run --devcie=sim true", 2, "=", "did you mean --device?"},
	{"$S run -x true", 2, "=", "unknown option \"-x\"; see"},
	{"cp /bin/true app; $S run app", 127, "=",
	 "it is not in PATH; the file in the current folder is ./app"},
	{"$S run appp", 127, "=", "cannot run appp: it is not in PATH\n"},
	{": >train.py; $S run ./train.py", 126, "=", "its interpreter: python3 ./train.py"},
	{": >main.cu; $S run ./main.cu", 126, "=", "./main.cu is there, but is not executable"},
	{"mkdir build; $S run ./build", 126, "=", "cannot run ./build: ./build is a folder"},
	{"$S run build", 127, "=", "it is not in PATH; build is a folder"},
	{"printf '#!/nowhere/sh\n' >x.sh; chmod +x x.sh; $S run --device=gpu ./x.sh", 126, "=",
	 "cannot run ./x.sh: it is a script of /nowhere/sh, which is not there"},
	{"$S doctor main.cu", 1, "main.cu: it is not in PATH; main.cu is there", NULL},
	{"$S analyze bin/streamcheck", 2, "=", "neither a trace nor the text of one"},
	{"printf '#include <a>\nint main()\n' >main.cu; $S analyze main.cu", 2, "=",
	 "line 2: there is no op \"int\"; if this is no trace in text form, name the file"},
	{"$S analyze 4194305", 2, "=",
	 "a process that goes on is reported by streamcheck report 4194305"},
	{"$S explain race.txt", 2, "=",
	 "race.txt is a file; name the finding before it: streamcheck explain 1 race.txt"},
	{"$S explain 7 race.txt", 2, "=",
	 "no finding 7 in race.txt, which has 1: streamcheck analyze race.txt lists them"},
	{"$S explain race.txt 1", 0, "SC-101", NULL},
	{"$S explain 1 clean.txt", 2, "=", "no finding 1: clean.txt has none"},
	{"$S analyze --shard=3/2 nowhere", 2, "=",
	 "=streamcheck: shard=3/2: expected I/N, such as 3/8: the third of eight parts\n"},
	{"$S dump race.txt >/dev/full", 2, "=",
	 "cannot write to standard output: No space left on device"},
	{"$S rules SC101 | head -1; $S rules sc-101 | head -1", ANY,
	 "=SC-101 host-read-before-sync (error)\nSC-101 host-read-before-sync (error)\n", NULL},
	{"$S rules SC", 2, "=", "no rule \"SC\""},
};

static const struct step a_program_alone_is_run[] = {
	{"printf '#!/bin/sh\necho \"$@\"; exit 7\n' >s.sh; chmod +x s.sh;"
	 " FAKE_TRACE=$PWD/race.txt $S ./s.sh --format=json -V",
	 7, "=--format=json -V\n", "no GPU…error SC-101"},
	{"FAKE_TRACE=$PWD/race.txt $S --device=gpu --exitcode=5 env true", 5, NULL, "error SC-101"},
	{"$S ./nowhere", 127, "=", "cannot run ./nowhere"},
};

static const struct step options_may_follow_files[] = {
	{"$S analyze race.txt --exitcode=5 clean.txt --html=no", 5, NULL, NULL},
	{"cp race.txt ./--race; $S analyze clean.txt --exitcode 5 -- --race", 5, NULL, NULL},
	{"$S explain 1 race.txt --color=never", 0, "rule:     SC-101", NULL},
	{"$S baseline race.txt -o late.txt; grep -c SC-101 late.txt", ANY, "=1\n", NULL},
	{"$S analyze race.txt --help | head -1", ANY, "usage: streamcheck analyze", NULL},
};

static const struct step help_is_of_one_command[] = {
	{"$S run --help", 0,
	 "\nReports:\n  --output=FILE…\nWhat fails, and what is hidden:\n  --exitcode…\nThe "
	 "run:\n  --trace…\nExamples:\n  streamcheck run…\n  streamcheck run",
	 NULL},
	{"$S order --help | grep -c -e --guard -e --fail-on -e --patch", ANY, "=0\n", NULL},
	{"$S repair --help", 0, "--patch=no|yes", NULL},
	{"STREAMCHECK_OPTIONS=help=1 $S analyze race.txt", 0, "usage: streamcheck analyze", "="},
	/* every command has two examples, every option a command that shows it */
	{"for c in $($S --help | sed -n 's/^  streamcheck \\([a-z]*\\)  .*/\\1/p'); do n=$($S help "
	 "$c"
	 " | grep -c \"^  streamcheck $c\"); [ $n -ge 2 ] || echo $c $n; done",
	 ANY, "=", "="},
	{"$S manual | sed -n 's/^.BI \\([^=]*\\)=.*/\\1/p' | tr -d '\\\\' | sort >all;"
	 " for c in run analyze repair order top explore; do $S help $c; done | sed -n 's/^  "
	 "\\(--[^=]*\\)=.*/\\1/p' |"
	 " sort -u | diff all - && [ $(wc -l <all) -gt 40 ]",
	 0, "=", NULL},
};

static const struct step data_goes_to_standard_output[] = {
	{"$S analyze race.txt --format=json | head -c 1", ANY, "={", "="},
	{"$S merge --format=gcc race.txt race.txt | grep -c error:", ANY, "=1\n", NULL},
	{"$S analyze --format=json --output=d.json race.txt; head -c 1 d.json", ANY, "={", "="},
	{"FAKE_TRACE=$PWD/race.txt $S run --device=gpu --format=json true", 66, "=", "{"},
};

static const struct step a_file_has_options[] = {
	{"mkdir -p t/u/v; printf '# ours\nexitcode = 9\n\"max-trace\" = \"1g\"\n' "
	 ">t/streamcheck.toml; cd t/u/v; ../../../$S analyze ../../../race.txt",
	 9, NULL, "options:  from …/t/streamcheck.toml"},
	{"cd t/u; STREAMCHECK_OPTIONS=exitcode=8 ../../$S analyze ../../race.txt", 8, NULL, NULL},
	{"cd t/u; STREAMCHECK_OPTIONS=exitcode=8 ../../$S analyze --exitcode=7 ../../race.txt", 7,
	 NULL, NULL},
	{"cd t/u; ../../$S analyze --config=none ../../race.txt", 66, NULL, NULL},
	{"$S analyze --config=t/streamcheck.toml --format=json race.txt", 9,
	 "\"config\": \"t/streamcheck.toml\"", "="},
	{"echo 'exitcode = 4' >t/u/streamcheck.toml; cd t/u/v; ../../../$S analyze "
	 "../../../race.txt",
	 4, NULL, NULL},
	{"printf '[why]\nrule = SC-101\n' >t/known.txt; printf 'suppressions = [\n  "
	 "\"known.txt\", # why\n]\n' >t/streamcheck.toml; cd t/u; rm streamcheck.toml;"
	 " ../../$S analyze ../../race.txt",
	 0, NULL, "1 suppressed"},
	{"cd t/u; FAKE_TRACE=$PWD/../../race.txt ../../$S run --device=gpu env |"
	 " grep ^STREAMCHECK_OPTIONS",
	 ANY, "suppressions=…/t/known.txt…config=…/t/streamcheck.toml", NULL},
	{"chmod o+w t/streamcheck.toml; cd t/u; ../../$S analyze ../../race.txt", 66, NULL,
	 "t/streamcheck.toml is not read: another user may write it"},
	{"cd t/u; ../../$S analyze --config=../streamcheck.toml ../../race.txt", 0, NULL, NULL},
};

static const struct step a_file_with_an_error_is_2[] = {
	{"printf 'exitcode = 9\nexitcod = 9\n' >e.toml; $S analyze --config=e.toml race.txt", 2,
	 "=", "e.toml:2: "},
	{"echo 'fail_om = \"error\"' >e.toml; $S analyze --config=e.toml race.txt", 2, "=",
	 "e.toml:1: did you mean fail-on? There is no option \"fail_om\""},
	{"echo 'guard = off' >e.toml; $S analyze --config=e.toml race.txt", 2, "=",
	 "e.toml:1: a text stands in quotes: write \"off\""},
	{"printf '\n\nguard = \"of\"\n' >e.toml; $S analyze --config=e.toml race.txt", 2, "=",
	 "e.toml:3: option guard: \"of\" is not one of"},
	{"head -c 70000 /dev/zero | tr '\\0' '#' >e.toml; $S analyze --config=e.toml race.txt", 2,
	 "=", "more than 64 KiB"},
	{"$S analyze --config=nowhere.toml race.txt", 2, "=",
	 "nowhere.toml: there is no such file"},
	{"$S analyze --config=/dev/zero race.txt", 2, "=", "/dev/zero: is not a file"},
};

static const struct step suppressions_are_generated_once[] = {
	{"sed '/^exit/d' race.txt >twice.txt; sed 's/out/other/;s/dev/far/;s/n1/n2/' race.txt |"
	 " sed 's/ out / other /g;s/ dev / far /g;s/n1/n2/g' >>twice.txt;"
	 " $S analyze --gen-suppressions twice.txt | grep -c ^rule",
	 ANY, "=1\n", "2 errors"},
	{"printf '[mine]\nrule = SC-999' >gen.txt; $S analyze --gen-suppressions=gen.txt race.txt;"
	 " $S analyze race.txt --gen-suppressions=gen.txt; cat gen.txt",
	 ANY,
	 "=[mine]\nrule = SC-999\n[host-read-before-sync: write here why this is not an "
	 "error]\nrule = SC-101\n\n",
	 NULL},
	{"$S analyze --suppressions=gen.txt race.txt", 0, NULL, "1 suppressed"},
	{"$S analyze --gen-suppressions=nowhere/x race.txt", 2, NULL,
	 "cannot write suppressions to nowhere/x"},
};

static const struct step a_run_keeps_its_trace_beside_the_html[] = {
	{"mkdir k; cd k; ../$S explain 1", 2, "=", "no trace given"},
	{"cd k; FAKE_TRACE=$PWD/../race.txt ../$S run --html --device=gpu true; ls *" NUMBERS
	 "; stat -c %a */*.sct.zst",
	 ANY, "=report.N.html\nreport.N.sct.zst\n600\n",
	 "explain:  streamcheck explain 1 streamcheck-reports/report."},
	{"cd k; ../$S explain 1", 0, "rule:     SC-101",
	 "the trace is streamcheck-reports/report."},
	{"cd k; ../$S repair", 0, "edit 1: ", "repair: the trace is streamcheck-reports/report."},
	{"cd k; ../$S dump */*.zst", 0, "host_read", NULL},
	{"cd k; FAKE_TRACE=$PWD/../race.txt ../$S run --html --device=gpu --profile=strict true",
	 ANY, NULL, "streamcheck explain --profile=strict 1 streamcheck-reports/report."},
	{"mkdir p; cd p; FAKE_TRACE=$PWD/../race.txt ../$S run --html --device=gpu sh -c 'true;"
	 " env true' >/dev/null; ls *" NUMBERS,
	 ANY, "=report.N.N.sct.zst\nreport.N.html\n", NULL},
	{"cd k; head -c 60 */*.zst >cut.sct; ../$S dump cut.sct", 2, "=", "cannot be unpacked"},
	{"mkdir n; cd n; FAKE_TRACE=$PWD/../race.txt ../$S run --device=gpu --html=no true; ls",
	 ANY, "=", "explain:  streamcheck rules SC-101"},
	/* nor where it cannot stay: no command names it */
	{"mkdir f; cd f; echo mine >streamcheck-reports; FAKE_TRACE=$PWD/../race.txt ../$S run"
	 " --html --device=gpu true; cat *",
	 ANY, "=mine\n", "explain:  streamcheck rules SC-101"},
	/* the commands of a report without a trace say what their FILE is */
	{"cd n; printf 'alloc dev 64\nalloc out 64 pinned\ncopy n1 out <- dev 64\nhost_read out 4\n"
	 "host_write out 4\nexit 0\n' >two.txt; FAKE_TRACE=$PWD/two.txt ../$S run --device=gpu"
	 " --report=html:two.html true; grep -c 'repair FILE (FILE: of a run with --trace=FILE)'"
	 " two.html; rm two.*",
	 ANY, "=1\n", "repair FILE (FILE: of a run with --trace=FILE)"},
	{"cd n; FAKE_TRACE=$PWD/../race.txt ../$S run --device=gpu --trace=t.sct true; ls | grep "
	 "-c "
	 "sct",
	 ANY, "=1\n", "streamcheck explain 1 t.sct"},
};

/* A tree with a device, so that programs decide. */
#define DEVICE "mkdir -p lib/streamcheck/sim; : >lib/streamcheck/sim/libcuda.so.1; "

static const struct step the_doctor_knows_why[] = {
	{"$S doctor " SC_STATIC_FILE, ANY, "lib/libstreamcheck.so…static CUDA runtime…next ", NULL},
	{DEVICE "$S doctor", 0, "back ends", NULL},
	{"$S doctor ./nowhere", 1, "No such file", NULL},
	{"$S doctor " SC_STRIPPED_FILE, 0, "has no debug information…-g -lineinfo…next", NULL},
	{"$S doctor " SC_COMMAND_FILE " | grep -c debug", ANY, "=0\n", NULL},
	{"cp " SC_COMMAND_FILE " sc; strip -g sc; $S doctor ./sc", 0,
	 "findings name functions, but no source lines", NULL},
	{"strip sc; $S doctor ./sc", 0, "findings name neither functions nor source lines", NULL},
	/* the command looks for a name, and has it not */
	{"$S doctor " SC_COMMAND_FILE, 0, "names no CUDA runtime", NULL},
	{"$S run --device=sim " SC_FULLY_STATIC_FILE, ANY, NULL,
	 "nothing was recorded: …is statically linked, so LD_PRELOAD has no effect on it; link it "
	 "dynamically"},
	{"printf '#!/nowhere/sh\n' >x.sh; chmod +x x.sh; $S doctor ./x.sh", 1,
	 "is a script of /nowhere/sh, which is not there\nnext …correct the first line", NULL},
	{"$S doctor " SC_RECORDER_FILE, 1, "extension of Python…next…python3", NULL},
	{"$S doctor " SC_FULLY_STATIC_FILE, 1, "LD_PRELOAD has no effect…next…without -static",
	 NULL},
	/* the head of a program, made one of 32 bits, and one of another processor */
	{"cp " SC_STRIPPED_FILE
	 " e; printf '\\001' | dd of=e bs=1 seek=4 conv=notrunc; $S doctor ./e",
	 1, "32-bit program", NULL},
	{"cp " SC_STRIPPED_FILE
	 " e; printf '\\267' | dd of=e bs=1 seek=18 conv=notrunc; $S doctor ./e",
	 1, "another kind of processor", NULL},
	{"head -c 100 " SC_STRIPPED_FILE " >e; $S doctor ./e", ANY, "next", NULL},
	{"printf '#!/usr/bin/env -S sh\n' >s.sh; chmod +x s.sh; $S doctor ./s.sh", 0,
	 "is a script of …sh\n…next", NULL},
	{"printf '#!./s.sh\n' >t.sh; chmod 6755 t.sh; $S doctor ./t.sh", 0,
	 "is a script of ./s.sh…is a script of", NULL},
	{": >train.py; $S doctor train.py", 1, "next…python3 SCRIPT.py", NULL},
	{"rm -r lib/streamcheck; $S doctor " SC_STRIPPED_FILE, ANY, "missing", NULL},
};

/* Who may, gives a copy of `true` to another user. */
static const struct step the_doctor_sees_rights[] = {
	{DEVICE "cp " SC_STRIPPED_FILE " g; chmod 4755 g; $S doctor ./g", 0, NULL, NULL},
	{"[ $(id -u) != 0 ] || { chown 1 g; chmod 4755 g; $S doctor ./g >said; [ $? = 1 ] && grep "
	 "'drops LD_PRELOAD' said; }",
	 0, NULL, NULL},
};

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(html_stands_beside_the_text),
		STORY(the_last_ten_reports_stay),
		STORY(other_tools_words_get_a_hint),
		STORY(slips_get_a_hint),
		STORY(a_program_alone_is_run),
		STORY(options_may_follow_files),
		STORY(help_is_of_one_command),
		STORY(data_goes_to_standard_output),
		STORY(a_file_has_options),
		STORY(a_file_with_an_error_is_2),
		STORY(suppressions_are_generated_once),
		STORY(a_run_keeps_its_trace_beside_the_html),
		STORY(the_doctor_knows_why),
		STORY(the_doctor_sees_rights),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
