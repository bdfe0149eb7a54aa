/* Lines that synchronize: the waits of the host, and of streams for events, by their place in the
 * program; and a trace without some of them, analyzed again.
 *
 * A line is needed if the analysis of the trace without its records has a finding that the analysis
 * of the whole trace has not, or finds one more often. It may be needed if the host then knows
 * later of work with its memory (host_touch.h).
 */
#pragma once

#include <stdbool.h>
#include "analyzer/run/cost.h"
#include "base/map.h"
#include "base/vector.h"
#include "extensions/questions/host_touch.h"
#include "cmds/check/loaded.h"

#define SC_LINE_NEWS 3 /* findings that are kept of a trial */

/* What a line orders that nothing else does: two ops, as a finding of a rule names them. */
struct sc_news {
	uint16_t rule;
	uint8_t confidence;
	uint8_t sides;
	uint64_t ops[2];
	uint32_t stream;  /* of the first op; 0: the host */
	bool is_for_host; /* the second op is of the host */
};

struct sc_trial_result {
	uint64_t count;		/* new findings */
	uint64_t exposed;	/* work with memory of the host of which the host knows later */
	uint64_t first_exposed; /* the first of it */
	struct sc_news news[SC_LINE_NEWS];
	uint32_t stream;    /* the one in which all first ops are; 0: several, or none */
	bool is_for_device; /* all second ops are of the device */
};

struct sc_sync_line {
	uint64_t site;
	uint64_t sequence; /* of the first such call */
	uint64_t calls;
	struct sc_op op;
	bool is_library; /* a library calls it */
	bool is_foreign; /* it waits for an event that another process may record */
	bool is_examined;
	bool is_together; /* may go with all others that are so marked */
	struct sc_cost cost;
	struct sc_trial_result without;
	uint32_t narrower; /* a wait for this stream is enough; 0: that is not known */
};

struct sc_sync_lines {
	const struct sc_loaded *loaded; /* borrowed */
	const char *path;
	struct sc_options options;
	SC_VECTOR(struct sc_sync_line) list;
	struct sc_u64_map
		by_record; /* sequence numbers to number of a line, of BEGINs and others */
	struct sc_callsites callsites;
	struct sc_host_touch touch;
	struct sc_host_known host; /* in the whole trace */
	struct sc_u64_map known;   /* findings of the whole trace, to how often */
};

/* Finds the lines, the most costly first. */
void sc_sync_lines_find(struct sc_sync_lines *all, const struct sc_loaded *l, const char *path,
			const struct sc_options *o);
void sc_sync_lines_fini(struct sc_sync_lines *all);
/* Analyzes the trace without the line, or with a wait for one stream in its place. */
void sc_sync_line_try(struct sc_sync_lines *all, size_t line, uint32_t instead,
		      struct sc_trial_result *out);
/* True if nothing speaks for the line. */
static inline bool sc_trial_is_silent(const struct sc_trial_result *r)
{
	return !r->count && !r->exposed;
}
/* The same without all lines that are marked `is_together`. */
void sc_sync_lines_try_together(struct sc_sync_lines *all, struct sc_trial_result *out);
