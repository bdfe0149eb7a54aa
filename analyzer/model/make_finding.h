/* Making findings: made from ops and uses, given an identity, and put with the others. */
#pragma once

#include "analyzer/model/model.h"

/* A finding about one op, or about two (`earlier` may be NULL); identity not yet set. */
struct sc_finding sc_finding_begin(unsigned rule, const struct sc_op *earlier,
				   uint64_t earlier_sequence, const struct sc_op *op,
				   uint64_t sequence);
/* A finding about what the step's op does to some bytes, as sure as these are known. */
struct sc_finding sc_finding_of_use(const struct sc_analysis *a, unsigned rule,
				    const struct sc_step *step, const struct sc_use *use);
/* Makes a finding `possible` if the bytes that it names are not exact (enum sc_known). */
void sc_finding_doubt_bytes(struct sc_finding *f, int known);
/* Puts an op of which only the position is known before the side of a one-sided finding. */
void sc_finding_add_earlier(struct sc_finding *f, uint64_t sequence, uint8_t mode);
/* Sets the identity and files it, unless advice is off and it is one,
 * or no operation of it is inside of a window. Returns what sc_findings_add
 * returns. */
struct sc_finding *sc_finding_file(struct sc_analysis *a, struct sc_finding *f,
				   const struct sc_op *earlier, const struct sc_op *op);
/* A proven finding that two operations are not ordered is likely at most where the answer of a
 * query orders them that nobody looked at (E-6). */
void sc_finding_doubt_luck(const struct sc_analysis *a, const struct sc_interval *x,
			   const struct sc_interval *y, struct sc_finding *f);
