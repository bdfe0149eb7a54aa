/* Settings of a plan, and why it may leave a finding. */
#pragma once

#include "analyzer/analysis.h"
#include "extensions/repair/planner/calls.h"

enum sc_unmended {
#define SC_UNMENDED(constant, id, sentence) SC_UNMENDED_##constant,
#include "extensions/repair/planner/unmended.def"
#undef SC_UNMENDED
	SC_UNMENDEDS
};

struct sc_unmended_row {
	const char *id, *sentence;
};
extern const struct sc_unmended_row sc_unmended_rows[SC_UNMENDEDS];

/* False for advice, and for what the program hides. */
static inline bool sc_repair_is_about(const struct sc_finding *f)
{
	return f->severity != SC_ADVICE && !f->suppression;
}

struct sc_repair_settings {
	const struct sc_analysis_settings *analysis;
	/* Which lines of the program the two ops belong to; NULL: those of the CUDA calls. */
	void (*choose)(void *data, const struct sc_op *first, const struct sc_op *second,
		       struct sc_repair_depth out[2]);
	sc_calls_from *calls_from; /* NULL: a line is one return address */
	void *data;
	uint64_t most_records; /* to read in all analyses */
};
