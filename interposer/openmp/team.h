/* OpenMP's teams: the order between the members of a parallel region (T-3).
 *
 * What was before the region comes before each member's work (fork), and all members' work before
 * what follows (join). In between barriers do the same among the members, and so does the end of a
 * task, which any of them may run: a barrier, and the join, wait for all tasks of the team. Both
 * sources (openmp.c for GNU's runtime, ompt.c for those with a tools interface) say only when.
 *
 * A team is counted, because a runtime reports the end to some members when the team is over. Every
 * function takes NULL, which stands for a team that is not followed.
 */
#ifndef SC_INTERPOSER_OPENMP_TEAM_H
#define SC_INTERPOSER_OPENMP_TEAM_H

#include <stdatomic.h>
#include "interposer/sync/sync.h"

struct sc_team {
	struct sc_sync_point *fork; /* the forking thread's, or `nested` */
	struct sc_sync_point nested, join;
	struct sc_sync_point barrier[2]; /* in turn: who leaves late learns nothing of the next */
	struct sc_sync_point done;	 /* tasks that ended */
	struct sc_sync_point ordered;
	atomic_uint references;
};

/* The calling thread is about to fork; NULL if the order between threads is not recorded. */
struct sc_team *sc_team_fork(bool is_nested);
/* All members have ended; lets go of the team. */
void sc_team_join(struct sc_team *team);
struct sc_team *sc_team_get(struct sc_team *team);
void sc_team_put(struct sc_team *team);

#endif
