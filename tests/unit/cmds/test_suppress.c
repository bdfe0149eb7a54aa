/* Suppressions: patterns, files, and which findings an entry hides. */
#include <stdbool.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/glob.h"
#include "cmds/files/text_file.h"
#include "cmds/judge/comment.h"
#include "cmds/judge/generated.h"
#include "cmds/judge/suppress.h"
#include "tests/unit/reports/report_fake.h"

#define TODAY 20261121

static char message[256];

static int parse(struct sc_suppressions *s, const char *text)
{
	*s = (struct sc_suppressions){0};
	message[0] = '\0';
	return sc_suppressions_parse(s, "s.txt", text, strlen(text), message, sizeof(message));
}

TEST(globs_match_whole_texts)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{"", "", 1},
		{"*", "", 1},
		{"a", "ab", 0},
		{"a*", "ab", 1},
		{"*b", "ab", 1},
		{"a?c", "abc", 1},
		{"a?c", "ac", 0},
		{"*a*b*", "xxaxbx", 1},
		{"*a*b", "xxaxbx", 0},
		{"f(int\\*)", "f(int*)", 1},
		{"f(int\\*)", "f(intx)", 0},
		{"a\\", "a\\", 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(sc_glob_matches(cases[i].pattern, cases[i].text),
				 cases[i].matches);
}

/* Exponential matchers do not come back from this. */
TEST(hostile_globs_end)
{
	char pattern[401], text[4001];

	for (size_t i = 0; i < 400; i++)
		pattern[i] = i % 2 ? 'a' : '*';
	pattern[400] = '\0';
	pattern[399] = 'b';
	memset(text, 'a', 4000);
	text[4000] = '\0';
	assert_false(sc_glob_matches(pattern, text));
}

TEST(escaped_text_matches_itself_only)
{
	struct sc_buf pattern = {0};

	sc_glob_add_escaped(&pattern, "a*b?c\\d");
	assert_true(sc_glob_matches(pattern.text, "a*b?c\\d"));
	assert_false(sc_glob_matches(pattern.text, "axb?c\\d"));
	sc_buf_fini(&pattern);
}

TEST(files_are_read)
{
	struct sc_suppressions s;

	assert_int_equal(parse(&s, "# comment\n[ why so ]\r\n rule = SC-101 \nfile=a = b\n"
				   "expires = 2026-11-21\n\n[]\nkernel=*"),
			 0);
	assert_int_equal(s.list.count, 2);
	assert_string_equal(s.list.items[0].reason, "why so");
	assert_string_equal(s.list.items[0].match[SC_PATTERN_rule], "SC-101");
	assert_string_equal(s.list.items[0].match[SC_PATTERN_file], "a = b");
	assert_int_equal(s.list.items[0].line, 2);
	assert_false(sc_suppression_has_expired(&s.list.items[0], TODAY));
	assert_true(sc_suppression_has_expired(&s.list.items[0], TODAY + 1));
	assert_false(sc_suppression_has_expired(&s.list.items[1], UINT32_MAX));
	sc_suppressions_fini(&s);
}

TEST(bad_lines_are_named)
{
	static const struct {
		const char *text;
		const char *said;
	} bad[] = {
		{"rule = x", "s.txt:1: a key before"},
		{"[a\nrule = x", "s.txt:1: an entry begins"},
		{"[a]\nrule", "s.txt:2: expected key"},
		{"[a]\nrule =", "s.txt:2: the key has no value"},
		{"[a]\nrules = x", "s.txt:2: unknown key"},
		{"[a]\nrule = x\nrule = y", "s.txt:3: this key was given before"},
		{"[a]\nrule = x\n[b]\n", "s.txt:3: the entry has no pattern"},
		{"[a]\nexpires = 2026-01-01\n[b]\nrule=1", "s.txt:1: the entry has no pattern"},
		{"[a]\nrule = x\nexpires = 2026-13-01", "s.txt:3: expires needs"},
		{"[a]\nrule = x\nexpires = 2026-02-30", "s.txt:3: expires needs"},
		{"[a]\nrule = x\nexpires = soon", "s.txt:3: expires needs"},
	};
	struct sc_suppressions s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_not_equal(parse(&s, bad[i].text), 0);
		if (!strstr(message, bad[i].said))
			fail_msg("\"%s\" is not in \"%s\"", bad[i].said, message);
		sc_suppressions_fini(&s);
	}
}

