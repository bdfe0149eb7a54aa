/* Lines of Python: function, file and number with tabs between them. */
#include "analyzer/symbol/python.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/symbol/callsite.h"

static const char *take_field(const char **text, char end, struct sc_arena *arena)
{
	size_t bytes = strcspn(*text, end == '\t' ? "\t\n" : "\n");
	const char *field = sc_arena_xtext(arena, *text, bytes);

	*text += bytes;
	if (**text == end)
		(*text)++;
	return field;
}

static bool is_of_interpreter(const char *file)
{
	const char *library = strstr(file, "/lib/python");

	return *file == '<' || (library && library[strlen("/lib/python")] >= '0' &&
				library[strlen("/lib/python")] <= '9');
}

/* The module that follows pools of frameworks for this tool (packaging/python). */
static bool is_ours(const char *file)
{
	return strstr(file, "/streamcheck/python/sitecustomize.py");
}

static bool is_package(const char *file)
{
	return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/");
}

static enum sc_frame_owner owner_of(const char *file)
{
	if (is_ours(file))
		return SC_OWNER_SYSTEM;
	if (is_package(file))
		return SC_OWNER_PACKAGE;
	return is_of_interpreter(file) ? SC_OWNER_SYSTEM : SC_OWNER_USER;
}

bool sc_python_take(const char **text, struct sc_arena *arena, struct sc_frame *out)
{
	unsigned long line;

	if (!**text)
		return 0;
	*out = (struct sc_frame){.module = "", .is_named = 1};
	out->function = take_field(text, '\t', arena);
	out->file = take_field(text, '\t', arena);
	line = strtoul(take_field(text, '\n', arena), NULL, 10);
	out->line = line <= UINT32_MAX ? (unsigned)line : 0;
	out->owner = owner_of(out->file);
	return 1;
}

struct sc_frame sc_python_unknown(void)
{
	return (struct sc_frame){.function = "(Python code)",
				 .file = "",
				 .module = "",
				 .is_named = 1,
				 .owner = SC_OWNER_PACKAGE};
}

bool sc_python_is_interpreter(const struct sc_frame *frame)
{
	return sc_callsite_is_interpreter(frame->module);
}

/* Files that call tests, and what tests are given. */
static bool is_runner(const char *file)
{
	static const char *const runners[] = {"/_pytest/python.py", "/_pytest/fixtures.py",
					      "/unittest/case.py"};

	for (size_t i = 0; i < sizeof(runners) / sizeof(*runners); i++)
		if (strstr(file, runners[i]))
			return 1;
	return 0;
}

/* Of what runners do besides: their own files, plugins, decorators of the standard library. */
static bool is_around_test(const char *file)
{
	return strstr(file, "/_pytest/") || strstr(file, "/pluggy/") || is_of_interpreter(file);
}

/* The outermost line that a runner called, or NULL. */
static const struct sc_frame *find_test(const struct sc_frame *frames, size_t count)
{
	bool is_run = false;

	while (count--) {
		const char *file = frames[count].file;

		if (is_run && *file && !*frames[count].module && !is_around_test(file))
			return &frames[count];
		is_run |= is_runner(file);
	}
	return NULL;
}

void sc_python_own_tests(struct sc_frame *frames, size_t count)
{
	const struct sc_frame *test = find_test(frames, count);
	const char *slash = test ? strrchr(test->file, '/') : NULL;
	size_t bytes;

	if (!slash || !is_package(test->file))
		return;
	bytes = (size_t)(slash + 1 - test->file);
	for (size_t i = 0; i < count; i++)
		if (!*frames[i].module && !strncmp(frames[i].file, test->file, bytes))
			frames[i].owner = SC_OWNER_USER;
}
