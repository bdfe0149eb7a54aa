/* The rule table: rows and look-up. */
#include "analyzer/finding/rule.h"

#include <stddef.h>

static const struct sc_rule_row rows[] = {
#define SC_RULE(number, slug, severity, kind, summary, why, fix) \
	{SC_RULE_##number, slug, SC_##severity, SC_RULE_##kind, summary, why, fix},
#include "analyzer/finding/rule.def"
#undef SC_RULE
};

#define ROWS (sizeof(rows) / sizeof(*rows))

const struct sc_rule_row *sc_rule_find(unsigned number)
{
	for (size_t i = 0; i < ROWS; i++)
		if ((unsigned)rows[i].rule == number)
			return &rows[i];
	return NULL;
}

const struct sc_rule_row *sc_rule_table(unsigned *count)
{
	*count = ROWS;
	return rows;
}

const char *sc_severity_text(enum sc_severity severity)
{
	switch (severity) {
	case SC_ADVICE: return "advice";
	case SC_WARNING: return "warning";
	case SC_ERROR: return "error";
	}
	return "?";
}
