/* Wrappers of the functions of host synchronization: sync.h says what is written.
 *
 * Results, errno and order are the real functions'. A release is noted before it happens and an
 * acquire after it happened, so what is written never claims more order than there was.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
#include "interposer/guard/host.h"
#include "interposer/core/put.h"
#include "interposer/core/real.h"
#include "interposer/sync/sync.h"

#define EXPORT __attribute__((visibility("default")))

/* Nothing is wanted in most programs, and the real functions are known after their first call: then
 * a wrapper is a few loads and a call. All else stands in functions of its own, so that the wrapper
 * saves no register for it: drivers and frameworks lock mutexes all the time. */
static inline bool is_wanted(void)
{
	return __builtin_expect(atomic_load_explicit(&sc_sync.wanted, memory_order_relaxed), 0);
}

static inline void *known(enum sc_real_number number)
{
	return atomic_load_explicit(&sc_real.libc[number], memory_order_relaxed);
}

#define COLD		__attribute__((noinline, cold))
#define LIST(...)	__VA_ARGS__
#define KNOWN(name)	((typeof(&(name)))known(SC_REAL_##name))
#define IS_ORDINARY(it) __builtin_expect(!is_wanted() && (it), 1)
#define CALLER()	((uint64_t)__builtin_return_address(0))

static bool is_followed_from(uint64_t caller)
{
	return is_wanted() && !sc_sync_is_inner(caller);
}

#define IS_FOLLOWED() is_followed_from(CALLER())
/* Before and after a call that may wait: the first host function may be enqueued meanwhile, and be
 * what ends the wait. */
#define ENTER_FROM(caller)             \
	bool was_wanted = is_wanted(); \
	bool is_followed = was_wanted && is_followed_from(caller);
#define ENTER()			     ENTER_FROM(CALLER())
#define IS_FOLLOWED_NOW_FROM(caller) (was_wanted ? is_followed : is_followed_from(caller))
#define IS_FOLLOWED_NOW()	     IS_FOLLOWED_NOW_FROM(CALLER())

/* A robust mutex whose owner died is held too. */
static bool has_got(int err)
{
	return err == 0 || err == EOWNERDEAD;
}

