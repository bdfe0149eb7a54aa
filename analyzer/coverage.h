/* Coverage: what a trace showed of its program, and what is missing from it. */
#ifndef SC_ANALYZER_COVERAGE_H
#define SC_ANALYZER_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>
#include "trace/gap.h"
#include "trace/reader.h"

/* What was seen and what was not: the first line of every report. */
struct sc_coverage {
	uint64_t ops; /* ops that say something about ordering or memory */
	uint64_t contexts;
	uint64_t streams;
	uint64_t copies;
	uint64_t kernels;
	uint64_t host_accesses;
	uint64_t waits;
	uint64_t exact_launches;   /* kernels of which every byte is known, with those in graphs */
	uint64_t bounded_launches; /* kernels with an upper bound */
	uint64_t parameter_launches; /* kernels known by their parameters only */
	uint64_t open_launches;	     /* kernels that touch memory through an unknown address */
	uint64_t uncompared_views;   /* pairs of launches, given different pointers into one
					allocation */
	uint32_t view_kernels[2];    /* of the first such pair */
	uint64_t leftover_structs; /* passed to kernels with left-over bytes that look like pointers
				    */
	uint64_t signal;	   /* that ended the process, or 0 */
	union {			   /* what may be missing (trace/gap.def), by name or number */
		struct {
#define SC_GAP(id, weight, noun, what, why) uint64_t id;
#include "trace/gap.def"
#undef SC_GAP
		};
		uint64_t gaps[SC_GAPS];
	};
	bool driver_seen;   /* a CUDA driver was found at all */
	bool hosts_watched; /* host synchronization was recorded from the first call on */
	bool closed;	    /* the process ended in an orderly way */
};

/* Counts a record. */
void sc_coverage_count(struct sc_coverage *c, const struct sc_record *r);
/* The same for a routine op: work that was enqueued at once. */
static inline void sc_coverage_count_routine(struct sc_coverage *c, const struct sc_op *op)
{
	c->ops++;
	c->copies += op->kind == SC_OP_COPY;
	c->kernels += op->kind == SC_OP_KERNEL;
}
/* Adds what the reader lost; after the last record. */
void sc_coverage_add_losses(struct sc_coverage *c, const struct sc_reader_stats *s);

/* True if an op may be missing between the record and the one before it. */
static inline bool sc_coverage_shows_gap(const struct sc_op *op, const struct sc_reader_stats *s)
{
	return s->damaged || s->uncommitted || (op->kind == SC_OP_LOST && op->value);
}

#endif
