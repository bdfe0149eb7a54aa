/* Inputs: the traces and summaries that a command line names, whole folders of them. */
#pragma once

#include <stdint.h>
#include "base/vector.h"

struct sc_inputs {
	SC_VECTOR(char *) traces;    /* owned */
	SC_VECTOR(char *) summaries; /* owned */
	size_t passed_over;	     /* traces of folders that have summaries */
};

/* Takes `count` paths. Of a folder come its traces (*.sct, also in text form), in the order of the
 * numbers in their names, so that ranks come in order; if it has summaries (*.scs), these come
 * instead, since the two are of the same processes. A path that cannot be
 * listed ends the tool. */
void sc_inputs_take(struct sc_inputs *in, const char *command, char *const *paths, int count);
/* The same, of the traces only: summaries in folders are passed over. */
void sc_inputs_take_traces(struct sc_inputs *in, const char *command, char *const *paths,
			   int count);
/* Keeps the traces of shard `index` (1 … count): each shard is a stretch of the list, so that its
 * ranks are one range. */
void sc_inputs_keep_shard(struct sc_inputs *in, uint32_t index, uint32_t count);
void sc_inputs_fini(struct sc_inputs *in);
