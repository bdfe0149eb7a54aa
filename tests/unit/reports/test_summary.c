/* Summaries: equal findings are one, files come back as they were, memory does not grow with ranks.
 */
#include "reports/many/summary.h"

#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "tests/unit/reports/report_fake.h"

#define HEAD	"# streamcheck summary 2 of fingerprints 3\n"
#define GROUP	"processes 2 0-1 1 0 0 0 0 0 1 0 ./app\n"
#define FINDING "finding 00000000000000ff SC-101 error proven 2 0-1 x\n"
#define ROW	FINDING "at 3 0 a.cu\nin main\n"

/* A process with a copy that the host does not wait for, and its finding. */
static void make(struct fake *f)
{
	fake_init(f, "process 1 text=\"./app\"\nalloc d 64\nalloc p 64 pinned\n"
		     "copy n1 p <- d 64 stack=1\nhost_read p 4 stack=2\nexit 0\n");
	f->analysis.coverage = (struct sc_coverage){.ops = 4, .driver_seen = 1, .closed = 1};
	f->analysis.is_complete = 1;
}

static void add_finding(struct fake *f, unsigned rule)
{
	struct sc_finding *finding = fake_finding(f, rule, SC_ERROR);
	uint64_t out = sc_analysis_record(&f->analysis, fake_op(f, 3))->op.dst;

	finding->side[0] = fake_side(f, 4, SC_SIDE_WRITE, out, 4);
	finding->side[1] = fake_side(f, 5, SC_SIDE_READ, out, 4);
}

static void add(struct sc_summary *s, struct fake *f, int rank)
{
	struct sc_fingerprints prints;

	f->names.rank = rank;
	sc_fingerprints_init(&prints, &f->report);
	sc_summary_add(s, &f->report, &prints);
	sc_fingerprints_fini(&prints);
}

/* Ranks from first to last; rank 7 has no finding. */
static void add_ranks(struct sc_summary *s, unsigned first, unsigned last)
{
	struct fake f, clean;

	make(&f);
	make(&clean);
	add_finding(&f, 101);
	for (unsigned rank = first; rank <= last; rank++)
		add(s, rank == 7 ? &clean : &f, (int)rank);
	fake_fini(&f);
	fake_fini(&clean);
}

static char *text_of(const struct sc_summary *s)
{
	struct sc_buf out = {0};

	sc_summary_print(&out, s, 0);
	return sc_buf_take(&out);
}

static char *file_of(const struct sc_summary *s)
{
	struct sc_buf out = {0};

	sc_summary_write(&out, s);
	return sc_buf_take(&out);
}

static int read_into(struct sc_summary *s, const char *text, char message[256])
{
	*s = (struct sc_summary){0};
	message[0] = '\0';
	return sc_summary_read(s, "f", text, strlen(text), message, 256);
}

TEST(equal_findings_are_one)
{
	struct sc_summary s = {0};
	char *text;

	add_ranks(&s, 0, 99);
	text = text_of(&s);
	assert_int_equal(s.rows.count, 1);
	assert_int_equal(s.groups.count, 2);
	assert_non_null(strstr(text, "100 processes, together 1 error, 0 warnings, 0 advice\n"));
	assert_non_null(strstr(text, " in 99 of 100 processes: ranks 0-99 except 7\n"));
	assert_non_null(strstr(text, "  ranks 0-99 except 7: each 1 error, "));
	assert_non_null(strstr(text, "rank 7: 0 errors, "));
	free(text);
	sc_summary_fini(&s);
}

TEST(memory_does_not_grow_with_ranks)
{
	struct sc_summary few = {0}, many = {0};

	add_ranks(&few, 0, 31);
	add_ranks(&many, 0, 4095);
	assert_int_equal(many.processes, 4096);
	assert_int_equal(sc_summary_bytes(&few), sc_summary_bytes(&many));
	sc_summary_fini(&few);
	sc_summary_fini(&many);
}

TEST(files_come_back_as_they_were)
{
	struct sc_summary s = {0}, back;
	char message[256], *before, *after;

	add_ranks(&s, 0, 9);
	sc_rank_set_add(&s.shards, 2, 2);
	s.shard_count = 4;
	before = file_of(&s);
	assert_int_equal(read_into(&back, before, message), 0);
	after = file_of(&back);
	assert_string_equal(before, after);
	assert_true(sc_summary_is_incomplete(&back));
	free(before);
	free(after);
	sc_summary_fini(&s);
	sc_summary_fini(&back);
}

