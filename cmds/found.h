/* Found: the findings of a trace whose space is given back (option live-disk), in a file beside it.
 *
 * Nobody can find them again: when the process that found them is killed, this file has them. One
 * JSON object a line, as option live-output writes them; only what is proven or likely.
 */
#ifndef SC_CMDS_FOUND_H
#define SC_CMDS_FOUND_H

#include <limits.h>
#include "cmds/collect.h"
#include "cmds/live_lines.h"

struct sc_found {
	char path[PATH_MAX]; /* made when there is something to write; "": not wanted */
	struct sc_live_lines lines;
};

void sc_found_init(struct sc_found *f, const char *trace);
void sc_found_fini(struct sc_found *f);
void sc_found_add(struct sc_found *f, int process, const struct sc_report *r,
		  const struct sc_finding *finding, uint64_t fingerprint);
/* The process that found them has ended early: puts those of all traces into one file of the folder
 * of reports, and says so. `run`: this process. */
void sc_found_keep(const struct sc_collect *c, int run);
/* Names the file beside a trace of which a part is gone, if there is one. */
void sc_found_name(const char *trace);

#endif
