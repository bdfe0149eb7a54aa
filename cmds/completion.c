/* streamcheck completion: bash's completions, made from the tables of commands and options. */
#include <string.h>
#include "base/buf.h"
#include "cmds/command.h"
#include "cmds/option_line.h"
#include "cmds/standard_output.h"

static void add_names(struct sc_buf *out)
{
	for (size_t i = 0; sc_command_at(i); i++)
		if (sc_command_at(i)->main)
			sc_buf_printf(out, "%s%s", i ? " " : "", sc_command_at(i)->name);
}

static void add_bash_case(void *context, const struct sc_option_line *line)
{
	if (*line->words)
		sc_buf_printf(context, "\t--%s) words='%s' ;;\n", line->name, line->words);
	else
		sc_buf_printf(context, "\t--%s) return ;;\n", line->name);
}

static void add_bash_name(void *context, const struct sc_option_line *line)
{
	sc_buf_printf(context, " --%s", line->name);
}

static void print_bash(struct sc_buf *out)
{
	sc_buf_add(out, "# bash completion of streamcheck\n"
			"_streamcheck()\n{\n"
			"\tlocal cur=$2 prev=$3 words=\n"
			"\tif [ \"$cur\" = = ]; then\n\t\tcur=\n"
			"\telif [ \"$prev\" = = ]; then\n"
			"\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
			"\tcase $prev in\n");
	sc_option_lines(add_bash_case, out);
	sc_buf_add(out, "\t*)\n\t\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\t\twords='");
	add_names(out);
	sc_buf_add(out, "'\n\t\telif [[ $cur == -* ]]; then\n\t\t\twords='");
	sc_option_lines(add_bash_name, out);
	sc_buf_add(out, "'\n\t\tfi ;;\n\tesac\n"
			"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n"
			"complete -o default -F _streamcheck streamcheck\n");
}

int sc_cmd_completion(int argc, char **argv)
{
	struct sc_buf out = {0};

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return sc_command_print_help(sc_command_find("completion"));
	if (argc != 2)
		sc_die("completion: expected a shell: bash");
	if (strcmp(argv[1], "bash") != 0)
		sc_die("completion: there are none for \"%s\", only for bash", argv[1]);
	print_bash(&out);
	return sc_print_and_free(&out);
}
