/* streamcheck completion: completions for shells, made from the tables of commands and options. */
#include <string.h>
#include "base/buf.h"
#include "cmds/command.h"
#include "cmds/option_line.h"
#include "cmds/print.h"

/* Text inside single quotes of a shell; what zsh would take for syntax gets a backslash. */
static void add_quoted(struct sc_buf *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'') {
			sc_buf_add(out, "'\\''");
			continue;
		}
		if (strchr(special, *text))
			sc_buf_add_char(out, '\\');
		sc_buf_add_char(out, *text);
	}
}

static void add_names(struct sc_buf *out)
{
	for (size_t i = 0; sc_command_at(i); i++)
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

static void add_zsh_option(void *context, const struct sc_option_line *line)
{
	struct sc_buf *out = context;

	sc_buf_printf(out, "\t\t'*--%s=[", line->name);
	add_quoted(out, line->help, "[]:\\");
	if (*line->words)
		sc_buf_printf(out, "]:value:(%s)' \\\n", line->words);
	else
		sc_buf_add(out, "]:value:_files' \\\n");
}

static void print_zsh(struct sc_buf *out)
{
	sc_buf_add(out, "#compdef streamcheck\n_streamcheck()\n{\n\tlocal -a commands\n"
			"\tcommands=(\n");
	for (size_t i = 0; sc_command_at(i); i++) {
		sc_buf_printf(out, "\t\t'%s:", sc_command_at(i)->name);
		add_quoted(out, sc_command_at(i)->summary, ":\\");
		sc_buf_add(out, "'\n");
	}
	sc_buf_add(out, "\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n"
			"\t\treturn\n\tfi\n\t_arguments \\\n");
	sc_option_lines(add_zsh_option, out);
	sc_buf_add(out, "\t\t'*:file:_files'\n}\n_streamcheck \"$@\"\n");
}

static void add_fish_option(void *context, const struct sc_option_line *line)
{
	struct sc_buf *out = context;

	sc_buf_printf(out, "complete -c streamcheck -n 'not __fish_use_subcommand' -l %s -r -d '",
		      line->name);
	add_quoted(out, line->help, "\\");
	sc_buf_add(out, "'");
	if (*line->words)
		sc_buf_printf(out, " -f -a '%s'", line->words);
	sc_buf_add_char(out, '\n');
}

static void print_fish(struct sc_buf *out)
{
	sc_buf_add(out, "# fish completion of streamcheck\n");
	for (size_t i = 0; sc_command_at(i); i++) {
		sc_buf_printf(out, "complete -c streamcheck -n __fish_use_subcommand -f -a %s -d '",
			      sc_command_at(i)->name);
		add_quoted(out, sc_command_at(i)->summary, "\\");
		sc_buf_add(out, "'\n");
	}
	sc_option_lines(add_fish_option, out);
}

static const struct {
	const char *name;
	void (*print)(struct sc_buf *out);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

int sc_cmd_completion(int argc, char **argv)
{
	struct sc_buf out = {0};

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return sc_command_print_help(sc_command_find("completion"));
	for (size_t i = 0; argc == 2 && i < sizeof(shells) / sizeof(*shells); i++) {
		if (strcmp(shells[i].name, argv[1]) != 0)
			continue;
		shells[i].print(&out);
		return sc_print_and_free(&out);
	}
	sc_die("completion: expected a shell: bash, zsh or fish");
}
