/* Gate: which findings make a run fail (option fail-on). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "analyzer/finding/finding.h"

#define SC_GATE_RULES_MAX 32

struct sc_gate {
	unsigned level; /* row of the words that option fail-on knows */
	unsigned rules[SC_GATE_RULES_MAX];
	unsigned rule_count;
};

/* Reads "warning" or "error,SC-301,…". Returns 0 or -EINVAL with a one-sentence message. */
int sc_gate_parse(struct sc_gate *g, const char *text, char *message, size_t bytes);
/* True if the finding makes the run fail. */
bool sc_gate_fails(const struct sc_gate *g, const struct sc_finding *f);
