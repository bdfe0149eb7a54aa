/* streamcheck manual: the manual page, made from the tables of commands, options and budgets. */
#include <string.h>
#include "base/buf.h"
#include "cmds/judge/budget.h"
#include "cmds/command.h"
#include "cmds/help.h"
#include "cmds/option_line.h"
#include "cmds/standard_output.h"

static const char description[] =
	"streamcheck finds places where a CUDA program relies on an ordering that CUDA does not "
	"guarantee: the host reads, writes or frees memory that a copy or kernel is still using; "
	"two streams use the same bytes and nothing orders them; a wait waits for the wrong thing. "
	"It records what an unchanged program does, and analyzes the recording afterwards. Proven "
	"errors fail the run; possible errors do not, and each says what could not be determined.";

static const struct {
	const char *term;
	const char *text;
} environment[] = {
	{"STREAMCHECK_OPTIONS", "Options as name=value:name=value; a colon in a value is "
				"written \\:. Options of the command line come first."},
	{"STREAMCHECK_SIM_SCHEDULE", "When the simulated device runs operations: eager, "
				     "random:SEED, or lazy (as late as CUDA allows)."},
	{"STREAMCHECK_SIM_KERNELS", "What becomes of kernels on the simulated device, as option "
				    "sim-kernels."},
	{"STREAMCHECK_SIM_WORKERS", "Threads of the simulated device for one kernel (as "
				    "many as processors)."},
	{"STREAMCHECK_SIM_DEVICES", "Number of simulated devices."},
	{"STREAMCHECK_SIM_MEMORY", "Memory of each simulated device, as option sim-memory."},
	{"STREAMCHECK_SIM_HOST_ACCESS", "1: the host may read and write device memory."},
	{"STREAMCHECK_SIM_CONCURRENT_MANAGED", "0: the host and kernels cannot use managed memory "
					       "at the same time."},
	{"STREAMCHECK_SIM_FAILING_KERNEL", "Kernels whose mangled names contain it fail with error "
					   "700."},
	{"TMPDIR", "Folder for traces while a program runs."},
	{"NO_COLOR", "No colour in the text report."},
};

/* Text of ours or of a table, made harmless for troff. */
static void add_text(struct sc_buf *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		sc_buf_add(out, "\\&");
	for (; *text; text++) {
		if (*text == '\\')
			sc_buf_add(out, "\\e");
		else if (*text == '-')
			sc_buf_add(out, "\\-");
		else
			sc_buf_add_char(out, *text);
	}
	sc_buf_add_char(out, '\n');
}

static void add_term(struct sc_buf *out, const char *term, const char *text)
{
	sc_buf_add(out, ".TP\n.B ");
	add_text(out, term);
	add_text(out, text);
}

static void add_example(void *context, const char *line, const char *what)
{
	add_term(context, line, what);
}

static void add_option(void *context, const struct sc_option_line *line)
{
	struct sc_buf *out = context;

	sc_buf_printf(out, ".TP\n.BI \\-\\-");
	for (const char *c = line->name; *c; c++)
		sc_buf_printf(out, *c == '-' ? "\\-" : "%c", *c);
	sc_buf_printf(out, "= \"%s\"\n", line->value);
	add_text(out, line->help);
}

static void add_lines(struct sc_buf *out, const char *text)
{
	sc_buf_add(out, ".nf\n");
	while (*text) {
		struct sc_buf line = {0};
		size_t bytes = strcspn(text, "\n");

		sc_buf_add_bytes(&line, text, bytes);
		add_text(out, sc_buf_text(&line));
		sc_buf_fini(&line);
		text += bytes;
		text += *text == '\n';
	}
	sc_buf_add(out, ".fi\n");
}

static void add_commands(struct sc_buf *out)
{
	const struct sc_command *command;

	for (size_t i = 0; (command = sc_command_at(i)); i++) {
		struct sc_buf usage = {0};

		if (!command->main)
			continue;
		sc_buf_printf(&usage, "%s %s", command->name, command->arguments);
		add_term(out, usage.text, command->summary);
		sc_buf_fini(&usage);
	}
}

int sc_cmd_manual(int argc, char **argv)
{
	struct sc_buf out = {0}, budgets = {0};

	if (argc > 1)
		return sc_command_print_help(sc_command_find(argv[0]));
	sc_buf_add(&out, ".TH STREAMCHECK 1 \"\" \"streamcheck " SC_VERSION "\" \"User commands\"\n"
			 ".SH NAME\nstreamcheck \\- check the ordering of asynchronous CUDA work\n"
			 ".SH SYNOPSIS\n.B streamcheck\n.I command\n.RI [ options ] \" ...\"\n"
			 ".br\n.B LD_PRELOAD=libstreamcheck.so\n.I program\n.SH DESCRIPTION\n");
	add_text(&out, description);
	sc_buf_add(&out, ".SH COMMANDS\n");
	add_commands(&out);
	sc_buf_add(&out, ".SH OPTIONS\n");
	sc_option_lines(add_option, &out);
	sc_buf_add(&out, ".SH BUDGETS\nThe names of option budget, counted over a whole run:\n");
	sc_budget_print_table(&budgets);
	add_lines(&out, budgets.text);
	sc_buf_add(&out, ".SH EXIT STATUS\n");
	add_lines(&out, sc_command_exit_codes + strspn(sc_command_exit_codes, "\n"));
	sc_buf_add(&out, ".SH ENVIRONMENT\n");
	for (size_t i = 0; i < sizeof(environment) / sizeof(*environment); i++)
		add_term(&out, environment[i].term, environment[i].text);
	sc_buf_add(&out, ".SH EXAMPLES\n");
	sc_help_examples(NULL, add_example, &out);
	sc_buf_fini(&budgets);
	return sc_print_and_free(&out);
}
