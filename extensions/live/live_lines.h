/* Lines: what the follower of a run tells machines, one JSON object a line.
 *
 * Each line is written by one write(2) to a descriptor in append mode, so that lines of other
 * processes never get between. A reader that is too slow or gone (a pipe) costs later lines, never
 * the program. The objects are described in docs/user/live.md and json-report.schema.json.
 */
#pragma once

#include <stdbool.h>
#include "base/option.h"
#include "extensions/live/live_totals.h"
#include "reports/json_writer.h"
#include "reports/report.h"

struct sc_live_lines {
	int fd;		    /* owned, but for standard output; -1: no lines are wanted */
	uint64_t status_ns; /* when the last status was written */
	struct sc_buf text; /* the line that is made */
	struct sc_json w;
};

/* Before the program runs: ends the tool with a sentence if the file cannot be written. */
void sc_live_lines_init(struct sc_live_lines *l, const struct sc_options *o);
void sc_live_lines_fini(struct sc_live_lines *l);
/* A finding, met for the first time. */
void sc_live_lines_finding(struct sc_live_lines *l, int process, const struct sc_report *r,
			   const struct sc_finding *f, uint64_t fingerprint);
/* What was seen so far; nothing if the last one was less than a second ago. */
void sc_live_lines_status(struct sc_live_lines *l, const struct sc_live_totals *t, uint64_t now_ns);
/* The last line: what was seen in all, then sc_live_lines_count for each finding, then its end. */
void sc_live_lines_begin_summary(struct sc_live_lines *l, const struct sc_live_totals *t);
void sc_live_lines_count(struct sc_live_lines *l, int process, const struct sc_finding *f,
			 uint64_t fingerprint);
void sc_live_lines_end_summary(struct sc_live_lines *l);
