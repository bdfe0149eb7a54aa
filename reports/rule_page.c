/* The page of a rule, found by its number. */
#include "reports/rule_text.h"

const char *sc_rule_page(uint64_t rule)
{
	for (const struct sc_rule_text *t = sc_rule_texts; t->rule; t++)
		if (t->rule == rule)
			return t->text;
	return "";
}
