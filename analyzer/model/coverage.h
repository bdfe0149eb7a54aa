/* Coverage: what a trace showed of its program, and what is missing from it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "trace/gap.h"
#include "trace/reader.h"

/* The part of the run before `to_ns` was judged by a process that ended early, and is not in the
 * trace any more (option live-disk). */
struct sc_judged_part {
	uint64_t to_ns;	   /* since its beginning; 0: there is no such part */
	uint64_t findings; /* of that process that were kept */
};

/* What was not seen (trace/gap.def) and what was (analyzer/model/coverage.def). */
struct sc_coverage {
	union { /* by name or number */
		struct {
#define SC_GAP(id, weight, place, noun, what, why) uint64_t id;
#include "trace/gap.def"
#undef SC_GAP
		};
		uint64_t gaps[SC_GAPS];
	};
	uint32_t view_kernels[2]; /* of the first pair that `uncompared_views` counts */
	uint64_t unsaid_graphs;	  /* launches whose kernels' bytes the trace had no room for */
	uint64_t recorded;	  /* launches whose bytes were recorded on the GPU */
	uint64_t unrecorded;	  /* launches for which that was wanted, but not all was had */
	bool has_recorder;	  /* that was wanted, and the GPU could be asked */
	uint64_t work;	     /* copies, fills, launches of kernels and graphs that were accepted */
	uint64_t signal;     /* that ended the process, or 0 */
	uint64_t windows;    /* parts of the run that were recorded in full */
	uint64_t window_ops; /* operations there */
	uint64_t window_ns;  /* how long they took, of `run_ns` */
	uint64_t run_ns;     /* 0 unless it has windows */
	struct sc_judged_part cut;
	bool has_windows;     /* the rest was recorded for its order only */
	bool running;	      /* the process goes on: this is what it did so far */
	bool ended_by_parent; /* its own parent sent the signal that ended it */
	bool ended_at_work;   /* then it was inside of a call, or the device at work for it */
	bool hosts_watched;   /* host synchronization was recorded from the first call on */
#define SC_SEEN(id, place, one, many, about) uint64_t id;
#define SC_LAUNCHES(id, how, known, about)   uint64_t id;
#define SC_STATE(id, otherwise, about)	     bool id;
#include "analyzer/model/coverage.def"
};

/* True if the op is one that a program needs a device for, and was not refused. */
static inline bool sc_coverage_is_work(const struct sc_op *op)
{
	return (op->kind == SC_OP_COPY || op->kind == SC_OP_SET || op->kind == SC_OP_KERNEL ||
		op->kind == SC_OP_GRAPH_LAUNCH) &&
	       (!op->result || op->result == SC_RESULT_PENDING);
}

/* True if the program used the device in a part of the run that was recorded in full. */
static inline bool sc_coverage_has_work(const struct sc_coverage *c)
{
	return c->work && (c->windows || !c->has_windows);
}

/* Counts a record. */
void sc_coverage_count(struct sc_coverage *c, const struct sc_record *r);
/* The same for a routine op: work that was enqueued at once. */
static inline void sc_coverage_count_routine(struct sc_coverage *c, const struct sc_op *op)
{
	c->ops++;
	c->copies += op->kind == SC_OP_COPY;
	c->kernels += op->kind == SC_OP_KERNEL;
	c->work += sc_coverage_is_work(op);
}
/* Adds what the reader lost; after the last record. */
void sc_coverage_add_losses(struct sc_coverage *c, const struct sc_reader_stats *s);

/* True if an op may be missing between the record and the one before it. */
static inline bool sc_coverage_shows_gap(const struct sc_op *op, const struct sc_reader_stats *s)
{
	return s->damaged || s->uncommitted || s->gaps[SC_GAP_given_back] ||
	       (op->kind == SC_OP_LOST && (op->value || op->object));
}
