/* The baseline: what is read from its file, what is refused, what matches. */
#include <stdio.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "cmds/judge/baseline_file.h"

static char message[256];

static int parse(struct sc_knowns *k, const char *text)
{
	*k = (struct sc_knowns){0};
	message[0] = '\0';
	return sc_known_parse(k, "base.txt", text, message, sizeof(message));
}

TEST(known_findings_are_met_once)
{
	struct sc_knowns k;

	assert_int_equal(parse(&k, "# streamcheck baseline 3\n# a comment\n\n"
				   "00000000000000ff SC-101 host-read-before-sync main.cu:40\n"
				   "ffffffffffffffff\r\n00000000000000ff again\n"),
			 0);
	assert_int_equal(k.count, 2);
	assert_true(sc_known_match(&k, 255));
	assert_true(sc_known_match(&k, 255));
	assert_false(sc_known_match(&k, 254));
	assert_int_equal(k.matched, 1);
	assert_true(sc_known_match(&k, UINT64_MAX));
	assert_int_equal(k.matched, 2);
	sc_known_fini(&k);
}

TEST(bad_lines_are_named)
{
	static const struct {
		const char *text;
		const char *said;
	} bad[] = {
		{"", "base.txt:1: not a baseline"},
		{"{}", "base.txt:1: not a baseline"},
		{"# streamcheck baseline 2\n", "another version"},
		{"# streamcheck baseline 3\nffff\n", "base.txt:2: expected a fingerprint"},
		{"# streamcheck baseline 3\n\n00000000000000FF\n", "base.txt:3"},
		{"# streamcheck baseline 3\n00000000000000ff0\n", "base.txt:2"},
	};
	struct sc_knowns k;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_not_equal(parse(&k, bad[i].text), 0);
		assert_non_null(strstr(message, bad[i].said));
		sc_known_fini(&k);
	}
	k = (struct sc_knowns){0};
	assert_int_not_equal(sc_known_read(&k, "/nowhere/b", message, sizeof(message)), 0);
	assert_non_null(strstr(message, "/nowhere/b"));
}

TEST(what_is_written_is_read)
{
	struct sc_knowns k;
	struct sc_buf text = {0};

	sc_known_print_head(&text);
	assert_int_equal(parse(&k, text.text), 0);
	assert_int_equal(k.count, 0);
	sc_known_fini(&k);
	sc_buf_fini(&text);
}
