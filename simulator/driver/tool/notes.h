/* Notes for the command, in the folder STREAMCHECK_SIM_NOTES (base/sim_note.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sim_note.h"

/* Reads the environment. */
void sim_notes_init(void);

/* Appends a note; no effect unless somebody wants notes. The file is opened for each, since a
 * program may close descriptors that it did not open. */
void sim_notes_put(struct sc_sim_note note, const void *data, size_t bytes);

/* A name that the next run can use, with the number of the calling thread's call put in front; no
 * effect in a run with pairs that nobody records. */
void sim_notes_name(struct sc_sim_note note, const char *text);

/* A run with pairs needs no names, unless it is recorded to find more of them. */
void sim_notes_stop_names(void);
