/* Handlers of control flow, barriers and fences. */
#include "simulator/executor/barrier.h"
#include "simulator/executor/job.h"
#include "simulator/executor/operation/operation.h"
#include "simulator/executor/path.h"
#include "simulator/executor/race.h"
#include "simulator/executor/watch.h"

static void trap(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t lanes = exec_mask(w, in);

	if (lanes)
		exec_fail(w, in, EXEC_TRAP, (unsigned)__builtin_ctz(lanes), 0);
}

/* Memory is written in the order of the code, by the thread that runs the block. */
static void fence(struct exec_warp *w, const struct exec_instruction *in)
{
	if (exec_mask(w, in))
		exec_watch_fence(w);
	if (w->block->race && exec_mask(w, in))
		exec_race_fence(w, in);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* The launch of a kernel that waits comes after what it waits for (exec_kernel_waits): only what is
 * touched before the wait has to be known. */
static void wait_for_grids(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t lanes = exec_mask(w, in);

	if (!lanes)
		return;
	w->waited |= lanes;
	w->block->has_waited = 1;
	atomic_store_explicit(&w->run->job->has_waited, 1, memory_order_relaxed);
}

static void nothing(struct exec_warp *w, const struct exec_instruction *in)
{
	(void)w;
	(void)in;
}

/* The number of the first lane that takes part. */
static uint32_t uniform(const struct exec_warp *w, exec_slot slot, uint32_t lanes)
{
	const uint32_t *value = exec_lanes(w, slot);

	return value[__builtin_ctz(lanes)];
}

static void arrive(struct exec_warp *w, const struct exec_instruction *in, bool waits)
{
	uint32_t lanes = exec_mask(w, in), barrier, expected = 0;

	if (!lanes)
		return;
	barrier = uniform(w, in->slot[1], lanes) % EXEC_BARRIERS;
	if (in->width[2])
		expected = uniform(w, in->slot[2], lanes);
	exec_barrier_arrive(w, barrier, lanes, expected, waits);
}

static void bar_sync(struct exec_warp *w, const struct exec_instruction *in)
{
	arrive(w, in, 1);
}

static void bar_arrive(struct exec_warp *w, const struct exec_instruction *in)
{
	arrive(w, in, 0);
}

/* Products of a warpgroup are over for one of its warps when they are for all: a thread that goes
 * on may give back memory from which the others multiply. So each waits until all have come here.
 */
static void group_wait(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t lanes = exec_mask(w, in), group = w->first_thread / EXEC_LANES / EXEC_GROUP_WARPS;

	if (lanes)
		exec_barrier_arrive(w, EXEC_GROUP_BARRIER + group, lanes,
				    EXEC_GROUP_WARPS * EXEC_LANES, 1);
}

static const struct exec_row rows[] = {
	{"bra", "L", 0, exec_path_branch},
	{"brx.idx", "4 x", 0, exec_path_jump},
	{"ret", "", 0, exec_barrier_exit},
	{"exit", "", 0, exec_barrier_exit},
	{"trap", "", 0, trap},
	{"brkpt", "", 0, trap},
	{"pmevent", "_ x", 0, nothing},
	{"pmevent.mask", "_ x", 0, nothing},
	{"bar.sync", "_ 4 ?4", 0, bar_sync},
	{"bar.arrive", "_ 4 4", 0, bar_arrive},
	{"barrier.sync", "_ 4 ?4", 0, bar_sync},
	{"barrier.arrive", "_ 4 4", 0, bar_arrive},
	{"membar", "", 0, fence},
	{"fence", "", 0, fence},
	{"setmaxnreg.inc.sync.u32", "_ i", 0, nothing},
	{"setmaxnreg.dec.sync.u32", "_ i", 0, nothing},
	{"wgmma.fence.sync", "", 0, nothing},
	{"wgmma.commit_group.sync", "", 0, nothing},
	{"wgmma.wait_group.sync", "_ i", 0, group_wait},
	{"nanosleep.u32", "_ 4", 0, nothing},
	{"griddepcontrol.wait", "", 0, wait_for_grids},
	{"griddepcontrol.launch_dependents", "", 0, nothing},
};

const struct exec_rows exec_control_rows = EXEC_ROWS(rows);
