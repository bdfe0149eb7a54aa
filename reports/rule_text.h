/* The pages of the rules: docs/rules/SC-nnn.md, carried inside the command. */
#pragma once

#include <stdint.h>

struct sc_rule_text {
	uint64_t rule;	  /* number; 0 after the last */
	const char *text; /* the whole file, terminated */
};

extern const struct sc_rule_text sc_rule_texts[];

/* The page of a rule, in Markdown; "" if there is no such rule. */
const char *sc_rule_page(uint64_t rule);
