/* Configuration files: what is read, what is refused and at which line, and where files are looked
 * for. */
#include "base/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/unit.h"

static char message[512];

static int parse_bytes(struct sc_options *o, const char *text, size_t bytes)
{
	const struct sc_config_file file = {"f.toml", "/w/[x]", true};

	message[0] = '\0';
	sc_options_init(o);
	return sc_config_parse(o, &file, text, bytes, message, sizeof(message));
}

static int parse(struct sc_options *o, const char *text)
{
	return parse_bytes(o, text, strlen(text));
}

TEST(every_kind_is_read)
{
	struct sc_options o;

	assert_int_equal(parse(&o, "# one\r\noutput = \"a\\\\b\\\"c#\" # two\n"
				   "exitcode=7\n\tadvice = false\nrequire-cuda = true\n"
				   "'max-trace' = '2g'\n\"live-disk\" = \"1m\"\n"
				   "report = [ \"json:x\", # three\n\n 'text:y' , ]\n"
				   "source-root = \"one\"\nbudget = \"copies=1\""),
			 0);
	assert_string_equal(o.output, "a\\b\"c#");
	assert_int_equal(o.exitcode, 7);
	assert_int_equal(o.advice, 0);
	assert_int_equal(o.require_cuda, 1);
	assert_int_equal(o.max_trace, UINT64_C(2) << 30);
	assert_int_equal(o.live_disk, 1 << 20);
	assert_int_equal(o.report.count, 2);
	assert_string_equal(o.report.text[1], "text:y");
	assert_string_equal(o.source_root.text[0], "/w/[x]/one");
	assert_string_equal(o.budget, "copies=1");
	assert_int_equal(parse(&o, ""), 0);
	assert_int_equal(parse(&o, "suppressions = []\n#"), 0);
	assert_int_equal(o.suppressions.count, 0);
}

TEST(files_and_patterns_are_relative_to_the_file)
{
	struct sc_options o;

	assert_int_equal(parse(&o, "suppressions = ['a/b', '/c']\nown = ['src/*', '*/x', '/y*']\n"
				   "output = 'r.txt'"),
			 0);
	assert_string_equal(o.suppressions.text[0], "/w/[x]/a/b");
	assert_string_equal(o.suppressions.text[1], "/c");
	assert_string_equal(o.own.text[0], "/w/\\[x]/src/*");
	assert_string_equal(o.own.text[1], "*/x");
	assert_string_equal(o.own.text[2], "/y*");
	assert_string_equal(o.output, "r.txt");
}

/* A file that came with somebody's checkout. */
TEST(a_found_file_stays_in_its_folder)
{
	static const struct {
		const char *text;
		bool is_allowed;
	} rows[] = {
		{"output = 'r.txt'", true},
		{"output = '-'", true},
		{"output = 'out/%p/../r.txt'", false},
		{"output = '/etc/cron.d/x'", false},
		{"output = '%q{HOME}/.bashrc'", false},
		{"output = 'link/r.txt'", false},
		{"output = 'link'", false},
		{"output = 'link%r'", false}, /* link0 leads out, too */
		{"report = ['json:r.json', 'sarif:/tmp/r']", false},
		{"report = ['json:r.json', 'sarif:r.sarif']", true},
		{"trace = '../t.sct'", false},
		{"summary = '..'", false},
		{"live-output = '/dev/sda'", false},
		{"live-html = 'page.html'", true},
		{"gen-suppressions = 'yes'", true},
		{"gen-suppressions = '/x'", false},
		{"sanitizer = 'evil.so'", false},
		{"source-root = ['src', '/']", false},
		{"source-root = ['src']", true},
		{"source-root = ['link']", false},
		{"suppressions = '../known.txt'", false},
		{"baseline = 'a..b/baseline'", true},
	};
	char home[] = "/tmp/test_config.XXXXXX", start[4096];
	struct sc_options o;

	assert_non_null(getcwd(start, sizeof(start)));
	assert_non_null(mkdtemp(home));
	assert_int_equal(chdir(home), 0);
	assert_int_equal(symlink("/etc", "link"), 0);
	assert_int_equal(symlink("/etc/x", "link0"), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct sc_config_file found = {"f.toml", home, false};
		int err;

		sc_options_init(&o);
		err = sc_config_parse(&o, &found, rows[i].text, strlen(rows[i].text), message,
				      sizeof(message));
		if (err != (rows[i].is_allowed ? 0 : -EINVAL))
			fail_msg("%s: %d", rows[i].text, err);
		if (err)
			assert_non_null(
				strstr(message, "f.toml:1: only a file that --config=FILE"));
	}
	assert_int_equal(unlink("link") | unlink("link0"), 0);
	assert_int_equal(chdir(start), 0);
	assert_int_equal(rmdir(home), 0);
}

