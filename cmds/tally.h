/* Tally: the findings of all processes of a run, equal findings counted once. */
#ifndef SC_CMDS_TALLY_H
#define SC_CMDS_TALLY_H

#include <stdbool.h>
#include "base/map.h"
#include "base/vector.h"
#include "cmds/loaded.h"
#include "reports/fingerprint.h"

/* A finding, however many processes have it. */
struct sc_tally_row {
	uint64_t fingerprint;
	unsigned processes;
	uint16_t rule;
	uint8_t severity;
	uint8_t confidence;
};

struct sc_verdict_tally {
	struct sc_u64_map by_fingerprint; /* index + 1 in rows */
	SC_VECTOR(struct sc_tally_row) rows;
	struct sc_buf processes; /* a line for each */
	unsigned process_count;
	struct sc_hidden_counts hidden;
};

/* Counts a report whose hidden findings were taken out; `prints` are the fingerprints of the
 * remaining findings. */
void sc_tally_add(struct sc_verdict_tally *t, const struct sc_loaded *l,
		  const struct sc_fingerprints *prints);
/* Appends the summary: one line for the run, then one for each finding and process. Of many
 * findings the first are shown, unless the text is to be whole. */
void sc_tally_print(struct sc_buf *out, const struct sc_verdict_tally *t, bool is_whole);
void sc_tally_fini(struct sc_verdict_tally *t);

#endif
