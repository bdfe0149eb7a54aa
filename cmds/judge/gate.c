/* Gate: a ladder of levels, each failing what the one before fails and more; and single rules. */
#include "cmds/judge/gate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/finding/rule.h"
#include "cmds/judge/word_list.h"

static const struct {
	const char *word;
	bool any;		       /* fails something at all */
	unsigned severity;	       /* the least that fails */
	enum sc_confidence confidence; /* the least that fails */
} levels[] = {
	{"none", 0, SC_ERROR, SC_PROVEN},	  {"error", 1, SC_ERROR, SC_PROVEN},
	{"warning", 1, SC_WARNING, SC_PROVEN},	  {"likely", 1, SC_WARNING, SC_LIKELY},
	{"possible", 1, SC_WARNING, SC_POSSIBLE}, {"advice", 1, SC_ADVICE, SC_POSSIBLE},
};

#define LEVELS	(sizeof(levels) / sizeof(*levels))
#define ALLOWED "none, error, warning, likely, possible, advice, or a rule such as SC-101"

/* Number of a rule given as 101, SC-101, sc-101 or its slug; 0 if there is none. */
static unsigned find_rule(const char *word)
{
	const char *digits = strncasecmp(word, "SC-", 3) ? word : word + 3;
	unsigned count;
	const struct sc_rule_row *rows = sc_rule_table(&count);
	char *end;
	unsigned long number = strtoul(digits, &end, 10);

	for (unsigned i = 0; i < count; i++)
		if (!strcmp(rows[i].slug, word) ||
		    (end != digits && !*end && number == (unsigned long)rows[i].rule))
			return rows[i].rule;
	return 0;
}

static int take_word(struct sc_gate *g, const char *word, char *message, size_t bytes)
{
	unsigned rule;

	for (unsigned i = 0; i < LEVELS; i++)
		if (!strcmp(levels[i].word, word)) {
			if (i > g->level)
				g->level = i;
			return 0;
		}
	rule = find_rule(word);
	if (rule && g->rule_count < SC_GATE_RULES_MAX) {
		g->rules[g->rule_count++] = rule;
		return 0;
	}
	if (rule)
		snprintf(message, bytes, "fail-on: more than %d rules", SC_GATE_RULES_MAX);
	else
		snprintf(message, bytes, "fail-on: unknown level \"%s\"; use " ALLOWED, word);
	return -EINVAL;
}

int sc_gate_parse(struct sc_gate *g, const char *text, char *message, size_t bytes)
{
	const char *rest = text;
	unsigned words = 0;
	char word[64];
	int err = 0;

	*g = (struct sc_gate){0};
	for (; !err && sc_list_next(&rest, word, sizeof(word)); words++)
		err = take_word(g, word, message, bytes);
	if (words)
		return err;
	snprintf(message, bytes, "fail-on: no level in \"%s\"; use " ALLOWED, text);
	return -EINVAL;
}

static bool names_rule(const struct sc_gate *g, unsigned rule)
{
	for (unsigned i = 0; i < g->rule_count; i++)
		if (rule && g->rules[i] == rule)
			return 1;
	return 0;
}

bool sc_gate_fails(const struct sc_gate *g, const struct sc_finding *f)
{
	if (levels[g->level].any && f->severity >= levels[g->level].severity &&
	    f->confidence >= levels[g->level].confidence)
		return 1;
	if (names_rule(g, f->rule))
		return 1;
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (names_rule(g, f->causes[i]))
			return 1;
	return 0;
}
