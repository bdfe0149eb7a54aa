/* Reports of a run that goes on: on SIGUSR1, and the HTML page of option live-html.
 *
 * Each is made by a child of the follower from the traces as they are now, as `streamcheck report`
 * does, so that findings are told meanwhile. With option live-disk it is made from what the
 * follower has judged, of which the child has a copy; meanwhile no space is given back. There is
 * one such child at a time. The page is made anew after a pause of fifty times the processor time
 * that it took: 2 % of one core at most. The child writes it to memory, so that it may be killed at
 * any moment; the file is then replaced.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/option.h"

struct sc_live;

struct sc_live_reports {
	const struct sc_options *options; /* borrowed */
	const char *folder;		  /* borrowed: of the traces */
	struct sc_live *live;		  /* borrowed: has judged them; NULL: the child does */
	pid_t child;			  /* that makes a report; 0: none */
	bool is_page;			  /* it makes the page */
	uint64_t page_ns;		  /* not before this time */
	int page;	    /* owned: memory that the child writes the page to; -1: none */
	unsigned refresh_s; /* of the page that is made */
	pid_t run;	    /* streamcheck run */
	unsigned number;    /* of the reports that were asked for */
	unsigned asked;	    /* how many are still to be made */
};

/* From now on SIGUSR1 asks for a report. */
void sc_live_reports_init(struct sc_live_reports *l, const struct sc_options *o, const char *folder,
			  struct sc_live *live);
/* Takes what was asked for, and what has ended; begins what is due. Now and then. */
void sc_live_reports_step(struct sc_live_reports *l, uint64_t now_ns);
/* In a child: checks these traces as the options say; returns the exit code. */
int sc_live_reports_check(struct sc_live *live, const struct sc_options *o, char (*paths)[PATH_MAX],
			  size_t count);
/* The program has ended: what was asked for is made before this returns, but no page, which the
 * final report becomes. */
void sc_live_reports_fini(struct sc_live_reports *l);
