/* Settings of an analysis: what its user may choose. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which of NVIDIA's contradicting texts count (docs/ordering.md 0.6). */
enum sc_profile { SC_STRICT, SC_REFERENCE, SC_PERMISSIVE };

/* A text that declares footprints (analyzer/declare/declaration.h). */
struct sc_footprints_text {
	const char *name;
	const char *text;
	size_t bytes;
	bool is_fallback; /* only for kernels without PTX */
};

/* What the comparison with other processes of the run found out about an op
 * (extensions/ranks/across). */
struct sc_remark {
	uint64_t sequence;
	uint16_t rule;
	uint16_t cause;	      /* a rule that led to it; 0: none */
	uint8_t doubt;	      /* enum sc_doubt; where there is none, it is proven */
	uint64_t memory;      /* + 1 of the op that began the memory that it is about; 0: none */
	uint64_t from, bytes; /* in that memory */
	char *text;
};

struct sc_analysis;
struct sc_order;
struct sc_record;
struct sc_step;

/* Who sees what each record did to the order, once all rules have seen it. */
struct sc_watch {
	void (*see)(void *data, struct sc_order *order, const struct sc_step *step);
	void *data; /* borrowed */
	/* Or NULL: instead, with the record and all that is known of the program; wants no_routine.
	 */
	void (*look)(void *data, struct sc_analysis *a, const struct sc_record *r,
		     const struct sc_step *step);
};

struct sc_analysis_settings {
	enum sc_profile profile;
	bool advice;	    /* also run rules SC-3nn */
	bool no_footprints; /* know kernels by their parameters only */
	bool no_routine;    /* ask all families of rules about each op, for comparing */
	bool is_live;	    /* the trace is still written: nothing is read ahead */
	bool gives_back;    /* with is_live: records may be gone later, what is needed is copied */
	bool keeps_sites;   /* of each stream remember what each of its lines did last, not only
			       what the last line did: all pairs of lines are found, in more time */
	bool strict_hosts;  /* threads are ordered only by what was seen (T-3) */
	bool is_unasked;    /* no query orders, as if nobody looked at its answer (E-6) */
	/* Once two threads race, read no further, of a trace that seems to have no more records
	 * than this: nobody wants the rest. 0: read all. */
	uint64_t stops_below;
	const struct sc_watch *watch; /* borrowed for the run, or NULL */
	/* An earlier analysis of the same trace, whose reading of device code this one shares:
	 * borrowed until sc_analysis_free, or NULL. */
	const struct sc_analysis *same;
	size_t remembered; /* things of each kind that are over and still known; 0: the usual number
			    */
	unsigned footprint_count;
	const struct sc_footprints_text *footprints; /* borrowed for the run */
	size_t remark_count;
	const struct sc_remark *remarks; /* in the order of ops; borrowed until sc_analysis_free */
};

#define SC_REMEMBERED 65536

/* How many things of a kind that are over, as freed memory, an analysis knows: the last ones. Some
 * kinds are larger than others; of such it knows this number divided by `size`. */
static inline size_t sc_settings_remembered(const struct sc_analysis_settings *s, size_t size)
{
	size_t most = (s->remembered ? s->remembered : SC_REMEMBERED) / size;

	return most ? most : 1;
}
