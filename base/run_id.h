/* Run id: which run of a launcher a rank is of, from the environment that the launcher gives it.
 *
 * Ranks of two runs in one folder have equal numbers and are other processes: with the id of its
 * run in each trace, reports say so. A launcher without such a variable (Hydra) gives none;
 * `streamcheck run` gives its children one of its own, unless it is a rank of a launcher itself. No
 * heap: the recorder asks inside the traced program.
 */
#pragma once

#include <stddef.h>
#include <sys/stat.h>

#define SC_RUN_ID_VARIABLE "STREAMCHECK_RUN"
#define SC_RUN_ID_BYTES	   128 /* of an id, with the terminator; a longer one is cut */

/* Of the file PID.ended in the folder of a run's traces: it has the number of the signal that the
 * process's own parent sent, and that ended it. */
#define SC_ENDED_ENDING ".ended"

/* Rights of that folder, once a process found no room there even for the name of a trace: to change
 * them takes no room, and no descriptor. */
#define SC_COLLECT_LACKS (S_IRWXU | S_ISVTX)

/* Writes "launcher id", such as "slurm 4711.0", of this process, which has that rank; "" if it has
 * none (-1), or if its launcher says nothing. Bytes that are no plain characters become "?". */
void sc_run_id(char id[SC_RUN_ID_BYTES], int rank);
