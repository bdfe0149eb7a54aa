/* Rerun: the program again, without the recorder unless `prepare` sets that up, on the simulated
 * device with pairs of operations in given orders; what it left, for a comparison. */
#pragma once

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "cmds/check/sim_notes.h"

/* What all reruns have in common. */
struct sc_rerun {
	const char *path; /* borrowed, with the arguments */
	char **argv;
	const char *simulator;		/* borrowed; folder of the simulated libraries */
	char folder[PATH_MAX];		/* of the notes; made by sc_rerun_begin */
	void (*prepare)(void *context); /* more of its environment, in its process; or NULL */
	void *context;			/* of that, borrowed */
	/* borrowed; not 0: a run ends at once, late; or NULL */
	const volatile sig_atomic_t *is_stopped;
	off_t input; /* where standard input began, if that is a file; else -1 */
	uint64_t begun_ns;
	uint64_t limit_ns;
};

/* How one ended. */
struct sc_rerun_end {
	int process;
	int status;	 /* as wait reports it */
	bool is_late;	 /* it did not end in time */
	bool has_failed; /* it could not be started */
	struct sc_sim_notes notes;
	char *output; /* owned; the first bytes of standard output */
	size_t output_bytes;
	uint64_t output_all; /* bytes of it in all */
};

/* Before the program's first run: makes the folder, below `folder`. */
void sc_rerun_begin(struct sc_rerun *r, const char *folder);
/* In the process of the first run: lets the device note the names of operations. */
void sc_rerun_prepare_first(const struct sc_rerun *r);
/* After the first run: its time is the measure. Takes its notes. */
void sc_rerun_measure(struct sc_rerun *r, struct sc_sim_notes *first);
/* One rerun; `pairs` is as STREAMCHECK_SIM_PAIR has it, "" for none. */
void sc_rerun_run(const struct sc_rerun *r, const char *pairs, struct sc_rerun_end *end);
void sc_rerun_end_fini(struct sc_rerun_end *end);
void sc_rerun_fini(struct sc_rerun *r);