/* Eight parts, merged one after the other, and by twos. */
TEST(any_tree_gives_the_same)
{
	struct sc_summary parts[8] = {0}, line = {0};
	char *one, *other;

	for (unsigned i = 0; i < 8; i++) {
		add_ranks(&parts[i], i * 5, i * 5 + 4);
		assert_true(sc_summary_join(&line, &parts[i]));
	}
	for (unsigned step = 1; step < 8; step *= 2)
		for (unsigned i = 0; i < 8; i += 2 * step)
			assert_true(sc_summary_join(&parts[i], &parts[i + step]));
	one = file_of(&line);
	other = file_of(&parts[0]);
	assert_string_equal(one, other);
	assert_non_null(strstr(one, " 39 0-6,8-39 "));
	free(one);
	free(other);
	for (unsigned i = 0; i < 8; i++)
		sc_summary_fini(&parts[i]);
	sc_summary_fini(&line);
}

TEST(missing_shards_are_named)
{
	struct sc_summary s, other;
	char message[256], *text;

	assert_int_equal(read_into(&s, HEAD "shard 1,3 of 4\n" GROUP ROW "end\n", message), 0);
	text = text_of(&s);
	assert_non_null(strstr(text, "of 4 shards only these were analyzed: 1,3\n"));
	free(text);
	assert_int_equal(read_into(&other, HEAD "shard 2,4 of 4\n" GROUP "end\n", message), 0);
	assert_true(sc_summary_join(&s, &other));
	assert_false(sc_summary_is_incomplete(&s));
	sc_summary_fini(&other);
	assert_int_equal(read_into(&other, HEAD "shard 2 of 5\n" GROUP "end\n", message), 0);
	assert_false(sc_summary_join(&s, &other));
	sc_summary_fini(&other);
	sc_summary_fini(&s);
}

TEST(many_findings_are_a_page)
{
	struct sc_summary s;
	struct sc_buf file = {0};
	char message[256], *text;
	size_t lines = 0;

	sc_buf_add(&file, HEAD GROUP);
	for (unsigned i = 0; i < 500; i++)
		sc_buf_printf(&file,
			      "finding %016x SC-101 error proven 2 0-1 a.cu:%u: error\n| one\n"
			      "|   two\n|   three\n",
			      i, i);
	sc_buf_add(&file, "end\n");
	assert_int_equal(read_into(&s, file.text, message), 0);
	text = text_of(&s);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_in_range(lines, 80, 104);
	assert_non_null(strstr(text, "more findings; --text=all"));
	free(text);
	sc_buf_fini(&file);
	sc_summary_fini(&s);
}

TEST(ranks_of_two_runs_are_said)
{
	struct sc_summary s, other;
	char message[256], *text, *file;
	struct sc_buf runs = {0};

	assert_int_equal(read_into(&s, HEAD "run 2 0-1 slurm 7.0\n" GROUP ROW "end\n", message), 0);
	assert_false(sc_summary_runs(&runs, &s));
	assert_int_equal(read_into(&other, HEAD "run 2 2-3 slurm 7.0\n" GROUP "end\n", message), 0);
	assert_true(sc_summary_join(&s, &other));
	assert_false(sc_summary_runs(&runs, &s));
	sc_summary_fini(&other);
	assert_int_equal(read_into(&other, HEAD "run 1 0 pmix a\n" GROUP "end\n", message), 0);
	assert_true(sc_summary_join(&s, &other));
	assert_true(sc_summary_runs(&runs, &s));
	assert_string_equal(runs.text, "2 runs: 4 processes, ranks 0-3, of slurm 7.0; "
				       "1 process, rank 0, of pmix a");
	text = text_of(&s);
	assert_non_null(strstr(text, "\n  these are ranks of 2 runs: 4 processes, "));
	file = file_of(&s);
	assert_non_null(strstr(file, "\nrun 4 0-3 slurm 7.0\nrun 1 0 pmix a\n"));
	free(text);
	free(file);
	sc_buf_fini(&runs);
	sc_summary_fini(&other);
	sc_summary_fini(&s);
}

TEST(a_process_has_the_run_of_its_trace)
{
	struct sc_summary s = {0};
	struct fake f;
	char *file;

	make(&f);
	add(&s, &f, 0);
	f.names.run = "slurm 1.0";
	add(&s, &f, 1);
	f.names.run = "slurm 2\033.0";
	add(&s, &f, 2);
	add(&s, &f, -1);
	file = file_of(&s);
	assert_non_null(strstr(file, "\nrun 1 1 slurm 1.0\nrun 1 2 slurm 2"));
	assert_null(strchr(file, '\033'));
	assert_int_equal(s.runs.count, 2);
	free(file);
	fake_fini(&f);
	sc_summary_fini(&s);
}

