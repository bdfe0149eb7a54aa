/* The model: what one analysis knows of the program after the records that it has read.
 *
 * The main loop (analysis.c) brings it forward record by record; the rules read it. Rules change of
 * it only what their op changes in the program: memory that begins or ends, waits that a call
 * implies, counters of the coverage. What one family of rules alone remembers is not here
 * (rules/family.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/model/coverage.h"
#include "analyzer/declare/declared_suppression.h"
#include "analyzer/finding/findings.h"
#include "analyzer/access/access.h"
#include "analyzer/finding/settings.h"
#include "analyzer/model/cause.h"
#include "analyzer/model/failed_call.h"
#include "analyzer/model/inside.h"
#include "analyzer/model/pending.h"
#include "analyzer/symbol/callsite.h"

struct sc_advice_tally;
struct sc_families;
struct sc_second_pass;

/* What the machine, and its settings, change about accesses. */
struct sc_machine {
	bool has_others;     /* contexts or pools of other devices than device 0 */
	bool is_exclusive;   /* a device and the host cannot use managed memory at once (M-7) */
	bool reads_pageable; /* kernels may use any host memory (M-9) */
	bool has_exchanged; /* frameworks take memory from cudaMallocAsync (--allocators=visible) */
	bool is_serialized; /* a setting keeps the device from overlapping work (SC-220) */
};

struct sc_analysis {
	struct sc_analysis_settings settings;
	struct sc_reader *reader;	     /* borrowed */
	const struct sc_reader_stats *stats; /* borrowed from it */

	/* The program so far. */
	struct sc_order order;
	struct sc_memory_map memory;
	struct sc_kernels kernels;
	struct sc_machine machine;
	struct sc_coverage coverage;
	struct sc_inside inside;
	struct sc_pending pending; /* of a trace that is given back */
	struct sc_failed_calls failed_calls;
	bool has_ended;	 /* the program left: what follows tidies up */
	bool is_stopped; /* nobody wants the rest (settings.stops_below) */
	bool is_clean;	 /* all records were read, and there was nothing to report */
	uint64_t gap;	 /* position of the first sign that ops are missing, or 0 */

	/* The current op. */
	sc_uses uses;		 /* of the op */
	sc_conflicts conflicts;	 /* of the current use */
	struct sc_u64_map pairs; /* of operations, that were counted at position `pairs_at` */
	uint64_t pairs_at;

	/* What was found. */
	struct sc_families *families;	 /* owned: the rules, with what each remembers */
	struct sc_advice_tally *tallies; /* owned: lines that advice may name */
	struct sc_u64_map tally_of;	 /* borrowed: those of stacks that were seen with a rule */
	struct sc_findings findings;
	SC_VECTOR(struct sc_finding)
	members;		   /* before they were merged; empty: they are the same */
	struct sc_moments moments; /* of findings about order, while the trace is read */
	struct sc_declared_suppressions suppressions;
	struct sc_callsites callsites;
	struct sc_second_pass *second_pass; /* owned: what findings need of the trace besides */
	struct sc_code_images
		*images; /* owned: what later analyses of the trace may share, or NULL */
	struct sc_kernel_tallies kernel_tallies; /* the kernels', when these are freed */
	struct sc_u64_map functions;		 /* executed launches', the same */
	SC_VECTOR(struct sc_record) notes;	 /* SOURCE and LOST ops, with their attachments */
};
