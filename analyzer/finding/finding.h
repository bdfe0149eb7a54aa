/* A finding: one way in which the program trusts an order that CUDA does not give.
 *
 * Plain data without pointers: everything is an id or a sequence number of the trace, which turns
 * into words in the reports. Findings of one identity are merged (analyzer/finding/findings.h);
 * `count` says of how many pairs of operations. The two sides are in trace order.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "analyzer/finding/rule.h"
#include "analyzer/finding/verdict.h"
#include "trace/op.h"

enum sc_side_mode { SC_SIDE_READ, SC_SIDE_WRITE, SC_SIDE_FREE, SC_SIDE_CALL };

struct sc_side {
	uint64_t op;	  /* sequence number of the op; of a graph's node, that of the node */
	uint64_t launch;  /* of a node: the launch that ran it, +1; else 0 */
	uint64_t address; /* first byte in conflict, 0 if the rule is not about memory */
	uint64_t bytes;	  /* bytes in conflict from there on, as one span */
	uint8_t mode;	  /* enum sc_side_mode */
	uint8_t known;	  /* enum sc_known */
	uint8_t how;	  /* enum sc_how */
	uint8_t reason;	  /* enum sc_footprint_reason: why the bytes are not exact */
	uint32_t stream;  /* stream id, 0 = host */
	uint32_t thread;  /* calling thread */
};

/* Where the side happened in the trace: a node when it was launched. */
static inline uint64_t sc_side_position(const struct sc_side *s)
{
	return s->launch ? s->launch - 1 : s->op;
}

#define SC_FINDING_CAUSES 3
#define SC_FINDING_OPS	  12 /* that one refers to, at most */

struct sc_finding {
	uint16_t rule; /* base or stand-alone rule number */
	uint16_t causes[SC_FINDING_CAUSES];
	uint8_t severity;   /* enum sc_severity; may be below the rule's own */
	uint8_t confidence; /* enum sc_confidence */
	uint8_t doubt;	    /* enum sc_doubt */
	uint8_t sides;	    /* 1 or 2 sides are used */
	uint8_t reach;	    /* enum sc_reach */
	uint8_t fix;	    /* enum sc_fix */
	uint8_t fix_device;
	uint8_t timing; /* enum sc_timing: what happened in this run */
	uint32_t fix_stream;
	uint32_t suppression; /* number of the reason to hide the finding; 0: it is not hidden */
	uint32_t number;      /* from 1 in the order of reports, hidden findings counted */
	uint32_t leader;      /* number of the finding from whose missing order this one follows;
				 0: none is known, or it leads itself (model/cause.h) */
	uint32_t moment;      /* of its example, + 1, while the analysis runs; 0: none is kept */
	uint32_t remark;      /* of the settings, + 1; 0: it is not about other processes */
	bool is_awaited;      /* the first side may wait for the second, by a word in memory */
	uint8_t varies;	      /* bit i: side i was met in other streams or threads, too;
				 bit i + 2: in other streams */
	uint32_t paths;	      /* pairs of call paths that lead to it; 0 is 1 */
	uint64_t count;	      /* pairs of operations */
	uint64_t turned;      /* of these, with the second place first */
	struct sc_side side[2];
	uint64_t allocation;   /* op that began the memory, +1; 0 = none seen */
	uint64_t fault;	       /* op KERNEL_FAULT, +1; 0: it is about no such failure */
	uint64_t part;	       /* tells findings of one call site and rule apart; 0: nothing does */
	uint64_t reach_op;     /* +1 */
	uint64_t reach_record; /* +1 */
	uint64_t fix_after;    /* +1 */
	uint64_t fix_before;   /* +1 */
	uint64_t publisher;    /* +1; of a doubt that is words in memory: who may order the two; */
	uint64_t observer;     /* +1; 0: the host, or it is not known */
	uint64_t identity;     /* hash that survives addresses and reruns */
	uint64_t places;       /* the same, whether the program hides it or not */
	uint64_t begins;       /* the part of it that is about the first side */
	uint64_t timing_ns;    /* how long they overlapped, or how far apart they were */
	uint64_t blocked_ns;   /* what all calls of this line cost the host, if it is advice */
	uint64_t idle_ns;      /* and the device */
	uint64_t held_ns;      /* and the streams that it held up, all together */
	uint32_t stalls, stall_count; /* these streams: sc_analysis_stalls */
};

/* The sequence numbers of all ops that it refers to; returns how many. */
static inline unsigned sc_finding_ops(const struct sc_finding *f, uint64_t out[SC_FINDING_OPS])
{
	const uint64_t plus[] = {f->allocation, f->fault,      f->reach_op,  f->reach_record,
				 f->fix_after,	f->fix_before, f->publisher, f->observer};
	unsigned count = 0;

	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		out[count++] = f->side[i].op;
		if (f->side[i].launch)
			out[count++] = f->side[i].launch - 1;
	}
	for (unsigned i = 0; i < sizeof(plus) / sizeof(*plus); i++)
		if (plus[i])
			out[count++] = plus[i] - 1;
	return count;
}

/* True if the finding says that nothing orders its two sides. */
static inline bool sc_finding_lacks_order(const struct sc_finding *f)
{
	const struct sc_rule_row *rule = sc_rule_find(f->rule);

	return f->sides > 1 && rule && rule->kind == SC_RULE_BASE;
}

/* True if the two sides race and are calls of different threads: which of their lines meet is
 * decided by the schedule. */
static inline bool sc_finding_is_of_threads(const struct sc_finding *f)
{
	return sc_finding_lacks_order(f) && f->side[0].thread && f->side[1].thread &&
	       f->side[0].thread != f->side[1].thread;
}

static inline bool sc_finding_has_cause(const struct sc_finding *f, unsigned cause)
{
	for (unsigned i = 0; i < SC_FINDING_CAUSES; i++)
		if (f->causes[i] == cause)
			return 1;
	return 0;
}

/* True if it is only possible because a kernel without PTX is known by its parameters only: whether
 * the kernel uses the pointers that it was given, and for which bytes, is not known. */
static inline bool sc_finding_lacks_code(const struct sc_finding *f)
{
	if (f->confidence != SC_POSSIBLE || f->doubt != SC_DOUBT_FOOTPRINT)
		return 0;
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		if (f->side[i].known == SC_KNOWN_PARAMETER && SC_HOW_IS_PARAMETERS(f->side[i].how))
			return 1;
	return 0;
}

/* How far order reached, of such a finding: where nothing came near, by where the two sides are. */
static inline enum sc_reach sc_finding_order(const struct sc_finding *f)
{
	if (f->reach != SC_REACH_NONE && f->reach_op)
		return (enum sc_reach)f->reach;
	if (f->rule == SC_RULE_125)
		return SC_REACH_EARLY_LAUNCH;
	if (f->side[0].launch && f->side[0].launch == f->side[1].launch)
		return SC_REACH_NO_PATH;
	if (f->side[0].stream && f->side[1].stream && f->side[0].stream != f->side[1].stream)
		return SC_REACH_NO_EVENT;
	return SC_REACH_NONE;
}

/* The op that is shown for a side: its launch, or its node where one launch ran both sides. */
static inline uint64_t sc_finding_shown(const struct sc_finding *f, unsigned side)
{
	bool is_inside = f->sides > 1 && f->side[0].launch == f->side[1].launch;

	return is_inside ? f->side[side].op : sc_side_position(&f->side[side]);
}