#define ACQUIRE(name, parameters, arguments, object, kind)                                 \
	static COLD int follow_##name(LIST parameters, uint64_t caller)                    \
	{                                                                                  \
		uint64_t begin = SC_NOT_WRITTEN;                                           \
		int err;                                                                   \
		ENTER_FROM(caller)                                                         \
                                                                                           \
		if (is_followed)                                                           \
			begin = sc_sync_begin(object, SC_SYNC_##kind);                     \
		err = SC_REAL(name) arguments;                                             \
		if (IS_FOLLOWED_NOW_FROM(caller))                                          \
			sc_sync_end(object, SC_SYNC_##kind, begin, has_got(err));          \
		return err;                                                                \
	}                                                                                  \
	static COLD int late_##name(LIST parameters, uint64_t caller, int err)             \
	{                                                                                  \
		if (is_followed_from(caller))                                              \
			sc_sync_end(object, SC_SYNC_##kind, SC_NOT_WRITTEN, has_got(err)); \
		return err;                                                                \
	}                                                                                  \
	EXPORT int name parameters                                                         \
	{                                                                                  \
		typeof(&(name)) real = KNOWN(name);                                        \
		int err;                                                                   \
                                                                                           \
		if (!IS_ORDINARY(real))                                                    \
			return follow_##name(LIST arguments, CALLER());                    \
		err = real arguments;                                                      \
		return is_wanted() ? late_##name(LIST arguments, CALLER(), err) : err;     \
	}
#define TRY(name, parameters, arguments, object, kind)                                 \
	static COLD int late_##name(LIST parameters, uint64_t caller, int err)         \
	{                                                                              \
		if (has_got(err) && is_followed_from(caller))                          \
			sc_sync_acquire(object, SC_SYNC_##kind, SC_FLAG_TIMED);        \
		return err;                                                            \
	}                                                                              \
	EXPORT int name parameters                                                     \
	{                                                                              \
		int err = SC_REAL(name) arguments;                                     \
                                                                                       \
		return is_wanted() ? late_##name(LIST arguments, CALLER(), err) : err; \
	}
#define RELEASE(name, parameters, arguments, object, kind)              \
	static COLD int follow_##name(LIST parameters, uint64_t caller) \
	{                                                               \
		if (is_followed_from(caller))                           \
			sc_sync_release(object, SC_SYNC_##kind);        \
		return SC_REAL(name) arguments;                         \
	}                                                               \
	EXPORT int name parameters                                      \
	{                                                               \
		typeof(&(name)) real = KNOWN(name);                     \
                                                                        \
		if (!IS_ORDINARY(real))                                 \
			return follow_##name(LIST arguments, CALLER()); \
		return real arguments;                                  \
	}
#define WAIT(name, parameters, arguments, condition, lock)                          \
	EXPORT int name parameters                                                  \
	{                                                                           \
		uint64_t begin = SC_NOT_WRITTEN;                                    \
		int err;                                                            \
		ENTER()                                                             \
                                                                                    \
		if (is_followed) {                                                  \
			sc_sync_release(lock, SC_SYNC_LOCK);                        \
			begin = sc_sync_begin(condition, SC_SYNC_CONDITION);        \
		}                                                                   \
		err = SC_REAL(name) arguments;                                      \
		if (IS_FOLLOWED_NOW()) {                                            \
			sc_sync_end(condition, SC_SYNC_CONDITION, begin, err == 0); \
			sc_sync_acquire(lock, SC_SYNC_LOCK, 0);                     \
		}                                                                   \
		return err;                                                         \
	}
#define TIMED(name, parameters, arguments, object, kind)                        \
	EXPORT int name parameters                                              \
	{                                                                       \
		struct timespec copy;                                           \
		int err;                                                        \
                                                                                \
		t = sc_host_copy_time(&copy, t);                                \
		err = SC_REAL(name) arguments;                                  \
		if (IS_FOLLOWED() && has_got(err))                              \
			sc_sync_acquire(object, SC_SYNC_##kind, SC_FLAG_TIMED); \
		return err;                                                     \
	}
#define TIMED_WAIT(name, parameters, arguments, condition, lock)                      \
	EXPORT int name parameters                                                    \
	{                                                                             \
		struct timespec copy;                                                 \
		int err;                                                              \
		ENTER()                                                               \
                                                                                      \
		t = sc_host_copy_time(&copy, t);                                      \
		if (is_followed)                                                      \
			sc_sync_release(lock, SC_SYNC_LOCK);                          \
		err = SC_REAL(name) arguments;                                        \
		if (!IS_FOLLOWED_NOW())                                               \
			return err;                                                   \
		if (err == 0)                                                         \
			sc_sync_acquire(condition, SC_SYNC_CONDITION, SC_FLAG_TIMED); \
		sc_sync_acquire(lock, SC_SYNC_LOCK, 0);                               \
		return err;                                                           \
	}
#include "interposer/sync/sync.def"
#undef ACQUIRE
#undef TRY
#undef TIMED
#undef TIMED_WAIT
#undef RELEASE
#undef WAIT

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	int err;
	ENTER()

	if (is_followed)
		sc_sync_release(b, SC_SYNC_BARRIER);
	err = SC_REAL(pthread_barrier_wait)(b);
	if ((!err || err == PTHREAD_BARRIER_SERIAL_THREAD) && IS_FOLLOWED_NOW())
		sc_sync_acquire(b, SC_SYNC_BARRIER, 0);
	return err;
}

/* ---- once ---- */

/* The innermost call of a once function that this thread is about to run. Its function is always
 * replaced: what it does may be what begins a session, or enqueues the first host function. */
struct once {
	void (*function)(void);
	const void *control;
	uint64_t caller;
	struct once *outer;
};

static __thread struct once *once __attribute__((tls_model("initial-exec")));

static void run_once(void)
{
	struct once now = *once;

	once = now.outer; /* first: the function may call others, or throw */
	now.function();
	if (is_wanted() && !sc_sync_is_inner(now.caller))
		sc_sync_release(now.control, SC_SYNC_ONCE);
}

static __attribute__((noinline)) int once_slowly(pthread_once_t *control, void (*function)(void),
						 uint64_t caller)
{
	struct once now = {function, control, caller, once};
	int err;

	once = &now;
	err = SC_REAL(pthread_once)(control, run_once);
	once = now.outer;
	if (is_wanted() && !sc_sync_is_inner(caller))
		sc_sync_acquire(control, SC_SYNC_ONCE, 0);
	return err;
}

/* The runtime asks at each of its calls, several times: what the real function would see is seen
 * here. If glibc did not write this when the function has run, all calls would only take longer. */
#define DONE 2

EXPORT int pthread_once(pthread_once_t *control, void (*function)(void))
{
	_Static_assert(sizeof(*control) == sizeof(int), "glibc's");
	/* acquire: as the real function's own look at it, which this one stands for */
	if (__atomic_load_n((const int *)control, __ATOMIC_ACQUIRE) == DONE && !is_wanted())
		return 0;
	return once_slowly(control, function, (uint64_t)__builtin_return_address(0));
}

EXPORT void call_once(once_flag *control, void (*function)(void))
{
	struct once now = {function, control, (uint64_t)__builtin_return_address(0), once};

	once = &now;
	SC_REAL(call_once)(control, run_once);
	once = now.outer;
	if (IS_FOLLOWED())
		sc_sync_acquire(control, SC_SYNC_ONCE, 0);
}
