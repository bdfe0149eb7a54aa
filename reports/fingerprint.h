/* Fingerprint: which finding this is, for baselines, suppressions and services that track findings.
 *
 * A finding's `identity` is made of offsets in files: sharp, but gone with the next build, and
 * other for each way that leads to a line. A finding of a report is a pair of lines
 * (sc_fingerprint_lines): of each side the innermost line of the user's, whichever thread, stream
 * or caller brought the program there, whichever side came first, and, of two operations that
 * nothing orders, whatever the rule and the causes are: a schedule decides those.
 * A fingerprint is made of what stays of that when lines move and the program is built anew: of
 * each side the innermost function of the user's, without arguments (of templates too) and without
 * what a compiler adds to clones; where the line itself calls CUDA, what was done, by which call,
 * with which kernel. The rule, if the finding is about something else than order.
 * Findings that are equal in all of this are distinguished by their ordinal in the report, so that
 * a second one of the same kind in the same function is new, and the first stays known. No address,
 * offset, line, path, stream id, count or confidence goes in. A program of several processes gives
 * the same fingerprint for the same finding in each of them.
 *
 * The recipe has a version; a change of the recipe is a new version, so that files kept by users
 * can say which one they hold. Costs the naming of all stacks of findings (see sc_symbols_want).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "reports/report.h"

#define SC_FINGERPRINT_VERSION 3
#define SC_FINGERPRINT_SIZE    (16 + 1) /* of the text, with its terminator */

/* The fingerprints of a report's findings, in the order of sc_analysis_findings; the same whether
 * other findings are hidden or not. */
struct sc_fingerprints {
	uint64_t *items; /* owned */
	size_t count;
};

void sc_fingerprints_init(struct sc_fingerprints *all, const struct sc_report *r);
/* The fingerprint of a finding that is told alone. `ordinals`: of those told before, by text; empty
 * before the first. Of equal findings the one told first has the first. */
uint64_t sc_fingerprint_next(struct sc_u64_map *ordinals, const struct sc_report *r,
			     const struct sc_finding *f);
void sc_fingerprints_fini(struct sc_fingerprints *all);
/* The hash of a text, as fingerprints are made of it. */
uint64_t sc_fingerprint_hash(const char *text, size_t bytes);
/* The key of the pair of lines; none of advice, and of what the program itself hides. */
struct sc_finding_key sc_fingerprint_lines(const struct sc_report *r, const struct sc_finding *f);
/* Sixteen hexadecimal digits. */
void sc_fingerprint_text(char out[SC_FINGERPRINT_SIZE], uint64_t fingerprint);
/* Appends the text that is hashed, without the ordinal: one fact a line, bytes as in the trace. */
void sc_fingerprint_describe(struct sc_buf *out, const struct sc_report *r,
			     const struct sc_finding *f);