TEST(what_makes_no_sense_is_named_with_its_line)
{
	static const struct {
		const char *text, *said;
	} bad[] = {
		{"\nnonsense = 1", "f.toml:2: streamcheck run --help lists the options; there is "
				   "none \"nonsense\""},
		{"log-file = 'x'", "f.toml:1: use --output=FILE"},
		{"config = 'x'", "f.toml:1: not in a file"},
		{"help = 1", "f.toml:1: not in a file"},
		{"[options]\nexitcode = 1", "f.toml:1: there are no tables"},
		{"live.disk = '1m'", "f.toml:1: no option has a dot in its name"},
		{"\"guard.max-bytes\" = '1m'", "f.toml:1: streamcheck run --help lists the "
					       "options; there is none \"guard.max-bytes\""},
		{"exitcode = 1\nexitcode = 2", "f.toml:2: this file has given a value before"},
		{"exitcode", "f.toml:1: expected ="},
		{"exitcode = ", "f.toml:1: expected a \"text\""},
		{"exitcode = 007", "f.toml:1: expected a \"text\""},
		{"exitcode = 1.5", "f.toml:1: expected a \"text\""},
		{"exitcode = -1", "f.toml:1: expected a \"text\""},
		{"exitcode = yes", "f.toml:1: a text stands in quotes: write \"yes\""},
		{"exitcode = 256", "f.toml:1: option exitcode: \"256\" is not a number"},
		{"exitcode = 1 2", "f.toml:1: text after the value"},
		{"exitcode = [1]", "f.toml:1: only one value"},
		{"color = 'red'", "f.toml:1: option color: \"red\" is not one of"},
		{"color = true", "f.toml:1: option color: \"yes\" is not one of"},
		{"output = \"a\nb\"", "f.toml:1: the text has no end in this line"},
		{"output = \"a\\q\"", "f.toml:1: an unknown escape"},
		{"output = \"a\\", "f.toml:1: an unknown escape"},
		{"output = \"\"\"a\"\"\"", "f.toml:1: a text of several lines"},
		{"report = [\n'json:x'\n'text:y']", "f.toml:3: a comma or ] is missing"},
		{"report = [\n1]", "f.toml:2: a list holds texts"},
		{"report = ['json:x'", "f.toml:1: a comma or ] is missing"},
		{"report = ['json']", "f.toml:1: option report: \"json\" is not FORMAT:FILE"},
		{"a\x01 = 1", "f.toml:1: a control character"},
		{"# \x80", "f.toml:1: this is not UTF-8"},
		{"\n# \xed\xa0\x80", "f.toml:2: this is not UTF-8"},
		{"# \xc0\x80", "f.toml:1: this is not UTF-8"},
		{"exitcode = 1\rexitcode", "f.toml:1: a control character"},
	};
	struct sc_options o;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(parse(&o, bad[i].text), -EINVAL);
		if (strncmp(message, bad[i].said, strlen(bad[i].said)) != 0)
			fail_msg("%s\nsays \"%s\", not \"%s\"", bad[i].text, message, bad[i].said);
	}
	assert_int_equal(parse_bytes(&o, "#\0", 2), -EINVAL);
}

