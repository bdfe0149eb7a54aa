/* Needs: the orders whose absence the findings are about. */
#pragma once

#include "extensions/repair/planner/facts.h"
#include "extensions/repair/planner/settings.h"

struct sc_need_end {
	struct sc_op op; /* the call that an edit goes beside */
	uint64_t place;
	uint32_t execution; /* of the host function that this is the call for, or 0 */
};

#define SC_LATE_PLACES 5

/* A line after which a call that ends something may go. */
struct sc_late_place {
	struct sc_edit_place at;
	bool waits; /* the host has to wait there first */
};

struct sc_need {
	struct sc_need_end first, second;
	struct sc_edit_place at[2];
	uint64_t key;	  /* of the finding: sc_finding.places */
	uint32_t waiting; /* stream of the second; 0: the host */
	uint32_t number;  /* of the finding */
	bool is_edge;	  /* both are nodes of one graph */
	bool is_early; /* the second is a kernel that begins before the first is complete (L-2) */
	bool is_moved; /* a record of an event stands before the first and should be after it */
	struct sc_edit_place record;
	uint32_t event; /* that was waited for in vain, because it was never recorded; or 0 */
	struct sc_edit_place wait; /* that */
	/* Of a use after an end, which `second` made: lines after the last use, the best first. */
	struct sc_late_place late[SC_LATE_PLACES];
	unsigned late_count;
};

/* What a need is read with. */
struct sc_need_source {
	struct sc_reader *reader; /* without a splice */
	const struct sc_analysis *found;
	const struct sc_trace_facts *facts;
	const struct sc_repair_settings *settings;
	uint32_t room; /* of the trace that was analyzed */
};

/* The need of a finding; else why it has none. */
enum sc_unmended sc_need_of(struct sc_need *out, const struct sc_need_source *s,
			    const struct sc_finding *f);

struct sc_needs {
	SC_VECTOR(struct sc_need) list;
};

/* Puts needs that one wait can meet beside each other: of the same two streams, each first before
 * any second. `ends` gets the end of each group in the list. */
struct sc_need_groups {
	SC_VECTOR(size_t) ends;
};
void sc_needs_group(struct sc_needs *n, struct sc_need_groups *groups);
