/* OpenMP's teams: fork, barriers and join. */
#include "interposer/openmp/team.h"

#include "base/assert.h"
#include "interposer/core/thread.h"

bool sc_team_fork(struct sc_team *team, bool is_nested)
{
	if (!sc_sync_is_asked() || sc_self.busy || sc_self.depth)
		return false;
	*team = (struct sc_team){0};
	/* All members will have learned what the fork releases; the next fork of the same thread
	 * releases what is new. In nested regions a thread may fork while others still begin the
	 * outer one. */
	team->fork = is_nested ? NULL : sc_sync_own_point();
	if (!team->fork)
		team->fork = &team->nested;
	sc_sync_point_release(team->fork, SC_SYNC_THREAD);
	sc_sync_point_seed(&team->join, team->fork);
	sc_sync_point_seed(&team->barrier[0], team->fork);
	sc_sync_point_seed(&team->barrier[1], team->fork);
	return true;
}

void sc_team_join(struct sc_team *team)
{
	sc_sync_point_acquire(&team->join, SC_SYNC_THREAD);
}

void sc_team_begin_member(struct sc_member *member, struct sc_team *team)
{
	sc_assert(team->fork);
	*member = (struct sc_member){.team = team};
	sc_sync_point_acquire(team->fork, SC_SYNC_THREAD);
}

void sc_team_end_member(struct sc_member *member)
{
	sc_sync_point_release(&member->team->join, SC_SYNC_THREAD);
}

void sc_team_come(struct sc_member *member)
{
	if (member)
		sc_sync_point_release(&member->team->barrier[member->barriers & 1],
				      SC_SYNC_BARRIER);
}

void sc_team_pass(struct sc_member *member)
{
	if (member)
		sc_sync_point_acquire(&member->team->barrier[member->barriers++ & 1],
				      SC_SYNC_BARRIER);
}
