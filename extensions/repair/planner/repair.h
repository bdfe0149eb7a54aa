/* Repair: from all findings of a trace a small set of edits that ends them.
 *
 * Nothing is guessed: a set of edits is applied to the trace (applied.h), the changed trace is
 * analyzed, and what is still found decides. A plan brings no finding that was not there before:
 * not even one that others hid. At the end each edit is left out once; one whose
 * absence brings no finding back is dropped. How much is read in all is bounded; what was not tried
 * for that reason is counted.
 */
#pragma once

#include "analyzer/analysis.h"
#include "extensions/repair/planner/edit.h"
#include "extensions/repair/planner/settings.h"

struct sc_repair {
	SC_VECTOR(struct sc_edit) edits;  /* owned: of the plan, cheapest first */
	SC_VECTOR(struct sc_edit) others; /* owned: what would do as well as one edit */
	SC_VECTOR(uint8_t) unmended;	  /* enum sc_unmended of each finding, by number from 0 */
	SC_VECTOR(uint8_t) flaws; /* enum sc_edit_flaw of the last edit that was tried for it */
	size_t mended;		  /* findings that the edits end */
	size_t analyses;
	size_t untried; /* edits that were not left out once, for lack of time */
};

/* Makes a plan for the findings of an analysis of the same trace; advice is left out. The reader
 * stands at the end of the trace afterwards. */
void sc_repair_find(struct sc_repair *out, struct sc_reader *r, const struct sc_analysis *found,
		    const struct sc_repair_settings *settings);
void sc_repair_fini(struct sc_repair *p);
