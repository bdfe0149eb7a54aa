/* Help: two tables, printed for one command. */
#include "cmds/help.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "cmds/option_line.h"

#define COLUMNS_OF_NAMES 38
#define COLUMNS_OF_TEXT	 62

enum command {
#define SC_COMMAND(name, arguments, summary) COMMAND_##name,
#include "cmds/command.def"
#undef SC_COMMAND
};

enum option {
#define SC_OPTION_TEXT(member, name, value, shown, help)      OPTION_##member,
#define SC_OPTION_NUMBER(member, name, value, min, max, help) OPTION_##member,
#define SC_OPTION_SIZE(member, name, value, help)	      OPTION_##member,
#define SC_OPTION_CHOICE(member, name, value, words, help)    OPTION_##member,
#define SC_OPTION_LIST(member, name, shown, help)	      OPTION_##member,
#include "base/option.def"
#undef SC_OPTION_TEXT
#undef SC_OPTION_NUMBER
#undef SC_OPTION_SIZE
#undef SC_OPTION_CHOICE
#undef SC_OPTION_LIST
	OPTIONS
};

enum group {
#define SC_USE_GROUP(id, heading) GROUP_##id,
#define SC_USE(member, group, commands)
#include "cmds/use.def"
#undef SC_USE_GROUP
#undef SC_USE
	GROUPS
};

static const char *const headings[] = {
#define SC_USE_GROUP(id, heading) heading,
#define SC_USE(member, group, commands)
#include "cmds/use.def"
#undef SC_USE_GROUP
#undef SC_USE
};

#define OF(name) (1u << COMMAND_##name)
#define RUNNING	 (OF(run) | OF(verify))
#define CHECKING (RUNNING | OF(analyze) | OF(report) | OF(merge))
#define PLANNING (OF(repair) | OF(reproduce))
#define ASKING \
	(PLANNING | OF(explain) | OF(order) | OF(graph) | OF(syncs) | OF(sites) | OF(explore))
#define READING (CHECKING | ASKING | OF(baseline) | OF(diff) | OF(anonymize))

static const struct use {
	enum group group;
	unsigned commands; /* bits */
} uses[OPTIONS] = {
#define SC_USE_GROUP(id, heading)
#define SC_USE(member, group, commands) [OPTION_##member] = {GROUP_##group, commands},
#include "cmds/use.def"
#undef SC_USE_GROUP
#undef SC_USE
};

_Static_assert(0
#define SC_USE_GROUP(id, heading)
#define SC_USE(member, group, commands) +1
#include "cmds/use.def"
#undef SC_USE_GROUP
#undef SC_USE
		       == OPTIONS,
	       "each option has a row in use.def");

static const struct {
	enum command command;
	const char *line, *what;
} examples[] = {
#define SC_EXAMPLE(command, line, what) {COMMAND_##command, "streamcheck " line, what},
#include "cmds/example.def"
#undef SC_EXAMPLE
};

/* One heading on its way out. */
struct walk {
	struct sc_buf *out;
	unsigned command; /* bit */
	enum group group;
	enum option at;
	bool has_heading;
};

/* Words from the column of the help's second half on, in as many lines as it takes. */
static void add_wrapped(struct sc_buf *out, const char *text)
{
	size_t used = 0;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (used && used + 1 + word > COLUMNS_OF_TEXT) {
			sc_buf_add_char(out, '\n');
			sc_buf_fill(out, ' ', COLUMNS_OF_NAMES);
			used = 0;
		}
		if (used)
			sc_buf_add_char(out, ' ');
		sc_buf_add_bytes(out, text, word);
		used += word + (used > 0);
		text += word;
		text += strspn(text, " ");
	}
	sc_buf_add_char(out, '\n');
}

static void add_option(void *context, const struct sc_option_line *line)
{
	struct walk *w = context;
	const struct use *use = &uses[w->at++];
	size_t start;

	if (use->group != w->group || !(use->commands & w->command))
		return;
	if (!w->has_heading)
		sc_buf_printf(w->out, "\n%s:\n", headings[w->group]);
	w->has_heading = 1;
	start = w->out->bytes;
	sc_buf_printf(w->out, "  --%s=%s", line->name, line->value);
	if (w->out->bytes - start >= COLUMNS_OF_NAMES) {
		sc_buf_add_char(w->out, '\n');
		start = w->out->bytes;
	}
	sc_buf_fill(w->out, ' ', COLUMNS_OF_NAMES - (w->out->bytes - start));
	add_wrapped(w->out, line->help);
}

void sc_help_add_options(struct sc_buf *out, const struct sc_command *command)
{
	unsigned bit = 1u << (command - sc_command_at(0));

	for (unsigned group = 0; group < GROUPS; group++)
		sc_option_lines(
			add_option,
			&(struct walk){.out = out, .command = bit, .group = (enum group)group});
}

bool sc_help_is_used(const struct sc_command *command, size_t option)
{
	return uses[option].commands & 1u << (command - sc_command_at(0));
}

void sc_help_examples(const struct sc_command *command,
		      void (*take)(void *context, const char *line, const char *what),
		      void *context)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
		if (command ? command == sc_command_at(examples[i].command)
			    : sc_command_at(examples[i].command)->main != NULL)
			take(context, examples[i].line, examples[i].what);
}
