/* GNU's OpenMP runtime: regions, barriers and locks, by wrappers of the real functions.
 *
 * Its threads wait for each other by futexes of its own, which the functions of locks.c never see.
 */
#include <stdbool.h>
#include "interposer/core/put.h"
#include "interposer/core/thread.h"
#include "interposer/library/function.h"
#include "interposer/openmp/team.h"
#include "interposer/python/python.h"
#include "interposer/python/python_thread.h"
#include "interposer/sync/sync.h"

#define EXPORT __attribute__((visibility("default")))

typedef void sc_openmp_fn(void *data);

/* The real function of a row, for the caller of its wrapper. NULL: there is none, and the program
 * had a weak reference. */
#define REAL(name) \
	((typeof(&(name)))sc_function_find(&sc_core_functions.name, __builtin_return_address(0)))

struct sc_openmp_thread {
	struct sc_member *member; /* of a team; on its stack */
};

SC_THREAD_STATE(openmp)

/* ---- regions ---- */

/* A region: on the stack of the thread that forks. */
struct fork {
	sc_openmp_fn *function;
	void *data;
	bool is_followed; /* else the team is not set */
	struct sc_team team;
	uint64_t python_frame; /* which stands still until all have joined */
};

static void run_in_team(struct fork *fork)
{
	struct sc_member *outer = sc_openmp_thread()->member, member;

	sc_team_begin_member(&member, &fork->team);
	sc_openmp_thread()->member = &member;
	fork->function(fork->data);
	sc_openmp_thread()->member = outer;
	sc_team_end_member(&member);
}

static void run_member(void *data)
{
	struct fork *fork = data;
	uint64_t outer = sc_python_thread()->frame;

	sc_python_thread()->frame = fork->python_frame;
	if (fork->is_followed)
		run_in_team(fork);
	else
		fork->function(fork->data);
	sc_python_thread()->frame = outer;
}

/* False if nothing is to be known of the members. */
static bool begin_fork(struct fork *fork, sc_openmp_fn *function, void *data)
{
	fork->function = function;
	fork->data = data;
	fork->is_followed = sc_team_fork(&fork->team, sc_openmp_thread()->member != NULL);
	fork->python_frame = sc_python_frame();
	return fork->is_followed || fork->python_frame;
}

#define REGION(name, parameters, arguments, object)      \
	EXPORT void name parameters;                     \
	EXPORT void name parameters                      \
	{                                                \
		typeof(&name) real = REAL(name);         \
		struct fork fork;                        \
                                                         \
		if (!real)                               \
			return;                          \
		if (begin_fork(&fork, function, data)) { \
			function = run_member;           \
			data = &fork;                    \
		}                                        \
		real arguments;                          \
		if (fork.is_followed)                    \
			sc_team_join(&fork.team);        \
	}

/* ---- barriers ---- */

#define BARRIER(name, parameters, arguments, object)      \
	EXPORT void name parameters;                      \
	EXPORT void name parameters                       \
	{                                                 \
		typeof(&name) real = REAL(name);          \
                                                          \
		if (!real)                                \
			return;                           \
		sc_team_come(sc_openmp_thread()->member); \
		real arguments;                           \
		sc_team_pass(sc_openmp_thread()->member); \
	}
/* ---- locks ---- */

static const char unnamed; /* its address stands for the lock of `critical` without a name */

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

#define OPENMP(kind, name, parameters, arguments, object) kind(name, parameters, arguments, object)
#include "interposer/openmp/openmp.def"
