/* Mend: where the planned edit of a finding goes in its reproducer. */
#pragma once

#include "extensions/repair/planner/edit.h"
#include "extensions/repair/reproducer/slice.h"

enum sc_mend {
	SC_MEND_NONE,	     /* no edit ends the finding */
	SC_MEND_EVENT,	     /* an event after the first, for which the second's stream waits */
	SC_MEND_SYNC,	     /* the host waits for the first's stream before the second */
	SC_MEND_AFTER,	     /* the same, right after the first, in its thread */
	SC_MEND_MOVE,	     /* the record moves after the first */
	SC_MEND_EDGE,	     /* the second node depends on the first */
	SC_MEND_FREE_STREAM, /* the second frees in the first's stream */
	SC_MEND_LATER,	     /* the first, which ends an object, comes after the second */
	SC_MEND_ONCE,	     /* the first, which ends an object that the second ends again, goes */
	SC_MEND_ORDINARY,    /* the second does not start early */
	SC_MEND_FRAME	     /* the host waits before the function returns */
};

/* What the reproducer does with -DFIXED; the planned edit, which may be NULL, decides where several
 * would do. */
enum sc_mend sc_mend_of(const struct sc_slice *s, const struct sc_finding *f,
			const struct sc_edit *edit);
/* The record of an event that moves, or NULL. */
const struct sc_slice_step *sc_mend_record(const struct sc_slice *s);
/* True of a wait for an event without a record: only the program that is wrong has it. */
bool sc_mend_drops(const struct sc_slice *s, const struct sc_slice_step *step);
