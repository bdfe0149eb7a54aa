/* Found: the findings of a trace whose space is given back (option live-disk), in a file beside it.
 *
 * Nobody can find them again: when the process that found them is killed, this file has them, with
 * the records that they refer to. Each is appended by one write once it is told, so that the file
 * is good at any moment; the last one of the same identity counts. Only what is proven or likely.
 * Read back, the file may be hostile: what makes no sense ends it.
 *
 *	head	to which trace it belongs, sizes of what follows
 *	entry	its bytes, how many records; the finding; each record with what is attached
 */
#pragma once

#include <limits.h>
#include "cmds/process/collect.h"
#include "reports/report.h"

struct sc_found {
	char path[PATH_MAX]; /* made when there is something to write; "": not wanted */
	int fd;		     /* owned; -1: not made */
};

void sc_found_init(struct sc_found *f, const char *trace);
void sc_found_fini(struct sc_found *f);
/* Its records were fetched (sc_analysis_fetch). */
void sc_found_add(struct sc_found *f, const struct sc_report *r, const struct sc_finding *finding);
/* Gives an analysis that has read what is left of a trace the findings of the part that is gone,
 * and notes which part that is. */
void sc_found_adopt(struct sc_analysis *a, struct sc_reader *r, const char *trace);
