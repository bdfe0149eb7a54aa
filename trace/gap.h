/* Gaps: counters of what may be missing from a report (trace/gap.def). */
#pragma once

#include <stdint.h>

enum sc_gap {
#define SC_GAP(id, weight, place, noun, what, why) SC_GAP_##id,
#include "trace/gap.def"
#undef SC_GAP
	SC_GAPS
};

/* Room for them in the header of a trace; a newer recorder may know more than this reader. */
#define SC_TRACE_GAPS 64
_Static_assert(SC_GAPS <= SC_TRACE_GAPS, "format");

enum sc_gap_weight { SC_GAP_DETAIL, SC_GAP_NOTE, SC_GAP_LOSS };
enum sc_gap_place { SC_GAP_MEMBER, SC_GAP_LIMIT };

struct sc_gap_row {
	const char *name, *noun, *what, *why;
	enum sc_gap_weight weight;
	enum sc_gap_place place;
};

/* By enum sc_gap. */
extern const struct sc_gap_row sc_gap_rows[SC_GAPS];
