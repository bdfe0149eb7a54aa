/* The state of one analysis, shared by the main loop and the rules. */
#ifndef SC_ANALYZER_STATE_H
#define SC_ANALYZER_STATE_H

#include <stdbool.h>
#include "analyzer/access/access.h"
#include "analyzer/analysis.h"
#include "analyzer/symbol/callsite.h"
#include "analyzer/run/cost.h"
#include "analyzer/run/device_time.h"
#include "analyzer/findings.h"
#include "analyzer/run/hold.h"
#include "analyzer/declare/section.h"
#include "analyzer/declare/quiet.h"
#include "base/arena.h"

struct sc_advice_tally;
struct sc_never;
struct sc_gone;
struct sc_habits;
struct sc_barrier;
struct sc_habit;
struct sc_place_rules;
struct sc_leftover;
struct sc_callback_rules;
struct sc_discards;
struct sc_attachments;
struct sc_rights;
struct sc_graphics;
struct sc_library_rules;

struct sc_analysis {
	struct sc_analysis_settings settings;
	struct sc_reader *reader;	     /* borrowed */
	const struct sc_reader_stats *stats; /* borrowed from it */
	struct sc_coverage coverage;
	struct sc_order order;
	struct sc_memory_map memory;
	struct sc_kernels kernels;
	struct sc_kernel_tallies kernel_tallies; /* the kernels', when these are gone */
	struct sc_findings findings;
	struct sc_quiet quiet;
	struct sc_callsites callsites;
	bool has_guests;	 /* some family wants to see routine ops (rules/family.def) */
	bool is_exclusive;	 /* a device and the host cannot use managed memory at once (M-7) */
	bool has_left;		 /* rules/exit.c: the program ended, the rest tidies up */
	bool has_devices;	 /* contexts or pools of others than device 0 */
	bool is_watched;	 /* host synchronization was recorded from the start */
	bool reads_pageable;	 /* kernels may use any host memory (M-9) */
	bool has_graph_memory;	 /* rules/graph.c: some memory began in a node */
	uint64_t rights_changes; /* rules/rights.c: how often a right was given or taken */
	uint64_t gap;		 /* position of the first sign that ops are missing, or 0 */

	sc_uses uses;		/* of the current op */
	sc_conflicts conflicts; /* of the current use */

	struct sc_advice_tally *tallies;	  /* rules/tally.c */
	struct sc_barrier *barrier;		  /* rules/barrier.c */
	struct sc_habit *habit;			  /* rules/habit.c */
	struct sc_place_rules *place;		  /* rules/place.c */
	struct sc_leftover *leftover;		  /* rules/leftover.c */
	struct sc_habits *habits;		  /* rules/advice.c */
	struct sc_never *nevers;		  /* rules/event.c: waited for, not yet recorded */
	struct sc_gone *gone;			  /* rules/misuse.c: destroyed handles */
	struct sc_callback_rules *callback_rules; /* rules/callback.c */
	struct sc_discards *discards;		  /* rules/discard.c */
	struct sc_attachments *attach;		  /* rules/attach.c */
	struct sc_rights *rights;		  /* rules/rights.c */
	struct sc_graphics *graphics;		  /* rules/graphics.c: resources by their ids */
	struct sc_library_rules *libraries;	  /* rules/library.c: their handles */
	struct sc_u64_map thread_objects;	  /* rules/thread.c */
	bool is_serialized;	/* rules/place.c: a setting keeps the device from overlapping */
	bool capture_is_broken; /* rules/capture.c: reported since the last capture began */
	uint32_t relaxed;	/* rules/capture.c: thread that captures in relaxed mode, or 0 */

	struct sc_device_times times;
	struct sc_costs costs;
	struct sc_holds holds;
	struct sc_sections sections;
	struct sc_arena arena;	    /* of what follows */
	struct sc_u64_map kept;	    /* struct sc_record * by sequence */
	SC_VECTOR(uint64_t) wanted; /* sequences of these, in order when the second walk begins */
	size_t met;		    /* how many of them it has passed */
	SC_VECTOR(struct sc_record) notes;
};

/* A copy or fill with an operand that the driver knows nothing of. */
static inline bool sc_op_is_pageable(const struct sc_op *op)
{
	return op->src_mem == SC_MEM_PAGEABLE || op->dst_mem == SC_MEM_PAGEABLE;
}

/* A finding about one op, or about two (`earlier` may be NULL); identity not yet set. */
struct sc_finding sc_finding_begin(unsigned rule, const struct sc_op *earlier,
				   uint64_t earlier_sequence, const struct sc_op *op,
				   uint64_t sequence);
/* A finding about what the step's op does to some bytes, as sure as these are known. */
struct sc_finding sc_finding_of_use(const struct sc_analysis *a, unsigned rule,
				    const struct sc_step *step, const struct sc_use *use);
/* Puts an op of which only the position is known before the side of a one-sided finding. */
void sc_finding_add_earlier(struct sc_finding *f, uint64_t sequence, uint8_t mode);
/* Sets the identity and files it, unless advice is off and it is one. */
void sc_finding_file(struct sc_analysis *a, struct sc_finding *f, const struct sc_op *earlier,
		     const struct sc_op *op);

/* Families of rules: step sees every record after the order; finish runs once at the end. */
#define SC_ODD(name)		  SC_FAMILY(name, 0, 0)
#define SC_USUAL(name, condition) SC_FAMILY(name, 0, 0)
#define SC_FAMILY(name, state, unusual)                                               \
	void sc_rules_##name##_step(struct sc_analysis *a, const struct sc_record *r, \
				    const struct sc_step *step);                      \
	void sc_rules_##name##_finish(struct sc_analysis *a);
#include "analyzer/rules/family.def"
#undef SC_FAMILY
#undef SC_USUAL
#undef SC_ODD

#endif
