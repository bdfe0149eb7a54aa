/* streamcheck: the command; finds its sub-command in the table and runs it. */
#include <stdbool.h>
#include <string.h>
#include "base/buf.h"
#include "base/hint.h"
#include "cmds/command.h"
#include "cmds/standard_output.h"
#include "cmds/run/program.h"

static int print_version(void)
{
	struct sc_buf out = {0};

	sc_buf_add(&out, "streamcheck " SC_VERSION "\n");
	return sc_print_and_free(&out);
}

/* True for what `streamcheck run` can begin with: an option, a path, or a program of PATH. */
static bool is_program(const char *word)
{
	struct sc_program program;

	if (*word == '-')
		return word[1];
	return strchr(word, '/') || (!sc_hint_word(word) && !sc_program_find(&program, word));
}

int main(int argc, char **argv)
{
	const struct sc_command *command = argc > 1 ? sc_command_find(argv[1]) : NULL;

	if (command)
		return command->main(argc - 1, argv + 1);
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")))
		return print_version();
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return sc_command_print_help(NULL);
	if (argc > 1 && is_program(argv[1]))
		return sc_cmd_run(argc, argv);
	if (argc > 1)
		sc_command_die_unknown(argv[1]);
	sc_die("no command given; streamcheck --help lists them");
}
