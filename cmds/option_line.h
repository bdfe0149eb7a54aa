/* Option line: what the help says about one option, in parts, for manual page and completions. */
#pragma once

#include <stddef.h>

struct sc_option_line {
	char name[32];	  /* without the dashes */
	char value[128];  /* "FILE", "no|yes" */
	char words[128];  /* the words of a choice, separated by spaces; "" if it is none */
	const char *help; /* with the default */
};

/* Calls back with every row of base/option.def, in its order. */
void sc_option_lines(void (*take)(void *context, const struct sc_option_line *line), void *context);
