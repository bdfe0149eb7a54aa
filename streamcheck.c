/* streamcheck: the command; finds its sub-command in the table and runs it. */
#include <string.h>
#include "base/buf.h"
#include "cmds/command.h"
#include "cmds/print.h"

static int print_version(void)
{
	struct sc_buf out = {0};

	sc_buf_add(&out, "streamcheck " SC_VERSION "\n");
	return sc_print_and_free(&out);
}

int main(int argc, char **argv)
{
	const struct sc_command *command = argc > 1 ? sc_command_find(argv[1]) : NULL;

	if (command)
		return command->main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "--version"))
		return print_version();
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return sc_command_print_help(NULL);
	if (argc > 1)
		sc_die("unknown command \"%s\"; streamcheck --help lists them", argv[1]);
	sc_die("no command given; streamcheck --help lists them");
}
