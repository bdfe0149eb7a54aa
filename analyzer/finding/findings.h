/* Findings: collected, merged by identity, sorted once.
 *
 * Identity: rule, causes and both call sites (never an address). The first of equals stays, unless
 * a later one is surer; the count grows.
 */
#ifndef SC_ANALYZER_FINDING_FINDINGS_H
#define SC_ANALYZER_FINDING_FINDINGS_H

#include "analyzer/finding/finding.h"
#include "base/vector.h"

/* More different findings than a person reads: further ones are merged by rule and causes. */
#define SC_FINDINGS_MAX 20000

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
void sc_findings_fini(struct sc_findings *all);

#endif
