/* GNU's OpenMP runtime: regions, barriers and locks, by wrappers of the real functions.
 *
 * Its threads wait for each other by futexes of its own, which the functions of locks.c never see.
 */
#include "interposer/openmp/openmp.h"

#include <stdbool.h>
#include "interposer/core/session.h"
#include "interposer/openmp/task.h"
#include "interposer/core/thread.h"
#include "interposer/python/python.h"
#include "interposer/sync/sync.h"

#define EXPORT SC_OPENMP_EXPORT
#define REAL   SC_OPENMP_REAL

/* ---- regions ---- */

/* A region: on the stack of the thread that forks. */
struct fork {
	sc_openmp_fn *function;
	void *data;
	struct sc_team *team;  /* NULL: its threads are not followed */
	uint64_t python_frame; /* which stands still until all have joined */
};

static void run_in_team(const struct fork *fork)
{
	struct sc_task *outer = sc_self.task, *task = sc_task_begin_member(fork->team);

	sc_self.task = task;
	fork->function(fork->data);
	sc_self.task = outer;
	sc_task_end_member(task);
}

static void run_member(void *data)
{
	const struct fork *fork = data;
	uint64_t outer = sc_self.python_frame;

	sc_self.python_frame = fork->python_frame;
	if (fork->team)
		run_in_team(fork);
	else
		fork->function(fork->data);
	sc_self.python_frame = outer;
}

/* False if nothing is to be known of the members. */
static bool begin_fork(struct fork *fork)
{
	fork->team = sc_team_fork(sc_self.task != NULL);
	fork->python_frame = sc_python_frame();
	return fork->team || fork->python_frame;
}

#define REGION(name, parameters, arguments, object)           \
	EXPORT void name parameters;                          \
	EXPORT void name parameters                           \
	{                                                     \
		typeof(&name) real = REAL(name);              \
		struct fork fork = {function, data, NULL, 0}; \
                                                              \
		if (!real)                                    \
			return;                               \
		if (begin_fork(&fork)) {                      \
			function = run_member;                \
			data = &fork;                         \
		}                                             \
		real arguments;                               \
		sc_team_join(fork.team);                      \
	}
#define REDUCTIONS(name, parameters, arguments, object)       \
	EXPORT unsigned name parameters;                      \
	EXPORT unsigned name parameters                       \
	{                                                     \
		typeof(&name) real = REAL(name);              \
		struct fork fork = {function, data, NULL, 0}; \
		unsigned members;                             \
                                                              \
		if (!real)                                    \
			return 0;                             \
		if (begin_fork(&fork)) {                      \
			function = run_member;                \
			data = &fork;                         \
		}                                             \
		members = real arguments;                     \
		sc_team_join(fork.team);                      \
		return members;                               \
	}

/* ---- barriers ---- */

#define BARRIER(name, parameters, arguments, object) \
	EXPORT void name parameters;                 \
	EXPORT void name parameters                  \
	{                                            \
		typeof(&name) real = REAL(name);     \
                                                     \
		if (!real)                           \
			return;                      \
		sc_task_come(sc_self.task);          \
		real arguments;                      \
		sc_task_pass(sc_self.task);          \
	}
/* A thread for which this returns true leaves the region and skips its remaining barriers. */
#define CANCEL_BARRIER(name, parameters, arguments, object) \
	EXPORT bool name parameters;                        \
	EXPORT bool name parameters                         \
	{                                                   \
		typeof(&name) real = REAL(name);            \
		bool is_cancelled;                          \
                                                            \
		if (!real)                                  \
			return 0;                           \
		sc_task_come(sc_self.task);                 \
		is_cancelled = real arguments;              \
		if (!is_cancelled)                          \
			sc_task_pass(sc_self.task);         \
		return is_cancelled;                        \
	}
/* Who does the block has not come to the barrier: it comes once more in COPY_END. */
#define COPY_START(name, parameters, arguments, object) \
	EXPORT void *name parameters;                   \
	EXPORT void *name parameters                    \
	{                                               \
		typeof(&name) real = REAL(name);        \
		void *copied;                           \
                                                        \
		if (!real)                              \
			return NULL;                    \
		sc_task_come(sc_self.task);             \
		copied = real arguments;                \
		if (copied)                             \
			sc_task_pass(sc_self.task);     \
		return copied;                          \
	}

/* ---- locks ---- */

static const char unnamed;   /* its address stands for the lock of `critical` without a name */
static const char any_order; /* of the `ordered` blocks of all teams of LLVM's runtime */

static bool is_wanted(void)
{
	return atomic_load_explicit(&sc_sync.wanted, memory_order_relaxed);
}

#define TAKE(name, parameters, arguments, object)                        \
	EXPORT void name parameters;                                     \
	EXPORT void name parameters                                      \
	{                                                                \
		typeof(&name) real = REAL(name);                         \
		uint64_t begin = SC_NOT_WRITTEN;                         \
                                                                         \
		if (!real)                                               \
			return;                                          \
		if (is_wanted())                                         \
			begin = sc_sync_begin(object, SC_SYNC_LOCK);     \
		real arguments;                                          \
		if (is_wanted()) /* the first host function meanwhile */ \
			sc_sync_end(object, SC_SYNC_LOCK, begin, true);  \
	}
#define TRY_TAKE(name, parameters, arguments, object)                         \
	EXPORT int name parameters;                                           \
	EXPORT int name parameters                                            \
	{                                                                     \
		typeof(&name) real = REAL(name);                              \
		int taken = real ? real arguments : 0;                        \
                                                                              \
		if (taken && is_wanted())                                     \
			sc_sync_acquire(object, SC_SYNC_LOCK, SC_FLAG_TIMED); \
		return taken;                                                 \
	}
#define GIVE(name, parameters, arguments, object)              \
	EXPORT void name parameters;                           \
	EXPORT void name parameters                            \
	{                                                      \
		typeof(&name) real = REAL(name);               \
                                                               \
		if (!real)                                     \
			return;                                \
		if (is_wanted())                               \
			sc_sync_release(object, SC_SYNC_LOCK); \
		real arguments;                                \
	}

/* ---- ordered blocks ---- */

static struct sc_sync_point *order_of(struct sc_task *task)
{
	return task && task->team ? &task->team->ordered : NULL;
}

#define ORDER_START(name, parameters, arguments, object)              \
	EXPORT void name parameters;                                  \
	EXPORT void name parameters                                   \
	{                                                             \
		typeof(&name) real = REAL(name);                      \
		struct sc_sync_point *order = order_of(sc_self.task); \
                                                                      \
		if (!real)                                            \
			return;                                       \
		real arguments;                                       \
		if (order)                                            \
			sc_sync_point_acquire(order, SC_SYNC_LOCK);   \
	}
#define ORDER_END(name, parameters, arguments, object)                \
	EXPORT void name parameters;                                  \
	EXPORT void name parameters                                   \
	{                                                             \
		typeof(&name) real = REAL(name);                      \
		struct sc_sync_point *order = order_of(sc_self.task); \
                                                                      \
		if (order)                                            \
			sc_sync_point_release(order, SC_SYNC_LOCK);   \
		if (real)                                             \
			real arguments;                               \
	}

#define OPENMP(kind, name, parameters, arguments, object) kind(name, parameters, arguments, object)
#include "interposer/openmp/openmp.def"
