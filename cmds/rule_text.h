/* The long explanations of the rules: docs/rules/SC-nnn.md, carried inside the command. */
#ifndef SC_CMDS_RULE_TEXT_H
#define SC_CMDS_RULE_TEXT_H

#include <stdint.h>

struct sc_rule_text {
	uint64_t rule;	  /* number; 0 after the last */
	const char *text; /* the whole file, terminated */
};

extern const struct sc_rule_text sc_rule_texts[];

#endif
