/* Option line: the help's own lines taken apart, so that there is no second list of options. */
#include "cmds/option_line.h"

#include <stdio.h>
#include <string.h>
#include "base/option.h"

struct taker {
	void (*take)(void *context, const struct sc_option_line *line);
	void *context;
};

/* Values of a choice are lower-case words; what stands for something else is upper-case. */
static void set_words(struct sc_option_line *line)
{
	line->words[0] = '\0';
	if (strspn(line->value, "abcdefghijklmnopqrstuvwxyz0123456789-|") != strlen(line->value))
		return;
	memcpy(line->words, line->value, sizeof(line->words));
	for (char *c = line->words; *c; c++)
		if (*c == '|')
			*c = ' ';
}

/* "  --name=VALUE   help". */
static void split(void *context, const char *text)
{
	const struct taker *t = context;
	const char *name = text + strspn(text, " -"), *value = strchr(name, '=') + 1;
	struct sc_option_line line;

	snprintf(line.name, sizeof(line.name), "%.*s", (int)(value - 1 - name), name);
	snprintf(line.value, sizeof(line.value), "%.*s", (int)strcspn(value, " "), value);
	set_words(&line);
	line.help = value + strcspn(value, " ");
	line.help += strspn(line.help, " ");
	t->take(t->context, &line);
}

void sc_option_lines(void (*take)(void *context, const struct sc_option_line *line), void *context)
{
	struct taker t = {take, context};

	sc_options_help(split, &t);
}
