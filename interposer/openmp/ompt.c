/* OpenMP runtimes with a tools interface (LLVM's, Intel's, NVIDIA's): regions, tasks and locks.
 *
 * We are their tool only where the order between threads was asked for, and where there is no other
 * tool: there can be one.
 */
#include "interposer/openmp/ompt.h"

#include <dlfcn.h>
#include <stdlib.h>
#include "interposer/core/session.h"
#include "interposer/openmp/task.h"
#include "interposer/sync/sync.h"
#include "interposer/core/real.h"

#define EXPORT __attribute__((visibility("default")))

static void *kept_for(const union sc_ompt_data *data)
{
	return data ? data->pointer : NULL;
}

/* ---- regions ---- */

static void begin_parallel(union sc_ompt_data *task, const void *frame, union sc_ompt_data *region,
			   unsigned threads, int flags, const void *code)
{
	const struct sc_task *outer = kept_for(task);

	(void)frame, (void)threads, (void)flags, (void)code;
	region->pointer = sc_team_fork(outer && outer->team);
}

static void end_parallel(union sc_ompt_data *region, union sc_ompt_data *task, int flags,
			 const void *code)
{
	(void)task, (void)flags, (void)code;
	sc_team_join(kept_for(region));
	if (region)
		region->pointer = NULL;
}

/* The runtime reports the end of a region late to a thread that waits for its next one, when the
 * ended region's data are gone. What the thread did, it released at the region's last barrier. */
static void implicit_task(int endpoint, union sc_ompt_data *region, union sc_ompt_data *task,
			  unsigned threads, unsigned index, int flags)
{
	(void)threads, (void)index;
	if (endpoint == SC_OMPT_BEGIN) {
		task->pointer = flags & SC_OMPT_TASK_INITIAL
					? sc_task_begin_initial()
					: sc_task_begin_member(kept_for(region));
		return;
	}
	sc_task_end_member(kept_for(task));
	if (task)
		task->pointer = NULL;
}

static void sync_region(int kind, int endpoint, union sc_ompt_data *region,
			union sc_ompt_data *data, const void *code)
{
	struct sc_task *task = kept_for(data);
	bool is_begin = endpoint == SC_OMPT_BEGIN;

	(void)region, (void)code;
	switch ((enum sc_ompt_region)kind) {
	case SC_OMPT_BARRIER:
	case SC_OMPT_BARRIER_IMPLICIT:
	case SC_OMPT_BARRIER_EXPLICIT:
	case SC_OMPT_BARRIER_IMPLEMENTATION:
	case SC_OMPT_BARRIER_WORKSHARE:
	case SC_OMPT_BARRIER_PARALLEL:
	case SC_OMPT_BARRIER_TEAMS: (is_begin ? sc_task_come : sc_task_pass)(task); break;
	case SC_OMPT_TASKWAIT:
		if (!is_begin)
			sc_task_wait(task);
		break;
	case SC_OMPT_TASKGROUP: (is_begin ? sc_task_begin_group : sc_task_end_group)(task); break;
	case SC_OMPT_REDUCTION: break;
	}
}

/* ---- tasks ---- */

static void create_task(union sc_ompt_data *creator, const void *frame, union sc_ompt_data *task,
			int flags, int is_depending, const void *code)
{
	(void)frame, (void)code;
	if (task && flags & SC_OMPT_TASK_EXPLICIT)
		task->pointer = sc_task_create(kept_for(creator), is_depending);
}

static void schedule_task(union sc_ompt_data *prior, int status, union sc_ompt_data *next)
{
	struct sc_task *task = kept_for(prior);

	if (status == SC_OMPT_TASK_COMPLETE || status == SC_OMPT_TASK_CANCEL ||
	    status == SC_OMPT_TASK_DETACH) {
		if (task && !task->is_implicit) {
			sc_task_end(task);
			prior->pointer = NULL;
		}
	} else {
		sc_task_leave(task);
	}
	sc_task_run(kept_for(next));
}

/* ---- locks ---- */

static const void *object_of(uint64_t wait)
{
	return (const void *)(uintptr_t)wait;
}

static void take_mutex(int kind, uint64_t wait, const void *code)
{
	(void)code;
	if (kind != SC_OMPT_ATOMIC)
		sc_sync_acquire(object_of(wait), SC_SYNC_LOCK, 0);
}

static void give_mutex(int kind, uint64_t wait, const void *code)
{
	(void)code;
	if (kind != SC_OMPT_ATOMIC)
		sc_sync_release(object_of(wait), SC_SYNC_LOCK);
}

/* ---- the tool ---- */

static int initialize(sc_ompt_lookup *lookup, int device, union sc_ompt_data *data)
{
	static const struct {
		enum sc_ompt_event event;
		sc_ompt_callback *callback;
	} events[] = {
		{SC_OMPT_PARALLEL_BEGIN, (sc_ompt_callback *)begin_parallel},
		{SC_OMPT_PARALLEL_END, (sc_ompt_callback *)end_parallel},
		{SC_OMPT_IMPLICIT_TASK, (sc_ompt_callback *)implicit_task},
		{SC_OMPT_SYNC_REGION, (sc_ompt_callback *)sync_region},
		{SC_OMPT_TASK_CREATE, (sc_ompt_callback *)create_task},
		{SC_OMPT_TASK_SCHEDULE, (sc_ompt_callback *)schedule_task},
		{SC_OMPT_MUTEX_ACQUIRED, (sc_ompt_callback *)take_mutex},
		{SC_OMPT_MUTEX_RELEASED, (sc_ompt_callback *)give_mutex},
	};
	sc_ompt_set_callback *set = (sc_ompt_set_callback *)lookup("ompt_set_callback");

	(void)device, (void)data;
	for (unsigned i = 0; set && i < sizeof(events) / sizeof(events[0]); i++)
		set(events[i].event, events[i].callback);
	return set != NULL;
}

static void finalize(union sc_ompt_data *data)
{
	(void)data;
}

/* Another tool: the function that the loader finds after ours (the runtime's own answer is that
 * there is none), or one that the user names, for which the runtime looks only when we are none. */
EXPORT sc_ompt_start ompt_start_tool;
EXPORT struct sc_ompt_tool *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct sc_ompt_tool tool = {initialize, finalize, {0}};
	sc_ompt_start *next = (sc_ompt_start *)sc_real_dlsym()(RTLD_NEXT, "ompt_start_tool");
	struct sc_ompt_tool *other = next ? next(version, runtime) : NULL;
	const char *named = getenv("OMP_TOOL_LIBRARIES");

	if (!sc_sync_is_asked())
		return other;
	if (!other && !(named && *named))
		return &tool;
	atomic_store(&sc_sync.other_tools, 1);
	return other;
}
