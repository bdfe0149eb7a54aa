/* Recording: a program run under the recorder, and the traces of all its processes checked.
 *
 *	struct sc_recording run = {.options = …};
 *	sc_recording_init(&run, name);		what cannot be run ends the tool here
 *	return sc_recording_run(&run, argv);
 */
#pragma once

#include <stdbool.h>
#include "cmds/check/check.h"
#include "cmds/process/collect.h"
#include "cmds/check/confirm.h"
#include "cmds/files/install.h"
#include "extensions/live/live.h"
#include "cmds/run/program.h"

struct sc_recording {
	struct sc_options options;
	struct sc_install install;
	struct sc_program program;
	struct sc_collect collect;
	struct sc_check check;
	struct sc_confirm confirm;
	struct sc_live live;
	bool is_simulated;
	/* Called when the folder of the traces is there, before the program runs; NULL: nothing. */
	void (*begin)(struct sc_recording *run);
	/* Called when the traces are there, before they are checked; `own` is the program's exit
	 * code. NULL: nothing. */
	void (*look)(struct sc_recording *run, int own);
	void *context; /* of these two, borrowed */
};

/* Finds what is needed to run the program, whose options are set; ends the tool with a sentence if
 * it cannot be run so. */
void sc_recording_init(struct sc_recording *run, const char *program);
/* Runs the program and checks its traces; returns the exit code. */
int sc_recording_run(struct sc_recording *run, char **argv);
/* The environment of a recorded program, of `struct sc_recording`; to be called in its process. */
void sc_recording_prepare_program(void *context);
