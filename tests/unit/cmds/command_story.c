/* Stories: each line runs in a shell of its own. */
#include "tests/unit/cmds/command_story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RACE                                      \
	"alloc dev 4096\nalloc out 4096 pinned\n" \
	"copy n1 out <- dev 4096\nhost_read out 4\nstream_sync n1\nexit 0\n"
#define CLEAN                                     \
	"alloc dev 4096\nalloc out 4096 pinned\n" \
	"copy n1 out <- dev 4096\nstream_sync n1\nhost_read out 4\nexit 0\n"

char root[64];

struct outcome result;

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

void shell(const char *format, ...)
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

void assert_holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

void write_text(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

int make_tree(void **state)
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

int remove_tree(void **state)
{
	(void)state;
	shell("cd / && rm -rf %s", root);
	return 0;
}

static void expect(const char *line, const char *text, const char *expected)
{
	const char *at = text;

	if (!expected)
		return;
	if (*expected == '=') {
		if (strcmp(text, expected + 1) != 0)
			fail_msg("%s\nsays\n%s\nand not\n%s", line, text, expected + 1);
		return;
	}
	while (*expected) {
		const char *end = strstr(expected, "…");
		size_t bytes = end ? (size_t)(end - expected) : strlen(expected);

		at = memmem(at, strlen(at), expected, bytes);
		if (!at)
			fail_msg("%s\nsays\n%s\nwithout\n%s", line, text, expected);
		at += bytes;
		expected += bytes + (end ? strlen("…") : 0);
	}
}

void play(void **state)
{
	const struct story *story = *state;
	const struct step *steps = story->steps;

	for (size_t i = 0; i < story->count; i++) {
		shell("%s", steps[i].line);
		if (steps[i].code != ANY && result.code != steps[i].code)
			fail_msg("%s\nends with %d, not %d:\n%s%s", steps[i].line, result.code,
				 steps[i].code, result.out, result.err);
		expect(steps[i].line, result.out, steps[i].out);
		expect(steps[i].line, result.err, steps[i].err);
	}
}
