/* Top's processes: those that are shown, each by itself or by the follower of its run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/option.h"
#include "base/vector.h"
#include "extensions/live/top_process.h"

struct sc_top_shown {
	int number;
	int asked;		    /* owned: the follower; -1: none, so that `own` has it */
	struct sc_top_process *own; /* owned */
	struct sc_buf text;	    /* what there is now, or was last */
	bool has_ended;
};

struct sc_top_all {
	const struct sc_options *options; /* borrowed */
	SC_VECTOR(int) wanted;		  /* process ids of the command line */
	SC_VECTOR(struct sc_top_shown) shown;
	size_t more;		   /* that are not shown, for there are too many */
	struct sc_buf failed;	   /* a sentence, once one cannot be looked at any more */
	struct sc_buf passed_over; /* the same of the last one that was not begun with */
};

/* Ends the tool with a sentence if one of the processes cannot be looked at: `count` process ids as
 * text. One that writes no trace stands for those that it started, and that they started. */
void sc_top_all_init(struct sc_top_all *a, const struct sc_options *o, char **ids, size_t count);
void sc_top_all_fini(struct sc_top_all *a);
/* Appends the lines of all, for a terminal with so many rows (0: any); takes processes that have
 * begun meanwhile, and leaves those that ended out if others go on. True once all have ended, or
 * one failed: the sentence is the caller's, who may have to give a terminal back first. */
bool sc_top_all_add(struct sc_top_all *a, struct sc_buf *out, uint64_t now_ns, unsigned rows);
