/* OpenMP's teams: fork and join. */
#include "interposer/team.h"

#include "interposer/session.h"
#include "interposer/spare.h"

struct sc_team *sc_team_fork(void)
{
	struct sc_team *team = sc_sync_is_asked() && !sc_self.busy && !sc_self.depth
				       ? sc_spare_get(SC_SPARE_TEAM, sizeof(*team))
				       : NULL;

	if (!team)
		return NULL;
	atomic_init(&team->references, 1);
	sc_sync_point_release(&team->fork, SC_SYNC_THREAD);
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
