/* The table of commands and their help. */
#include "cmds/command.h"

#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "base/option.h"
#include "cmds/budget.h"
#include "cmds/print.h"

static const struct sc_command commands[] = {
#define SC_COMMAND(name, arguments, summary) {#name, arguments, summary, sc_cmd_##name},
#include "cmds/command.def"
#undef SC_COMMAND
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(*commands))

const struct sc_command *sc_command_find(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

const struct sc_command *sc_command_at(size_t index)
{
	return index < COMMAND_COUNT ? &commands[index] : NULL;
}

static void add_line(void *context, const char *text)
{
	sc_buf_printf(context, "%s\n", text);
}

static void add_options(struct sc_buf *out)
{
	sc_buf_add(out, "\nOptions, also read from STREAMCHECK_OPTIONS=\"name=value:...\":\n");
	sc_options_help(add_line, out);
}

const char sc_command_exit_codes[] =
	"\nExit code: the program's own if that is not 0 (128+n when signal n ended it), else\n"
	"  66  the gate failed: a finding of option fail-on, a budget, an expired suppression\n"
	"      (option exitcode changes the number)\n"
	"   3  nothing was recorded, or something was lost, or there was no work (require-cuda)\n"
	"   2  wrong usage, unreadable input, unwritable output\n"
	"   0  clean\n";

static void add_overview(struct sc_buf *out)
{
	sc_buf_add(out,
		   "streamcheck " SC_VERSION ": finds missing synchronization in CUDA programs\n\n"
		   "  LD_PRELOAD=libstreamcheck.so ./app       check a program as it runs\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		sc_buf_printf(out, "  streamcheck %-28s %s\n", commands[i].name,
			      commands[i].summary);
	sc_buf_add(out, "\nstreamcheck help COMMAND shows its options.\n");
	sc_buf_add(out, sc_command_exit_codes);
}

static void add_command(struct sc_buf *out, const struct sc_command *command)
{
	sc_buf_printf(out, "usage: streamcheck %s %s\n\n%s\n", command->name, command->arguments,
		      command->summary);
	if (strstr(command->arguments, "[options]")) {
		add_options(out);
		sc_buf_add(out, sc_command_exit_codes);
	}
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
		sc_die("unknown command \"%s\"; streamcheck --help lists them", argv[1]);
	return sc_command_print_help(command);
}
