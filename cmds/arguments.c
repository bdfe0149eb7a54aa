/* Arguments: the command line read by the option table. */
#include "cmds/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *words; /* of a choice, else "" */
} options[] = {
#define SC_OPTION_TEXT(member, name, value, shown, help)      {name, ""},
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

/* How many letters must change to make one word of the other (Levenshtein). */
static size_t distance(const char *a, size_t a_bytes, const char *b)
{
	size_t row[NAME_MAX_BYTES + 1], b_bytes = strlen(b);

	if (a_bytes > NAME_MAX_BYTES || b_bytes > NAME_MAX_BYTES)
		return NAME_MAX_BYTES;
	for (size_t j = 0; j <= b_bytes; j++)
		row[j] = j;
	for (size_t i = 0; i < a_bytes; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < b_bytes; j++) {
			size_t change = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			if (row[j + 1] > row[j])
				row[j + 1] = row[j];
			row[j + 1]++;
			if (row[j + 1] > change)
				row[j + 1] = change;
		}
	}
	return row[b_bytes];
}

static const char *nearest(const char *name, size_t bytes)
{
	size_t best = bytes / 3 + 1;
	const char *found = NULL;

	for (size_t i = 0; i < OPTION_COUNT; i++) {
		size_t far = distance(name, bytes, options[i].name);

		if (far <= best) {
			best = far - !!far;
			found = options[i].name;
		}
	}
	return found;
}

static size_t find_option(const char *name, size_t bytes)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strlen(options[i].name) == bytes && !memcmp(options[i].name, name, bytes))
			return i;
	return OPTION_COUNT;
}

static _Noreturn void die_unknown(const struct sc_command *command, const char *argument,
				  size_t bytes)
{
	const char *other = nearest(argument + 2, bytes);

	if (other)
		sc_die("%s: unknown option \"%s\", did you mean --%s? See streamcheck help %s",
		       command->name, argument, other, command->name);
	sc_die("%s: unknown option \"%s\"; see streamcheck help %s", command->name, argument,
	       command->name);
}

static void set(struct sc_options *o, const struct sc_command *command, const char *name,
		const char *value)
{
	char assignment[SC_OPTION_TEXT_BYTES + NAME_MAX_BYTES + 2];
	char message[512] = "";

	if (snprintf(assignment, sizeof(assignment), "%s=%s", name, value) >=
	    (int)sizeof(assignment))
		sc_die("%s: the value of --%s is longer than %d characters", command->name, name,
		       SC_OPTION_TEXT_BYTES - 1);
	if (sc_options_set(o, assignment, message, sizeof(message)))
		sc_die("%s: %s", command->name, message);
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
		die_unknown(command, argv[0], argv[0][1] == '-' ? bytes : strlen(argv[0]) - 2);
	if (name[bytes] == '=') {
		set(o, command, options[i].name, name + bytes + 1);
		return 1;
	}
	if (!strcmp(options[i].words, "no|yes")) {
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

int sc_arguments_read(struct sc_options *o, const struct sc_command *command, int argc, char **argv)
{
	int i = 1;

	sc_options_init(o);
	read_environment(o);
	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		if (!strcmp(argv[i], "--"))
			return i + 1;
		i += take(o, command, argc - i, argv + i);
	}
	return i;
}