/* A copy whose result is read too early, in main.cu, function fetch of program app. */
static void make_finding(struct fake *f, struct sc_finding **finding)
{
	fake_init(f, "stream 3 nonblocking\nname 3 text=\"upload\"\nalloc A 4096\n"
		     "alloc B 4096 pinned\ncopy 3 B <- A 4096 stack=1\nhost_read B 4 stack=2\n");
	*finding = fake_finding(f, 101, SC_ERROR);
	(*finding)->causes[0] = 112;
	(*finding)->side[0] = fake_side(f, 5, SC_SIDE_WRITE, 0, 4096);
	(*finding)->side[1] = fake_side(f, 6, SC_SIDE_READ, 0, 4);
	fake_frame(f, 1, "fetch(int*)", "/src/main.cu", 40, "/usr/bin/app");
	fake_frame(f, 2, "main", "/src/main.cu", 50, "/usr/bin/app");
}

static bool hides(const char *keys)
{
	struct sc_suppressions s;
	struct sc_finding *finding;
	struct fake f;
	char text[512];
	bool hidden;

	snprintf(text, sizeof(text), "[why]\n%s", keys);
	assert_int_equal(parse(&s, text), 0);
	make_finding(&f, &finding);
	hidden = sc_suppress_find(&s, &f.report, finding, TODAY) != NULL;
	fake_fini(&f);
	sc_suppressions_fini(&s);
	return hidden;
}

TEST(every_key_is_asked)
{
	assert_true(hides("rule = SC-101"));
	assert_true(hides("rule = host-read-*"));
	assert_true(hides("rule = 112"));
	assert_false(hides("rule = SC-10"));
	assert_true(hides("function = fetch(*"));
	assert_true(hides("function = main"));
	assert_false(hides("function = fetc"));
	assert_true(hides("first = fetch(*\nthen = main"));
	assert_true(hides("first = main\nthen = fetch(*"));
	assert_true(hides("then = main"));
	assert_false(hides("first = fetch(*\nthen = fetch(*"));
	assert_true(hides("file = main.cu"));
	assert_true(hides("file = /src/*"));
	assert_false(hides("file = *.cpp"));
	assert_true(hides("module = app"));
	assert_false(hides("module = libapp*"));
	assert_false(hides("kernel = *"));
	assert_true(hides("stream = 3"));
	assert_true(hides("stream = up*"));
	assert_false(hides("stream = down"));
}

TEST(all_keys_have_to_hold)
{
	assert_true(hides("rule = SC-101\nfunction = main\nmodule = app"));
	assert_false(hides("rule = SC-101\nfunction = other"));
	assert_true(hides("rule = SC-101\nexpires = 2026-11-21"));
	assert_false(hides("rule = SC-101\nexpires = 2026-11-20"));
}

TEST(generated_entries_hide_their_finding)
{
	struct sc_suppressions s;
	struct sc_finding *finding;
	struct sc_buf text = {0};
	struct sc_options options;
	struct fake f;

	sc_options_init(&options);
	make_finding(&f, &finding);
	sc_suppress_print(&text, &f.report, finding, &options);
	assert_int_equal(parse(&s, text.text), 0);
	assert_int_equal(s.list.count, 1);
	assert_string_equal(s.list.items[0].match[SC_PATTERN_first], "fetch(int\\*)");
	assert_string_equal(s.list.items[0].match[SC_PATTERN_then], "main");
	assert_ptr_equal(sc_suppress_find(&s, &f.report, finding, TODAY), &s.list.items[0]);
	finding->rule = 106;
	finding->causes[0] = 0;
	assert_null(sc_suppress_find(&s, &f.report, finding, TODAY));
	sc_suppressions_fini(&s);
	sc_buf_fini(&text);
	fake_fini(&f);
}

TEST(entries_that_match_the_same_are_generated_once)
{
	struct sc_buf all = {0};

	sc_generated_add(&all, "[a]\nrule = SC-105\nfirst = f\nthen = g\nmodule = m\n\n");
	sc_generated_add(&all, "[b]\nrule = SC-105\nfirst = g\nthen = f\nmodule = m\n\n");
	assert_null(strstr(all.text, "[b]"));
	sc_generated_add(&all, "[c]\nrule = SC-105\nfirst = g\nthen = g\nmodule = m\n\n");
	sc_generated_add(&all, "[d]\nrule = SC-105\nfirst = g\nmodule = m\n\n");
	assert_non_null(strstr(all.text, "[c]"));
	assert_non_null(strstr(all.text, "[d]"));
	sc_buf_fini(&all);
}

/* The comments of a source text whose line 3 made the copy of make_finding. */
static void read_comments(struct sc_suppressions *s, const char *source)
{
	FILE *file = fmemopen((void *)(uintptr_t)source, strlen(source), "r");

	assert_non_null(file);
	*s = (struct sc_suppressions){0};
	sc_comments_parse(s, "/src/main.cu", file);
	fclose(file);
}

static struct sc_suppression *hidden_by(struct sc_suppressions *s)
{
	struct sc_suppression *by;
	struct sc_finding *finding;
	struct fake f;

	make_finding(&f, &finding);
	f.symbols.stacks[1].frames[0].line = 3;
	by = sc_suppress_find(s, &f.report, finding, TODAY);
	fake_fini(&f);
	return by;
}

