/* OpenMP's teams: fork and join. */
#include "interposer/openmp/team.h"

#include "interposer/core/session.h"
#include "interposer/openmp/spare.h"
#include "interposer/core/thread.h"

/* All members will have learned what the fork releases; the next fork of the same thread releases
 * what is new. In nested regions a thread may fork while others still begin the outer one. */
static void tell_members(struct sc_team *team, bool is_nested)
{
	team->fork = is_nested ? NULL : sc_sync_own_point();
	if (!team->fork)
		team->fork = &team->nested;
	sc_sync_point_release(team->fork, SC_SYNC_THREAD);
	sc_sync_point_seed(&team->join, team->fork);
	sc_sync_point_seed(&team->barrier[0], team->fork);
	sc_sync_point_seed(&team->barrier[1], team->fork);
	sc_sync_point_seed(&team->done, team->fork);
	sc_sync_point_seed(&team->ordered, team->fork);
}

struct sc_team *sc_team_fork(bool is_nested)
{
	struct sc_team *team = sc_sync_is_asked() && !sc_self.busy && !sc_self.depth
				       ? sc_spare_get(SC_SPARE_TEAM, sizeof(*team))
				       : NULL;

	if (!team)
		return NULL;
	atomic_init(&team->references, 1);
	tell_members(team, is_nested);
	return team;
}

void sc_team_join(struct sc_team *team)
{
	if (!team)
		return;
	sc_sync_point_acquire(&team->join, SC_SYNC_THREAD);
	sc_sync_point_acquire(&team->done, SC_SYNC_THREAD);
	sc_team_put(team);
}

struct sc_team *sc_team_get(struct sc_team *team)
{
	if (team)
		atomic_fetch_add_explicit(&team->references, 1, memory_order_relaxed);
	return team;
}

void sc_team_put(struct sc_team *team)
{
	/* acq_rel: the last one sees what the others did with it */
	if (team && atomic_fetch_sub_explicit(&team->references, 1, memory_order_acq_rel) == 1)
		sc_spare_put(SC_SPARE_TEAM, team);
}
