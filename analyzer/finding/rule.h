/* The rule table: what each SC-nnn means, for analysis, reports and `streamcheck rules`. */
#pragma once

enum sc_rule {
#define SC_RULE(number, slug, severity, kind, summary, why, fix) SC_RULE_##number = number,
#include "analyzer/finding/rule.def"
#undef SC_RULE
};

enum sc_severity { SC_ADVICE, SC_WARNING, SC_ERROR };
enum sc_rule_kind { SC_RULE_BASE, SC_RULE_CAUSE, SC_RULE_ALONE };

struct sc_rule_row {
	enum sc_rule rule;
	const char *slug;
	enum sc_severity severity;
	enum sc_rule_kind kind;
	const char *summary; /* one clause, lower case */
	const char *why;
	const char *fix;
};

/* Row of a rule number, or NULL if there is no such rule. */
const struct sc_rule_row *sc_rule_find(unsigned number);
/* All rows in table order; *count gets their number. */
const struct sc_rule_row *sc_rule_table(unsigned *count);
const char *sc_severity_text(enum sc_severity severity);
