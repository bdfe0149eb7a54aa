/* Arguments: the command line read by the option table. */
#include "cmds/arguments.h"

#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/config.h"
#include "base/heap.h"
#include "base/hint.h"
#include "cmds/help.h"

static const struct {
	const char *name;
	const char *words; /* of a choice or a text, else "" */
} options[] = {
#define SC_OPTION_TEXT(member, name, value, shown, help)      {name, shown},
#define SC_OPTION_NUMBER(member, name, value, min, max, help) {name, ""},
#define SC_OPTION_SIZE(member, name, value, help)	      {name, ""},
#define SC_OPTION_CHOICE(member, name, value, words, help)    {name, words},
#define SC_OPTION_LIST(member, name, shown, help)	      {name, ""},
#include "base/option.def"
#undef SC_OPTION_TEXT
#undef SC_OPTION_NUMBER
#undef SC_OPTION_SIZE
#undef SC_OPTION_CHOICE
#undef SC_OPTION_LIST
};

#define OPTION_COUNT   (sizeof(options) / sizeof(*options))
#define NAME_MAX_BYTES 32

static size_t find_option(const char *name, size_t bytes)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strlen(options[i].name) == bytes && !memcmp(options[i].name, name, bytes))
			return i;
	return OPTION_COUNT;
}

static _Noreturn void die_unknown(const struct sc_command *command, const char *argument)
{
	const char *name = argument + strspn(argument, "-");
	size_t bytes = strcspn(name, "=");
	const char *hint = sc_hint_option(name, bytes), *other = sc_hint_nearest(name, bytes);

	if (hint)
		sc_die("%s: unknown option \"%s\": %s", command->name, argument, hint);
	if (other && (argument[1] == '-' || bytes > 2))
		sc_die("%s: unknown option \"%s\", did you mean --%s? See streamcheck help %s",
		       command->name, argument, other, command->name);
	sc_die("%s: unknown option \"%s\"; see streamcheck help %s", command->name, argument,
	       command->name);
}

/* Of a command line each option must have an effect; a file and the environment are for all
 * commands. */
static void check_use(const struct sc_command *command, const char *name)
{
	if (!sc_help_is_used(command, find_option(name, strlen(name))))
		sc_die("%s: option --%s has no effect here; streamcheck help %s lists the options "
		       "that have",
		       command->name, name, command->name);
}

static void set(struct sc_options *o, const struct sc_command *command, const char *name,
		const char *value)
{
	char assignment[SC_OPTION_TEXT_BYTES + NAME_MAX_BYTES + 2];
	char message[512] = "";

	check_use(command, name);
	if (snprintf(assignment, sizeof(assignment), "%s=%s", name, value) >=
	    (int)sizeof(assignment))
		sc_die("%s: the value of --%s is longer than %d characters", command->name, name,
		       SC_OPTION_TEXT_BYTES - 1);
	if (sc_options_set(o, assignment, message, sizeof(message)))
		sc_die("%s: %s", command->name, message);
}

/* Options that mean yes if they are given without a value. */
static bool is_switch(const char *words)
{
	const char *found = strstr(words, "no|yes");

	return found && (!found[6] || !strcmp(found + 6, "|FILE"));
}

/* Takes one option; returns how many arguments it was. */
static int take(struct sc_options *o, const struct sc_command *command, int left, char **argv)
{
	const char *name = argv[0] + 2;
	size_t bytes = strcspn(name, "="), i = find_option(name, bytes);

	if (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"))
		exit(sc_command_print_help(command));
	if (!strcmp(argv[0], "-o") && left > 1) {
		set(o, command, "output", argv[1]);
		return 2;
	}
	if (argv[0][1] != '-' || i == OPTION_COUNT)
		die_unknown(command, argv[0]);
	if (name[bytes] == '=') {
		set(o, command, options[i].name, name + bytes + 1);
		return 1;
	}
	if (is_switch(options[i].words)) {
		set(o, command, options[i].name, "yes");
		return 1;
	}
	if (left < 2)
		sc_die("%s: --%s needs a value; see streamcheck help %s", command->name,
		       options[i].name, command->name);
	set(o, command, options[i].name, argv[1]);
	return 2;
}

static void read_environment(struct sc_options *o)
{
	const char *text = getenv("STREAMCHECK_OPTIONS");
	char message[512] = "";

	if (text && sc_options_parse(o, text, message, sizeof(message)))
		sc_die("STREAMCHECK_OPTIONS: %s", message);
}

/* The arguments that are no options, in their order. */
struct words {
	char **items; /* owned */
	int count;
};

static bool has_separator(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return 1;
	return 0;
}

/* Reads all options; after the first word only if `is_mixed`, and never after "--", which is a word
 * itself if the command looks for it. */
static void scan(struct sc_options *o, const struct sc_command *command, int argc, char **argv,
		 struct words *words)
{
	bool may_run = strstr(command->arguments, "[-- ") != NULL;
	bool keeps_separator = may_run || strstr(command->arguments, " -- ");
	bool is_mixed = may_run || (keeps_separator ? has_separator(argc, argv)
						    : !strstr(command->arguments, "[--]"));
	int i = 1;

	words->count = 0;
	while (i < argc && strcmp(argv[i], "--") != 0) {
		if (argv[i][0] == '-' && argv[i][1])
			i += take(o, command, argc - i, argv + i);
		else if (is_mixed)
			words->items[words->count++] = argv[i++];
		else
			break;
	}
	if (i < argc && !strcmp(argv[i], "--") && !keeps_separator)
		i++;
	while (i < argc)
		words->items[words->count++] = argv[i++];
}

/* True if the options have the file's already: of a recorder, of a command that runs this one. */
static bool has_config(void)
{
	return getenv("STREAMCHECK_ENDED") || getenv("STREAMCHECK_COLLECT");
}

/* The options once more, after those of the file that they choose. */
static void add_config(struct sc_options *o, const struct sc_command *command, int argc,
		       char **argv, struct words *words)
{
	char path[PATH_MAX], message[512] = "";
	int is_there = sc_config_choose(o, path);
	bool is_named = *o->config;

	if (is_there < 0)
		sc_warn("%s is not read: another user may write it; --config=FILE reads it", path);
	if (is_there <= 0)
		return;
	if (strlen(path) >= sizeof(o->config))
		sc_die("%s: the name is too long", path);
	sc_options_init(o);
	if (sc_config_read(o, path, is_named, message, sizeof(message)))
		sc_die("%s", message);
	read_environment(o);
	scan(o, command, argc, argv, words);
	strcpy(o->config, path);
}

int sc_arguments_read(struct sc_options *o, const struct sc_command *command, int argc, char **argv)
{
	struct words words = {.items = sc_heap_xcalloc((size_t)argc + 1, sizeof(char *))};
	int first;

	sc_options_init(o);
	read_environment(o);
	scan(o, command, argc, argv, &words);
	if (o->help)
		exit(sc_command_print_help(command));
	if (!has_config())
		add_config(o, command, argc, argv, &words);
	if (strcmp(command->name, "run") != 0)
		*o->live_html = '\0'; /* of a file or the environment: a run's page is no other's */
	first = argc - words.count;
	memcpy(argv + first, words.items, (size_t)words.count * sizeof(char *));
	free(words.items);
	return first;
}

void sc_arguments_print_data(struct sc_options *o)
{
	if (o->format != SC_FORMAT_TEXT && !*o->output)
		strcpy(o->output, "-");
}
