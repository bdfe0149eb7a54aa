/* The table of commands and their help. */
#include "cmds/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/hint.h"
#include "base/word.h"
#include "cmds/judge/budget.h"
#include "cmds/help.h"
#include "cmds/standard_output.h"

/* That of an extension is only there if the extension was built: SC_REPAIR is 1 or 0, and so on. */
#define MAIN_OF_1(name)	     sc_cmd_##name
#define MAIN_OF_0(name)	     NULL
#define MAIN_OF(built, name) MAIN_OF_##built(name)
#define MAIN(built, name)    MAIN_OF(built, name)

static const struct sc_command commands[] = {
#define SC_COMMAND(name, arguments, summary) {#name, arguments, summary, sc_cmd_##name},
#define SC_EXTENSION_COMMAND(extension, name, arguments, summary) \
	{#name, arguments, summary, MAIN(SC_##extension, name)},
#include "cmds/command.def"
#undef SC_COMMAND
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(*commands))

const struct sc_command *sc_command_find(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].main && !strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

const struct sc_command *sc_command_at(size_t index)
{
	return index < COMMAND_COUNT ? &commands[index] : NULL;
}

const char sc_command_exit_codes[] =
	"\nExit code: the program's own if that is not 0 (128+n when signal n ended it), else\n"
	"  66  the gate failed: a finding of option fail-on, a budget, an expired suppression\n"
	"      (option exitcode changes the number)\n"
	"   3  nothing was recorded, or something was lost, or there was no work (require-cuda)\n"
	"   2  wrong usage, unreadable input, unwritable output\n"
	" 126  the program cannot be started (127: there is none)\n"
	"   0  clean\n";

/* The command of which at most two letters differ, and not all. */
static const char *nearest(const char *word)
{
	size_t best = 2;
	const char *found = NULL;

	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		size_t far = sc_word_distance(word, strlen(word), commands[i].name);

		if (commands[i].main && far <= best && far < strlen(word)) {
			best = far;
			found = commands[i].name;
		}
	}
	return found;
}

static void add_overview(struct sc_buf *out)
{
	sc_buf_add(
		out,
		"streamcheck " SC_VERSION ": finds missing synchronization in CUDA programs\n\n"
		"  streamcheck ./app [ARGUMENT...]          run a program and check what it did\n"
		"  LD_PRELOAD=libstreamcheck.so ./app       check a program as it runs\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].main)
			sc_buf_printf(out, "  streamcheck %-28s %s\n", commands[i].name,
				      commands[i].summary);
	sc_buf_add(out, "\nstreamcheck help COMMAND shows its options.\n");
	sc_buf_add(out, sc_command_exit_codes);
}

_Noreturn void sc_command_die_unknown(const char *name)
{
	const char *hint = sc_hint_word(name), *other = nearest(name);

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(commands[i].name, name))
			sc_die("command \"%s\": this streamcheck was built without it", name);
	if (hint)
		sc_die("unknown command \"%s\": %s", name, hint);
	if (other)
		sc_die("unknown command \"%s\", did you mean %s? streamcheck --help lists them",
		       name, other);
	if (!access(name, F_OK))
		sc_die("unknown command \"%s\", and no program: use streamcheck analyze %s for a "
		       "trace",
		       name, name);
	sc_die("unknown command \"%s\", and no program of this name; streamcheck --help lists the "
	       "commands",
	       name);
}

static void add_example(void *context, const char *line, const char *what)
{
	sc_buf_printf(context, "  %s\n      %s\n", line, what);
}

static void add_command(struct sc_buf *out, const struct sc_command *command)
{
	sc_buf_printf(out, "usage: streamcheck %s %s\n\n%s\n", command->name, command->arguments,
		      command->summary);
	if (strstr(command->arguments, "[options]")) {
		sc_help_add_options(out, command);
		sc_buf_add(out, "\nAlso read from STREAMCHECK_OPTIONS=\"name=value:...\" and "
				"streamcheck.toml (name = \"value\").\n");
	}
	sc_buf_add(out, "\nExamples:\n");
	sc_help_examples(command, add_example, out);
	if (strstr(command->arguments, "[options]"))
		sc_buf_add(out, sc_command_exit_codes);
}

int sc_command_print_help(const struct sc_command *command)
{
	struct sc_buf out = {0};

	if (command)
		add_command(&out, command);
	else
		add_overview(&out);
	return sc_print_and_free(&out);
}

static int print_budgets(void)
{
	struct sc_buf out = {0};

	sc_buf_add(&out, "The names of option budget, and what they count over a whole run:\n");
	sc_budget_print_table(&out);
	return sc_print_and_free(&out);
}

int sc_cmd_help(int argc, char **argv)
{
	const struct sc_command *command = argc > 1 ? sc_command_find(argv[1]) : NULL;

	if (argc > 1 && !strcmp(argv[1], "budget"))
		return print_budgets();
	if (argc > 1 && !command)
		sc_command_die_unknown(argv[1]);
	return sc_command_print_help(command);
}
