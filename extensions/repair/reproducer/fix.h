/* Fix: where the planned edit of a finding goes in its reproducer. */
#pragma once

#include "extensions/repair/planner/edit.h"
#include "extensions/repair/reproducer/slice.h"

enum sc_program_fix {
	SC_PROGRAM_NONE,	/* no edit ends the finding */
	SC_PROGRAM_EVENT,	/* an event after the first, for which the second's stream waits */
	SC_PROGRAM_SYNC,	/* the host waits for the first's stream before the second */
	SC_PROGRAM_MOVE,	/* the record moves after the first */
	SC_PROGRAM_EDGE,	/* the second node depends on the first */
	SC_PROGRAM_FREE_STREAM, /* the second frees in the first's stream */
	SC_PROGRAM_LATER,	/* the first, which ends an object, comes after the second */
	SC_PROGRAM_FRAME	/* the host waits before the function returns */
};

enum sc_program_fix sc_program_fix_of(const struct sc_slice *s, const struct sc_edit *edit);
/* The record of an event that moves, or NULL. */
const struct sc_slice_step *sc_program_fix_record(const struct sc_slice *s);
/* True of a wait for an event without a record: only the program that is wrong has it. */
bool sc_program_fix_drops(const struct sc_slice *s, const struct sc_slice_step *step);
