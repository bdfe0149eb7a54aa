/* OpenMP's tasks: a task comes after its creation, and before the code that waits for it (T-3).
 *
 * A member's share of a parallel region is a task too (an implicit one). An explicit task knows
 * what its creator knew, whatever thread runs it; who waits for its creator's tasks (taskwait), for
 * a group, or at a barrier knows what those knew that have ended. Of `depend` clauses only this
 * much is known: a task that has one comes after its siblings with one that ended before it began.
 *
 * Every function takes NULL, which stands for a task that is not followed.
 */
#ifndef SC_INTERPOSER_OPENMP_TASK_H
#define SC_INTERPOSER_OPENMP_TASK_H

#include "interposer/openmp/team.h"

/* Tasks that somebody waits for: a task's children, or a group. */
struct sc_family {
	struct sc_sync_point ended, depending; /* all; those with a depend clause */
	struct sc_family *outer;	       /* counted: of a group */
	atomic_uint references;
};

struct sc_task {
	struct sc_team *team;			       /* counted; NULL: outside of all regions */
	struct sc_family *siblings, *children, *group; /* counted, NULL: none yet */
	struct sc_sync_point told;		       /* by its creator, or who ran it before */
	unsigned barriers;			       /* that it has passed */
	bool is_implicit, is_depending;
};

/* A member begins its share of the region, or ends it. */
struct sc_task *sc_task_begin_member(struct sc_team *team);
void sc_task_end_member(struct sc_task *task);
/* Outside of all regions: it can have children. */
struct sc_task *sc_task_begin_initial(void);
/* A barrier of the task's team. */
void sc_task_come(struct sc_task *task);
void sc_task_pass(struct sc_task *task);
/* A task that `creator` makes. It runs, is left for another one, and ends. */
struct sc_task *sc_task_create(struct sc_task *creator, bool is_depending);
/* A part of a loop of tasks, which begins at once; `told`: released by the thread that ran into the
 * loop. */
struct sc_task *sc_task_begin_part(struct sc_task *creator, struct sc_sync_point *told);
void sc_task_run(struct sc_task *task);
void sc_task_leave(struct sc_task *task);
void sc_task_end(struct sc_task *task);
/* The task's children have ended; or only those with a depend clause that it waited for. */
void sc_task_wait(struct sc_task *task);
void sc_task_wait_depending(struct sc_task *task);
void sc_task_begin_group(struct sc_task *task);
void sc_task_end_group(struct sc_task *task);

#endif