TEST(comments_hide_at_their_line)
{
	static const struct {
		const char *source;
		const char *reason; /* NULL: nothing is hidden */
	} cases[] = {
		{"\n\ncopy(); // streamcheck: ignore SC-101 known\n", "known"},
		{"\n\ncopy(); /* streamcheck: ignore SC-101 known */ }\n", "known"},
		{"\n\ncopy(); /* streamcheck: ignore SC-101*/\n", "a comment without a reason"},
		{"\n// streamcheck: ignore SC-101 above\ncopy();\n", "above"},
		{"\n * streamcheck: ignore SC-101 in a block\ncopy();\n", "in a block"},
		{"// streamcheck: ignore SC-101 why\n// more of it\ncopy();\n", "why"},
		{"\n// streamcheck: ignore SC-105 , host-read-before-sync two\ncopy();\n", "two"},
		{"\n// streamcheck: ignore SC-999,SC-101 one is none\ncopy();\n", "one is none"},
		{"\n// streamcheck: ignore SC-112 a cause\ncopy();\n", "a cause"},
		{"\n// streamcheck: ignore SC-105 another rule\ncopy();\n", NULL},
		{"// streamcheck: ignore SC-101 too far\n\ncopy();\n", NULL},
		{"\nother(); // streamcheck: ignore SC-101 of line 2\ncopy();\n", NULL},
		{"\n\ncopy();\n// streamcheck: ignore SC-101 below\n", NULL},
		{"\n\ncopy(); // streamcheck: ignore\n", NULL},
		{"\n\ncopy(); // streamcheck: ignored SC-101\n", NULL},
		{"\n\ncopy(\"streamcheck: ignore SC-101 a text\");\n", NULL},
		{"\n\n# streamcheck: ignore SC-101 python's\n", "python's"},
	};
	struct sc_suppressions s;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct sc_suppression *by;

		read_comments(&s, cases[i].source);
		by = hidden_by(&s);
		if (!by != !cases[i].reason || (by && strcmp(by->reason, cases[i].reason) != 0))
			fail_msg("hidden by \"%s\": %s", by ? by->reason : "nothing",
				 cases[i].source);
		sc_suppressions_fini(&s);
	}
}

TEST(comments_of_other_files_hide_nothing)
{
	struct sc_suppressions s;

	read_comments(&s, "\n\ncopy(); // streamcheck: ignore SC-101 known\n");
	s.list.items[0].file = "/src/other.cu";
	assert_null(hidden_by(&s));
	sc_suppressions_fini(&s);
}

TEST(hostile_sources_are_read)
{
	static const char *const sources[] = {
		"streamcheck: ignore",	       "/streamcheck: ignore",
		"// streamcheck: ignore ,,,,", "*/",
		"// streamcheck: ignore*/",    "// streamcheck: ignore \\",
	};
	struct sc_suppressions s;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		read_comments(&s, sources[i]);
		assert_int_equal(s.list.count, 0);
		sc_suppressions_fini(&s);
	}
}

/* How many stacks were looked up, and how many comments were found, where the calls' source is
 * `text`. */
static uint64_t look_up_calls(const char *text, bool is_asked, size_t *comments)
{
	char path[] = "/tmp/test_suppress.XXXXXX";
	struct sc_suppressions s = {.reads_comments = 1};
	struct sc_finding *finding;
	struct fake f;
	int fd = mkstemp(path);
	uint64_t wanted;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	make_finding(&f, &finding);
	for (uint32_t i = 0; i < FAKE_STACKS; i++)
		for (size_t k = 0; k < f.symbols.stacks[i].count; k++)
			f.symbols.stacks[i].frames[k].file = path;
	sc_suppress_read_calls(&s, &f.report, is_asked);
	wanted = f.symbols.wanted.count;
	*comments = s.list.count;
	sc_suppressions_fini(&s);
	fake_fini(&f);
	unlink(path);
	return wanted;
}

/* To look addresses up takes seconds in a large program; few programs have comments. */
TEST(calls_are_looked_up_for_comments_alone)
{
	const char *with = "\ncall(); // streamcheck: ignore SC-105 far away\n";
	size_t comments;

	assert_int_equal(look_up_calls("\ncall();\n", 0, &comments), 0);
	assert_int_not_equal(look_up_calls("\ncall();\n", 1, &comments), 0);
	assert_int_equal(comments, 0);
	assert_int_not_equal(look_up_calls(with, 0, &comments), 0);
	assert_int_equal(comments, 1);
}

/* Whoever frees the text frees it once. */
TEST(a_file_that_cannot_be_read_has_no_text)
{
	char *text = (char *)state;
	size_t bytes;

	assert_int_equal(sc_text_file_read("/", &text, &bytes), -EISDIR);
	assert_null(text);
}
