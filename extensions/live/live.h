/* Live: findings while the program still runs.
 *
 * A process of our own reads the traces of all processes as they are written, and prints one line
 * for each proven or likely finding half a second after it appeared, so that what it rests on has
 * settled. It decides nothing: the report at the end does, from the whole trace.
 *
 * With option live-disk it gives the space of what it has judged back (extensions/live/disk.h), so
 * that nobody else can judge the whole: then it checks the traces when the program has ended. If it
 * ends early, what is left of the traces is checked by the caller, and is incomplete.
 *
 * The core includes this header only, and is whole without the extension (-DSC_LIVE=OFF): options
 * live, live-disk, live-html and live-output end the tool then.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "base/message.h"
#include "base/option.h"
#include "cmds/process/child.h"
#include "extensions/live/live_lines.h"

#define SC_LIVE_DISK_LEAST ((uint64_t)32 << 20) /* bytes, of option live-disk */

struct sc_reader;
struct sc_analysis;

struct sc_live {
	pid_t process; /* 0: none */
	int end;       /* owned; closing it ends the process */
	struct sc_live_lines lines;
	struct sc_live_watcher *watcher; /* in that process, else NULL */
	/* Checks all traces, in that process; returns the exit code. */
	int (*check)(void *context, int process, const struct sc_child_end *end, bool is_halted);
	void *context; /* of it, borrowed */
};

#if SC_LIVE
/* Before the program runs: ends the tool with a sentence if option live-output cannot be written.
 */
void sc_live_init(struct sc_live *l, const struct sc_options *o);
/* Starts the process, if the options want it; without one, says why. `folder`: of the traces.
 * `check` and `context` are set. */
void sc_live_begin(struct sc_live *l, const struct sc_options *o, const char *folder);
/* The program has ended. True if it was made to end (halt-on-error). */
bool sc_live_end(struct sc_live *l);
/* The same where the process checks the traces (option live-disk): its exit code, or -1 if it ended
 * early, which is said. `process`: of the program. */
int sc_live_check(struct sc_live *l, int process, const struct sc_child_end *end);
/* In a child of the process, which makes a report meanwhile: from here on sc_live_take has what was
 * judged so far. */
void sc_live_freeze(struct sc_live *l);
/* In `check`: the analysis of a trace of which a part was given back, ended, and its reader; both
 * are the caller's. False of a trace that is whole: anybody can read it. After sc_live_freeze, of
 * any trace that is followed. */
bool sc_live_take(struct sc_live *l, const char *path, struct sc_reader **reader,
		  struct sc_analysis **analysis);
#else
static inline void sc_live_init(struct sc_live *l, const struct sc_options *o)
{
	(void)l;
	if (o->live || o->live_disk || *o->live_html || *o->live_output)
		sc_die("option live: this streamcheck was built without SC_LIVE");
}

static inline void sc_live_begin(struct sc_live *l, const struct sc_options *o, const char *folder)
{
	(void)l, (void)o, (void)folder;
}

static inline bool sc_live_end(struct sc_live *l)
{
	(void)l;
	return false;
}

static inline int sc_live_check(struct sc_live *l, int process, const struct sc_child_end *end)
{
	(void)l, (void)process, (void)end;
	return -1;
}

static inline bool sc_live_take(struct sc_live *l, const char *path, struct sc_reader **reader,
				struct sc_analysis **analysis)
{
	(void)l, (void)path, (void)reader, (void)analysis;
	return false;
}
#endif
