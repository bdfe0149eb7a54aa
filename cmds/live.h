/* Live: findings while the program still runs.
 *
 * A process of our own reads the traces of all processes as they are written, and prints one line
 * for each proven or likely finding half a second after it appeared, so that what it rests on has
 * settled. It decides nothing: the report at the end does, from the whole trace.
 */
#ifndef SC_CMDS_LIVE_H
#define SC_CMDS_LIVE_H

#include <stdbool.h>
#include <sys/types.h>
#include "base/option.h"
#include "cmds/live_lines.h"

struct sc_live {
	pid_t process; /* 0: none */
	int end;       /* owned; closing it ends the process */
	struct sc_live_lines lines;
};

/* Before the program runs: ends the tool with a sentence if option live-output cannot be written.
 */
void sc_live_init(struct sc_live *l, const struct sc_options *o);
/* Starts the process, if the options want it; without one, says why. `folder`: of the traces. */
void sc_live_begin(struct sc_live *l, const struct sc_options *o, const char *folder);
/* The program has ended. True if it was made to end (halt-on-error). */
bool sc_live_end(struct sc_live *l);

#endif
