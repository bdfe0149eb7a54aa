/* The second pass: what findings need of the trace once they are known.
 *
 * The first pass keeps no records. If there are findings the trace is read once more, for the
 * records that they refer to, the program's own ranges around these (NVTX), and what happened in
 * this run: when the device worked, what advice costs. These facts make or unmake no finding.
 */
#pragma once

#include "analyzer/declare/section.h"
#include "analyzer/finding/findings.h"
#include "analyzer/run/cost.h"
#include "analyzer/run/device_time.h"
#include "analyzer/run/stall.h"
#include "analyzer/symbol/callsite.h"
#include "base/arena.h"

/* All zero before the first record. */
struct sc_second_pass {
	struct sc_device_times times;
	struct sc_costs costs;
	struct sc_kinds costly; /* the kinds of calls whose costs are wanted */
	struct sc_stalls stalls;
	struct sc_sections sections;
	struct sc_arena arena;	   /* of the records */
	struct sc_u64_map records; /* struct sc_record * by sequence */
	struct sc_u64_map bare;	   /* the same, without what is attached: where the trace is gone */
	SC_VECTOR(uint64_t) wanted; /* sequences of these, in order when the pass begins */
	size_t reached;		    /* how many of them the pass has reached */
};

/* A copy of the record, with its attachments, which lives as long as the pass. */
struct sc_record sc_second_pass_copy(struct sc_second_pass *p, const struct sc_record *r);
/* Asks for what the line of an advice cost, before the pass. */
void sc_second_pass_want_cost(struct sc_second_pass *p, uint64_t site, const struct sc_finding *f,
			      const struct sc_op *op);
/* Reads the trace once more, if there are findings, and adds to them what happened in this run. Of
 * a trace that is not whole only the records that they refer to are looked for. */
void sc_second_pass_run(struct sc_second_pass *p, struct sc_reader *reader,
			struct sc_callsites *sites, struct sc_findings *findings);
/* Reads the records that a finding refers to at once, of a trace that is still read. */
void sc_second_pass_fetch(struct sc_second_pass *p, struct sc_reader *reader,
			  const struct sc_finding *f);
/* Keeps a record that is not in the trace any more. */
void sc_second_pass_add(struct sc_second_pass *p, const struct sc_record *r);
/* Keeps the op of a record of which the trace may not have more later. */
void sc_second_pass_keep_op(struct sc_second_pass *p, uint64_t sequence, const struct sc_op *op);
/* The record with this sequence number; NULL if no finding refers to it. */
const struct sc_record *sc_second_pass_record(const struct sc_second_pass *p, uint64_t sequence);
/* True if the record is known, since a finding refers to it; `data`: the pass. */
bool sc_second_pass_has(const void *data, uint64_t sequence);
void sc_second_pass_fini(struct sc_second_pass *p);
