/* Check: traces analysed, reported and judged as the options say.
 *
 *	sc_check_init(&check, &options);	before a program runs: bad options end the tool here
 *	sc_check_begin(&check, traces);
 *	sc_check_trace(&check, path);		for each
 *	return sc_check_end(&check);
 */
#pragma once

#include <stdbool.h>
#include "base/option.h"
#include "cmds/check/confirm.h"
#include "cmds/judge/judge.h"
#include "extensions/live/live.h"
#include "extensions/ranks/ranks.h"
#include "cmds/check/sink.h"
#include "reports/many/summary.h"
#include "reports/verified.h"

struct sc_check {
	const struct sc_options *options; /* borrowed */
	struct sc_judge judge;
	struct sc_sinks sinks;
	struct sc_ranks ranks;		    /* compared with each other */
	struct sc_symbol_cache *symbols;    /* owned: names that traces share; NULL: none */
	struct sc_summary summary;	    /* of many processes, or to be written */
	unsigned traces;		    /* checked so far */
	unsigned passed_over;		    /* source files that lie elsewhere */
	bool is_own;			    /* this run recorded what is checked */
	struct sc_confirm *confirm;	    /* borrowed; NULL: findings are not tried */
	struct sc_live *live;		    /* borrowed; in the process that judged traces
					       (extensions/live/live.h) or NULL */
	const struct sc_verified *verified; /* borrowed; NULL: no other run is verified */
	struct sc_buf command;		    /* of this run, as a shell takes it */
	unsigned ended_process;		    /* of this run, by a signal; 0: none */
	unsigned ended_signal;		    /* 0: a report says so */
	bool is_shard;			    /* others analyze the other traces */
	bool is_incomplete;		    /* nothing recorded, or something lost */
	bool has_failed; /* a trace was not readable or not to be kept; was reported */
};

void sc_check_init(struct sc_check *c, const struct sc_options *o);
/* The command of the run whose traces are checked: who starts a child knows it, the child not. */
void sc_check_set_command(struct sc_check *c, char *const *argv);
/* Where nothing was checked; does nothing after sc_check_end. */
void sc_check_forget_command(struct sc_check *c);
/* The trace is that of `process`, which has ended, and whose recorder asks: others of the same run
 * may have reported. Call it after sc_check_begin. */
void sc_check_set_ended(struct sc_check *c, int process);
/* Says how many traces will come. */
void sc_check_begin(struct sc_check *c, unsigned traces);
/* Compares the traces that will come with each other, if there are several. */
void sc_check_compare(struct sc_check *c, char *const *paths, size_t count);
/* Analyses a trace and writes its reports, which say that it is called `shown`; NULL: `path`,
 * unless the trace of this run is removed, so that a packed one is kept (cmds/files/kept_trace.h).
 */
void sc_check_trace(struct sc_check *c, const char *path, const char *shown);
/* Adds a summary that was read, and judges its findings; false, after saying why, if it is a shard
 * of another division than those before. */
bool sc_check_summary(struct sc_check *c, const struct sc_summary *read, const char *path);
/* Writes what belongs to all traces; returns the exit code that the findings ask for. */
int sc_check_end(struct sc_check *c);