TEST(long_texts_are_refused)
{
	char text[SC_OPTION_TEXT_BYTES + 64] = "suppressions = '";
	size_t used = strlen(text);
	struct sc_options o;

	memset(text + used, 'x', SC_OPTION_TEXT_BYTES + 1);
	strcpy(text + used + SC_OPTION_TEXT_BYTES + 1, "'");
	assert_int_equal(parse(&o, text), -EINVAL);
	/* with its folder too long, too */
	strcpy(text + used + SC_OPTION_TEXT_BYTES - 3, "'");
	assert_int_equal(parse(&o, text), -EINVAL);
	assert_non_null(strstr(message, "too long"));
	memset(text, 'k', 200);
	strcpy(text + 200, " = 1");
	assert_int_equal(parse(&o, text), -EINVAL);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

TEST(the_nearest_file_upwards_is_read)
{
	char root[] = "/tmp/test_config.XXXXXX", path[PATH_MAX], expected[256], line[512];
	struct sc_options o;

	assert_non_null(mkdtemp(root));
	assert_int_equal(chdir(root), 0);
	assert_int_equal(mkdir("a", 0700) || mkdir("a/b", 0700) || mkdir("a/b/c", 0700), 0);
	write_file("streamcheck.toml", "exitcode = 1\n");
	write_file("a/streamcheck.toml", "exitcode = 2\nguard = 'off'\n");
	assert_int_equal(chdir("a/b/c"), 0);
	sc_options_init(&o);
	assert_int_equal(sc_config_choose(&o, path), 1);
	snprintf(expected, sizeof(expected), "%s/a/streamcheck.toml", root);
	assert_string_equal(path, expected);
	assert_int_equal(sc_config_load(&o, "exitcode=3", message, sizeof(message)), 0);
	assert_string_equal(o.config, expected);
	assert_int_equal(o.exitcode, 3);
	assert_int_equal(o.guard, SC_GUARD_OFF);
	assert_int_equal(sc_config_load(&o, "config=none", message, sizeof(message)), 0);
	assert_int_equal(o.exitcode, 66);
	assert_int_equal(
		sc_config_load(&o, "config=../../../streamcheck.toml", message, sizeof(message)),
		0);
	assert_int_equal(o.exitcode, 1);
	assert_int_equal(sc_config_load(&o, "bad=1", message, sizeof(message)), -EINVAL);
	assert_int_equal(strncmp(message, "STREAMCHECK_OPTIONS: unknown", 28), 0);
	assert_int_equal(o.exitcode, 2);
	/* a folder of that name is none; what everybody may write is not read unless it is named */
	assert_int_equal(mkdir("streamcheck.toml", 0700), 0);
	assert_int_equal(chmod("../../streamcheck.toml", 0666), 0);
	assert_int_equal(sc_config_load(&o, NULL, message, sizeof(message)), 0);
	assert_non_null(strstr(message, "another user may write it"));
	assert_int_equal(o.exitcode, 66);
	snprintf(line, sizeof(line), "config=%s", expected);
	assert_int_equal(sc_config_load(&o, line, message, sizeof(message)), 0);
	assert_int_equal(o.exitcode, 2);
	assert_string_equal(message, "");
	/* so is a link of another user, if there can be one here */
	assert_int_equal(rmdir("streamcheck.toml") || chmod("../../streamcheck.toml", 0644) ||
				 symlink("../../streamcheck.toml", "streamcheck.toml"),
			 0);
	assert_int_equal(sc_config_load(&o, NULL, message, sizeof(message)), 0);
	assert_int_equal(o.exitcode, 2);
	if (!lchown("streamcheck.toml", geteuid() + 1, (gid_t)-1)) {
		assert_int_equal(sc_config_load(&o, NULL, message, sizeof(message)), 0);
		assert_int_equal(o.exitcode, 66);
	}
	assert_int_equal(chdir("/"), 0);
	snprintf(line, sizeof(line), "rm -r %s", root);
	assert_int_equal(system(line), 0);
}
