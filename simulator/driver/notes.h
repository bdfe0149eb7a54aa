/* Notes for the command, in the folder STREAMCHECK_SIM_NOTES (base/sim_note.h). */
#ifndef SIM_NOTES_H
#define SIM_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sim_note.h"
#include "simulator/driver/op.h"

/* Reads the environment. */
void sim_notes_init(void);

/* Appends a note; no effect unless somebody wants notes. The file is opened for each, since a
 * program may close descriptors that it did not open. */
void sim_notes_put(struct sc_note note, const void *data, size_t bytes);

/* An op or an allocation, for the next run to name; no effect in a run with a pair. */
void sim_notes_op(const struct sim_op *op);
void sim_notes_memory(const struct sim_alloc *alloc);

/* What a run with a pair needs not. */
void sim_notes_stop_names(void);

/* What kind of work it is, with SC_NOTE_SKIPPED. */
uint64_t sim_notes_work(const struct sim_op *op);

/* The name of the kernel that an op executes, else "". */
const char *sim_notes_kernel(const struct sim_op *op);

#endif
