/* OpenMP's teams: the order between the members of a parallel region (T-3).
 *
 * What was before the region comes before each member's work (fork), and all members' work before
 * what follows (join). In between barriers do the same among the members. openmp.c calls these
 * functions; which program needs them: docs/dev/design.md.
 *
 * A team is on the stack of the thread that forks, and a member on the stack of its thread: the
 * runtime returns from a region when all its members have ended.
 */
#pragma once

#include <stdbool.h>
#include "interposer/sync/sync.h"

struct sc_team {
	struct sc_sync_point *fork; /* the forking thread's, or `nested` */
	struct sc_sync_point nested, join;
	struct sc_sync_point barrier[2]; /* in turn: who leaves late learns nothing of the next */
};

struct sc_member {
	struct sc_team *team;
	unsigned barriers; /* that it has passed */
};

/* The calling thread is about to fork; false if the order between threads is not recorded. */
bool sc_team_fork(struct sc_team *team, bool is_nested);
/* All members have ended. */
void sc_team_join(struct sc_team *team);

/* A member begins its share of the region, or ends it. */
void sc_team_begin_member(struct sc_member *member, struct sc_team *team);
void sc_team_end_member(struct sc_member *member);
/* The member comes to a barrier of its team, and passes it. NULL: it is not followed. */
void sc_team_come(struct sc_member *member);
void sc_team_pass(struct sc_member *member);