TEST(many_runs_are_bounded)
{
	struct sc_buf file = {0};
	struct sc_summary s;
	char message[256];
	uint64_t all = 0;

	sc_buf_add(&file, HEAD);
	for (unsigned i = 0; i < 1000; i++)
		sc_buf_printf(&file, "run 1 0 job %u\n", i);
	sc_buf_add(&file, GROUP "end\n");
	assert_int_equal(read_into(&s, file.text, message), 0);
	assert_int_equal(s.runs.count, SC_SUMMARY_RUNS_MOST);
	for (size_t i = 0; i < s.runs.count; i++)
		all += s.runs.items[i].processes;
	assert_int_equal(all, 1000);
	sc_buf_fini(&file);
	sc_summary_fini(&s);
}

TEST(hostile_text_reaches_no_terminal)
{
	struct sc_summary s;
	char message[256], *text;

	assert_int_equal(read_into(&s,
				   HEAD "processes 1 - 1 0 0 0 0 0 1 0 a\033[2Jb\xFF\n" ROW
					"| \033]0;x\n"
					"end\n",
				   message),
			 0);
	text = text_of(&s);
	assert_null(strchr(text, '\033'));
	free(text);
	sc_summary_fini(&s);
}

TEST(bad_files_are_refused)
{
	static const struct {
		const char *text;
		const char *said;
	} bad[] = {
		{"", "f:1: no summary"},
		{"# streamcheck baseline 3\n", "f:1: no summary"},
		{"# streamcheck summary 1 of fingerprints 3\nend\n", "f:1: a summary of another"},
		{HEAD, "f:1: the file has no end"},
		{HEAD GROUP ROW, "f:5: the file has no end"},
		{HEAD "end\n" GROUP, "f:3: a line after the end"},
		{HEAD "junk\nend\n", "f:2: expected shard"},
		{HEAD "shard 5 of 4\nend\n", "f:2: shards are numbered"},
		{HEAD "shard 0 of 4\nend\n", "f:2: shards are numbered"},
		{HEAD "shard - of 4\nend\n", "f:2: shards are numbered"},
		{HEAD "shard 1 of 99999999\nend\n", "f:2: a number is too large"},
		{HEAD "shard 1 of 4\nshard 1 of 4\nend\n", "f:3: a second line"},
		{HEAD "processes 0 - 0 0 0 0 0 0 1 0 a\nend\n", "f:2: a line without processes"},
		{HEAD "processes -1 - 0 0 0 0 0 1 0 a\nend\n", "f:2: expected a number"},
		{HEAD "processes 1 5-3 0 0 0 0 0 0 1 0 a\nend\n", "f:2: expected ranks"},
		{HEAD "processes 1 - 0 0 0 0 0 0 2 0 a\nend\n", "f:2: a number is too large"},
		{HEAD "processes 99999999999 - 0 0 0 0 0 0 1 0 a\nend\n", "f:2: expected a number"},
		{HEAD "run 0 - a\nend\n", "f:2: expected how many processes"},
		{HEAD "run 1 0 \nend\n", "f:2: expected how many processes"},
		{HEAD "run 1 x a\nend\n", "f:2: expected ranks"},
		{HEAD "at 3 0 a.cu\nend\n", "f:2: a place twice"},
		{HEAD "in main\nend\n", "f:2: a place twice"},
		{HEAD ROW "at 3 0 a.cu\nend\n", "f:5: a place twice"},
		{HEAD ROW "in f\nend\n", "f:5: a place twice"},
		{HEAD FINDING "at 0 0 a.cu\nend\n", "f:3: lines of a file"},
		{HEAD FINDING "at 1 x a.cu\nend\n", "f:3: expected a number"},
		{HEAD FINDING "at 1 1 \nend\n", "f:3: a place twice"},
		{HEAD "| text\nend\n", "f:2: a text without a finding"},
		{HEAD ROW ROW "end\n", "f:5: a finding stands there twice"},
		{HEAD "finding ff SC-101 error proven 1 0 x\nend\n", "f:2: expected a fingerprint"},
		{HEAD "finding 00000000000000ff SC-1010 error proven 1 0 x\nend\n",
		 "f:2: a number is too large"},
		{HEAD "finding 00000000000000ff SC-101 fatal proven 1 0 x\nend\n",
		 "f:2: expected a severity"},
	};
	char message[256];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sc_summary s;

		assert_true(read_into(&s, bad[i].text, message) < 0);
		if (!strstr(message, bad[i].said))
			fail_msg("\"%s\" says \"%s\"", bad[i].text, message);
		sc_summary_fini(&s);
	}
}
