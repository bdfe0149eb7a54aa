/* Command line: words as a shell takes them, and what does not fit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/core/command_line.h"

#define LINE(words) words, sizeof(words) - 1

TEST(words)
{
	static const struct {
		const char *words;
		size_t count;
		const char *line;
	} rows[] = {
		{LINE("./app\0--fast"), "./app --fast"},
		{LINE("/a b/app"), "'/a b/app'"},
		{LINE("python3\0-c\0print('x')"), "python3 -c 'print('\\''x'\\'')'"},
		{LINE("./app\0\0$HOME"), "./app '' '$HOME'"},
		{LINE("nginx: worker process"), "'nginx: worker process'"},
		{LINE("./sixteen\0letters"), "./sixteen letters"},
		{LINE("./sixteen\0letters\0more\0and more"), "./sixteen letters more …"},
		{LINE("./app\0one word that is as long as this one is"), "./app …"},
		{LINE("one-word-that-is-as-long-as-this-one"), "…"},
		{LINE("./app\0''''''''"), "./app …"},
		{LINE(""), ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char out[36 + 1] = "";
		size_t bytes =
			sc_command_line_quote(out, sizeof(out) - 1, rows[i].words, rows[i].count);

		assert_true(bytes < sizeof(out));
		out[bytes] = '\0';
		assert_string_equal(out, rows[i].line);
	}
}

TEST(own)
{
	char out[2048 + 1];
	size_t bytes = sc_command_line_read(out, sizeof(out) - 1);

	out[bytes] = '\0';
	assert_non_null(strstr(out, "command_line"));
}
