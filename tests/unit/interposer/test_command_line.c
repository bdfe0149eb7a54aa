/* Command line: words as a shell takes them, and what does not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "interposer/core/command_line.h"

#define LINE(words) words, sizeof(words) - 1

static void test_words(void **state)
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

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char out[36 + 1] = "";
		size_t bytes =
			sc_command_line_quote(out, sizeof(out) - 1, rows[i].words, rows[i].count);

		assert_true(bytes < sizeof(out));
		out[bytes] = '\0';
		assert_string_equal(out, rows[i].line);
	}
}

static void test_own(void **state)
{
	char out[2048 + 1];
	size_t bytes = sc_command_line_read(out, sizeof(out) - 1);

	(void)state;
	out[bytes] = '\0';
	assert_non_null(strstr(out, "command_line"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
