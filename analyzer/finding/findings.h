/* Findings: collected, merged by identity, sorted once.
 *
 * Identity: both call sites, whichever came first, never an address. Of a finding that says that
 * nothing orders two operations, neither its rule nor its causes belong to the identity: a schedule
 * decides whether a thread's read or its write meets another's, and which wait is near. Of any
 * other finding the rule does. Of equals the surest is the example; of these the more severe, then
 * that of the lower rule, then the first.
 */
#pragma once

#include "analyzer/finding/finding.h"
#include "base/vector.h"

/* More different findings than a person reads: further ones are merged by rule. */
#define SC_FINDINGS_MAX 20000

struct sc_finding_key {
	uint64_t key;
	uint64_t begins; /* the part of it that is about the first side */
};

struct sc_findings {
	SC_VECTOR(struct sc_finding) list;   /* in order of appearance until sorted */
	struct sc_kept_finding *by_identity; /* owned */
};

/* Adds a finding whose identity is set and whose count says how often it happened. Returns it in
 * the list, valid until the next is added; NULL if it adds to the count of another only. */
struct sc_finding *sc_findings_add(struct sc_findings *all, const struct sc_finding *f);
/* How often the finding of this identity happened; 0: there is none. Until they are sorted. */
uint64_t sc_findings_count(const struct sc_findings *all, uint64_t identity);
/* Proven, likely, possible, what lacks a kernel's code, advice; severity, time lost (advice only),
 * position. After this nothing is added. */
void sc_findings_sort(struct sc_findings *all);
/* Makes one finding of those that have the same key, once they are sorted; 0 is nobody's key.
 * `numbers` gets the new number of each former one. */
void sc_findings_merge(struct sc_findings *all, const struct sc_finding_key *keys,
		       uint32_t *numbers);
void sc_findings_fini(struct sc_findings *all);
