/* Live trace: one process of a run, as the follower reads it. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include "base/hash.h"
#include "base/map.h"
#include "extensions/live/disk.h"
#include "cmds/files/footprints.h"
#include "cmds/files/follower_findings.h"
#include "extensions/live/live_totals.h"
#include "extensions/live/top_process.h"
#include "trace/follow.h"

/* What all traces of a run have in common. */
struct sc_live_source {
	const struct sc_options *options; /* borrowed, these two */
	const char *folder;
	struct sc_footprints_files files;
	int run;	 /* process that reports on SIGUSR1 */
	bool has_warned; /* that space cannot be given back */
};

struct sc_live_trace {
	char name[NAME_MAX + 1]; /* of the file in the folder */
	UT_hash_handle hh;	 /* by name */
	int number;		 /* process id */
	struct sc_follow follow;
	struct sc_reader *reader;
	struct sc_analysis *analysis;
	struct sc_top_process top;  /* names, and what `streamcheck top` shows */
	struct sc_disk disk;	    /* with option live-disk */
	struct sc_found found;	    /* the same */
	struct sc_u64_map seen;	    /* of findings (extensions/live/live.c) */
	struct sc_u64_map prints;   /* fingerprints of those that are told */
	struct sc_u64_map ordinals; /* of fingerprints */
	struct sc_u64_map lines;    /* fingerprints by pairs of lines */
	struct sc_u64_map told;	    /* how sure what was told of a pair of lines was, + 1 */
	unsigned notices;
	uint64_t errors, warnings; /* that are told */
};

void sc_live_source_init(struct sc_live_source *s, const struct sc_options *o, const char *folder,
			 int run);
/* Begins to follow the trace whose name and number are set, all else is 0; false if it cannot be
 * read now. It must not move from then on. */
bool sc_live_trace_open(struct sc_live_trace *t, struct sc_live_source *s);
void sc_live_trace_path(const struct sc_live_trace *t, const struct sc_live_source *s,
			char path[PATH_MAX]);
/* Adds what was seen so far. */
void sc_live_trace_add_totals(const struct sc_live_trace *t, struct sc_live_totals *sum);
