/* OpenMP's tasks: which task comes after which. */
#include "interposer/openmp/task.h"

#include "interposer/openmp/spare.h"
#include "interposer/sync/sync.h"

/* ---- families ---- */

static struct sc_family *new_family(const struct sc_task *task, struct sc_family *outer)
{
	struct sc_family *f = sc_spare_get(SC_SPARE_FAMILY, sizeof(*f));

	if (!f)
		return NULL;
	f->outer = outer;
	if (task->team) {
		sc_sync_point_seed(&f->ended, task->team->fork);
		sc_sync_point_seed(&f->depending, task->team->fork);
	}
	atomic_init(&f->references, 1);
	return f;
}

static struct sc_family *get_family(struct sc_family *f)
{
	if (f)
		atomic_fetch_add_explicit(&f->references, 1, memory_order_relaxed);
	return f;
}

static void put_family(struct sc_family *f)
{
	while (f) {
		struct sc_family *outer = f->outer;

		/* acq_rel: the last one sees what the others did with it */
		if (atomic_fetch_sub_explicit(&f->references, 1, memory_order_acq_rel) != 1)
			return;
		sc_spare_put(SC_SPARE_FAMILY, f);
		f = outer;
	}
}

static void forget(struct sc_task *task)
{
	put_family(task->siblings);
	put_family(task->children);
	put_family(task->group);
	sc_team_put(task->team);
	sc_spare_put(SC_SPARE_TASK, task);
}

/* ---- implicit tasks ---- */

struct sc_task *sc_task_begin_member(struct sc_team *team)
{
	struct sc_task *task = team ? sc_task_begin_initial() : NULL;

	if (!task)
		return NULL;
	task->team = sc_team_get(team);
	sc_sync_point_acquire(team->fork, SC_SYNC_THREAD);
	return task;
}

void sc_task_end_member(struct sc_task *task)
{
	if (!task)
		return;
	if (task->team)
		sc_sync_point_release(&task->team->join, SC_SYNC_THREAD);
	forget(task);
}

struct sc_task *sc_task_begin_initial(void)
{
	struct sc_task *task = sc_spare_get(SC_SPARE_TASK, sizeof(*task));

	if (task)
		task->is_implicit = true;
	return task;
}

void sc_task_come(struct sc_task *task)
{
	if (task && task->team)
		sc_sync_point_release(&task->team->barrier[task->barriers & 1], SC_SYNC_BARRIER);
}

void sc_task_pass(struct sc_task *task)
{
	if (!task || !task->team)
		return;
	sc_sync_point_acquire(&task->team->barrier[task->barriers++ & 1], SC_SYNC_BARRIER);
	sc_sync_point_acquire(&task->team->done, SC_SYNC_THREAD);
}

/* ---- explicit tasks ---- */

struct sc_task *sc_task_create(struct sc_task *creator, bool is_depending)
{
	struct sc_task *task = creator ? sc_spare_get(SC_SPARE_TASK, sizeof(*task)) : NULL;

	if (!task)
		return NULL;
	if (!creator->children)
		creator->children = new_family(creator, NULL);
	task->team = sc_team_get(creator->team);
	task->siblings = get_family(creator->children);
	task->group = get_family(creator->group);
	task->is_depending = is_depending;
	if (task->team)
		sc_sync_point_seed(&task->told, task->team->fork);
	sc_sync_point_release(&task->told, SC_SYNC_THREAD);
	return task;
}

struct sc_task *sc_task_begin_part(struct sc_task *creator, struct sc_sync_point *told)
{
	struct sc_task *task = sc_spare_get(SC_SPARE_TASK, sizeof(*task));

	if (!task)
		return NULL;
	task->team = sc_team_get(creator->team);
	task->group = get_family(creator->group);
	sc_sync_point_acquire(told, SC_SYNC_THREAD);
	return task;
}

void sc_task_run(struct sc_task *task)
{
	if (!task || task->is_implicit)
		return;
	sc_sync_point_acquire(&task->told, SC_SYNC_THREAD);
	if (task->is_depending && task->siblings)
		sc_sync_point_acquire(&task->siblings->depending, SC_SYNC_THREAD);
}

void sc_task_leave(struct sc_task *task)
{
	if (task && !task->is_implicit)
		sc_sync_point_release(&task->told, SC_SYNC_THREAD);
}

void sc_task_end(struct sc_task *task)
{
	if (!task)
		return;
	if (task->siblings)
		sc_sync_point_release(&task->siblings->ended, SC_SYNC_THREAD);
	if (task->siblings && task->is_depending)
		sc_sync_point_release(&task->siblings->depending, SC_SYNC_THREAD);
	if (task->group)
		sc_sync_point_release(&task->group->ended, SC_SYNC_THREAD);
	if (task->team)
		sc_sync_point_release(&task->team->done, SC_SYNC_THREAD);
	forget(task);
}

void sc_task_wait(struct sc_task *task)
{
	if (task && task->children)
		sc_sync_point_acquire(&task->children->ended, SC_SYNC_THREAD);
}

void sc_task_wait_depending(struct sc_task *task)
{
	if (task && task->children)
		sc_sync_point_acquire(&task->children->depending, SC_SYNC_THREAD);
}

void sc_task_begin_group(struct sc_task *task)
{
	struct sc_family *group = task ? new_family(task, task->group) : NULL;

	if (group)
		task->group = group;
}

void sc_task_end_group(struct sc_task *task)
{
	struct sc_family *group = task ? task->group : NULL;

	if (!group)
		return;
	sc_sync_point_acquire(&group->ended, SC_SYNC_THREAD);
	task->group = get_family(group->outer);
	put_family(group);
}
