/* Threads of the application: who created them and who joined them.
 *
 * libc hands a joined thread's handle out again before the call that joined it has returned to us,
 * and a thread may be joined before it has begun, which is when it enters the table. So a handle
 * stands for a chain of threads, newest first, and each is claimed once: by who joins or detaches
 * it. When a thread begins, all others of its handle are gone; what was known of those that are
 * claimed is used again. So who claims a thread takes its number along.
 */
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/guard/stack_operand.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/host.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/sync/sync.h"
#include "interposer/guard/unprotected.h"
#include "interposer/core/thread.h"
#include "interposer/core/table.h"
#include "interposer/core/real.h"
#include "interposer/core/code_range.h"
#include "interposer/core/module.h"
#include "interposer/core/scratch.h"

#define EXPORT __attribute__((visibility("default")))

/* A thread that was created while the session lived, or before it in strict mode. */
struct sc_created_thread {
	void *(*function)(void *);
	thrd_start_t c11_function; /* of thrd_create, instead */
	void *argument;
	uint32_t parent;
	uint32_t id;
	struct sc_sync_point point;	 /* into which the creator released what it knew */
	uint64_t stack;			 /* its bytes */
	struct sc_sync_thread *sync;	 /* what the thread knew, once it has ended */
	struct sc_created_thread *older; /* that had the same handle; or the next free one */
	bool is_claimed;
};

static struct {
	struct sc_lock lock;	   /* of the chains, and of what is in them but the point */
	struct sc_table by_handle; /* pthread_t → struct sc_created_thread */
	struct sc_created_thread *free;
} threads;

/* Stands for the next thread of a handle: one that was detached before it began. */
static struct sc_created_thread *detached(void)
{
	static struct sc_created_thread mark = {.is_claimed = true};

	return &mark;
}

/* ---- records, under the lock ---- */

/* NULL, without the lock, too, if no thread with this handle was ever followed. */
static struct sc_created_thread *newest_of(uint64_t handle)
{
	return sc_table_get(&threads.by_handle, handle);
}

static void drop(struct sc_created_thread *gone)
{
	sc_sync_thread_gone(gone->sync);
	gone->sync = NULL;
	gone->older = threads.free;
	threads.free = gone;
}

/* Of threads that are gone only those stay that are to be joined yet. What is older than one that
 * is claimed is never sought. Returns the newest. */
static struct sc_created_thread *keep_unclaimed(struct sc_created_thread *newest)
{
	struct sc_created_thread **link = &newest, *next;

	while (*link && !(*link)->is_claimed)
		link = &(*link)->older;
	for (struct sc_created_thread *t = *link; t; t = next) {
		next = t->older;
		drop(t);
	}
	*link = NULL;
	return newest;
}

static void enter(struct sc_created_thread *created, uint64_t handle)
{
	struct sc_created_thread *older;

	sc_lock_get(&threads.lock);
	older = newest_of(handle);
	if (older == detached())
		created->is_claimed = true;
	else
		created->older = keep_unclaimed(older);
	sc_table_put(&threads.by_handle, handle, created);
	sc_lock_put(&threads.lock);
}

static struct sc_created_thread *take_free(void)
{
	struct sc_created_thread *t;

	sc_lock_get(&threads.lock);
	t = threads.free;
	if (t)
		threads.free = t->older;
	sc_lock_put(&threads.lock);
	return t;
}

/* The thread was not created. */
static void cancel(struct sc_created_thread *created)
{
	sc_lock_get(&threads.lock);
	drop(created);
	sc_lock_put(&threads.lock);
}

/* Destructors of the thread's variables may use it yet, so it stays until the handle comes back.
 * The child of a fork, and a thread that was detached twice, have no record. */
static void leave_sync(void)
{
	struct sc_created_thread *t;

	sc_lock_get(&threads.lock);
	t = newest_of((uint64_t)pthread_self());
	while (t && t->id != sc_self.id)
		t = t->older;
	if (t)
		t->sync = sc_self.sync;
	sc_lock_put(&threads.lock);
}

/* ---- threads ---- */

static void at_end(void *unused)
{
	struct sc_op op;

	(void)unused;
	if (!sc_session_is_live() || !sc_self.id)
		return;
	sc_stack_operand_end_thread();
	sc_thread_end();
	op = sc_put_new(SC_OP_THREAD_END);
	sc_put_op(&op, NULL, 0);
	sc_sync_end_thread();
	sc_guard_end_thread();
	sc_unprotected_end_thread();
	leave_sync();
	sc_thread_give_more();
}

static void begin(struct sc_created_thread *created)
{
	struct sc_op op;

	if (!sc_session_is_live()) {
		created->id = sc_thread_id();
		enter(created, (uint64_t)pthread_self());
		return;
	}
	op = sc_put_new(SC_OP_THREAD_BEGIN);
	sc_unprotected_add_own_stack(created->stack);
	created->id = op.thread;
	op.peer = created->parent;
	op.object = created->point.id;
	sc_put_order(&op);
	sc_sync_acquire_new(&created->point);
	enter(created, (uint64_t)pthread_self());
}

static void *run(void *data)
{
	struct sc_created_thread *created = data;
	void *(*function)(void *) = created->function;
	void *argument = created->argument, *result;

	begin(created);
	pthread_cleanup_push(at_end, NULL);
	result = function(argument);
	pthread_cleanup_pop(1);
	return result;
}

static int run_c11(void *data)
{
	struct sc_created_thread *created = data;
	thrd_start_t function = created->c11_function;
	void *argument = created->argument;
	int result;

	begin(created);
	pthread_cleanup_push(at_end, NULL);
	result = function(argument);
	pthread_cleanup_pop(1);
	return result;
}

/* Threads of the driver itself, or of CUPTI, say nothing about the application. One that begins
 * before the session says something when it is joined, if nothing but that orders threads. */
static bool is_worth_following(uint64_t creator)
{
	if (sc_self.busy || sc_self.depth)
		return false;
	if (!sc_session_is_live())
		return sc_sync_is_asked();
	if (sc_code_range_kind(creator) == SC_CODE_UNKNOWN)
		sc_code_range_scan();
	return sc_code_range_kind(creator) != SC_CODE_DRIVER;
}

/* How large its stack will be. One that the program made is never protected from here on. */
static uint64_t prepare_stack(const pthread_attr_t *attributes)
{
	pthread_attr_t by_default;
	size_t bytes = 0, same;
	void *start = NULL;

	if (attributes) {
		pthread_attr_getstacksize(attributes, &bytes);
		if (!pthread_attr_getstack(attributes, &start, &same))
			sc_unprotected_mark((uint64_t)start, same);
		return bytes;
	}
	pthread_attr_init(&by_default);
	pthread_attr_getstacksize(&by_default, &bytes);
	pthread_attr_destroy(&by_default);
	return bytes;
}

/* What will be recorded of a thread about to be created; NULL: the thread is not followed. */
static struct sc_created_thread *new_thread(uint64_t creator, const pthread_attr_t *attributes,
					    void *argument)
{
	uint64_t stack = sc_session_is_live() ? prepare_stack(attributes) : 0;
	struct sc_created_thread *created;

	if (!is_worth_following(creator))
		return NULL;
	created = take_free();
	if (!created)
		created = sc_arena_get(sizeof(*created));
	if (!created)
		return NULL;
	*created = (struct sc_created_thread){
		.argument = argument, .parent = sc_thread_id(), .stack = stack};
	sc_sync_release_new(&created->point);
	return created;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*function)(void *), void *argument)
{
	struct sc_created_thread *created =
		new_thread((uint64_t)__builtin_return_address(0), attributes, argument);
	int state, err;

	if (!created)
		return SC_REAL(pthread_create)(thread, attributes, function, argument);
	created->function = function;
	if (attributes && !pthread_attr_getdetachstate(attributes, &state) &&
	    state == PTHREAD_CREATE_DETACHED)
		created->is_claimed = true;
	err = SC_REAL(pthread_create)(thread, attributes, run, created);
	if (err)
		cancel(created);
	return err;
}

/* glibc's own goes past pthread_create above. */
EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
	struct sc_created_thread *created =
		new_thread((uint64_t)__builtin_return_address(0), NULL, argument);

	int err;

	if (!created)
		return SC_REAL(thrd_create)(thread, function, argument);
	created->c11_function = function;
	err = SC_REAL(thrd_create)(thread, run_c11, created);
	if (err != thrd_success)
		cancel(created);
	return err;
}

/* ---- ends ---- */

/* A thread, and its number then; NULL: none. */
struct claimed {
	struct sc_created_thread *thread;
	uint32_t id;
};

/* Under the lock; `thread` may be NULL. */
static struct claimed claim(struct sc_created_thread *thread)
{
	if (!thread || thread->is_claimed)
		return (struct claimed){0};
	thread->is_claimed = true;
	return (struct claimed){thread, thread->id};
}

/* The thread that has the handle now, if it has begun. Before the session, too: else a later thread
 * with the handle would be taken for this one. */
static struct claimed claim_newest(uint64_t handle)
{
	struct claimed newest;

	if (sc_self.busy || !newest_of(handle))
		return (struct claimed){0};
	sc_lock_get(&threads.lock);
	newest = claim(newest_of(handle));
	sc_lock_put(&threads.lock);
	return newest;
}

/* The thread that was joined, if it had not begun before: the first one since. */
static struct claimed claim_oldest(uint64_t handle)
{
	struct sc_created_thread *oldest = NULL;
	struct claimed claimed;

	if (sc_self.busy || !newest_of(handle))
		return (struct claimed){0};
	sc_lock_get(&threads.lock);
	for (struct sc_created_thread *t = newest_of(handle); t && !t->is_claimed; t = t->older)
		oldest = t;
	claimed = claim(oldest);
	sc_lock_put(&threads.lock);
	return claimed;
}

static void unclaim(void *data)
{
	const struct claimed *claimed = data;

	if (!claimed->thread)
		return;
	sc_lock_get(&threads.lock);
	if (claimed->thread->id == claimed->id)
		claimed->thread->is_claimed = false;
	sc_lock_put(&threads.lock);
}

static void put_join(uint32_t id)
{
	struct sc_op op;

	if (!id || !sc_session_is_live())
		return;
	op = sc_put_new(SC_OP_THREAD_JOIN);
	op.peer = id;
	sc_put_op(&op, NULL, 0);
}

/* Success is 0 in both families. Joining is a point of cancellation. */
#define JOIN(name, parameters, arguments)                                                      \
	EXPORT int name parameters                                                             \
	{                                                                                      \
		struct claimed claimed = claim_newest((uint64_t)thread);                       \
		int err;                                                                       \
                                                                                               \
		pthread_cleanup_push(unclaim, &claimed);                                       \
		err = SC_REAL(name) arguments;                                                 \
		pthread_cleanup_pop(0);                                                        \
		if (err)                                                                       \
			unclaim(&claimed);                                                     \
		else                                                                           \
			put_join(claimed.id ? claimed.id : claim_oldest((uint64_t)thread).id); \
		return err;                                                                    \
	}
JOIN(pthread_join, (pthread_t thread, void **result), (thread, result))
JOIN(pthread_tryjoin_np, (pthread_t thread, void **result), (thread, result))
JOIN(pthread_timedjoin_np, (pthread_t thread, void **result, const struct timespec *t),
     (thread, result, sc_host_copy_time(&(struct timespec){0}, t)))
JOIN(pthread_clockjoin_np, (pthread_t thread, void **result, clockid_t c, const struct timespec *t),
     (thread, result, c, sc_host_copy_time(&(struct timespec){0}, t)))
JOIN(thrd_join, (thrd_t thread, int *result), (thread, result))
#undef JOIN

/* No thread will join it. Noted before the detach: after it another thread may have the handle. */
static void note_detached(uint64_t handle, uint64_t caller)
{
	if (!is_worth_following(caller))
		return;
	sc_lock_get(&threads.lock);
	if (!claim(newest_of(handle)).id) {
		if (newest_of(handle) != detached())
			keep_unclaimed(newest_of(handle));
		sc_table_put(&threads.by_handle, handle, detached());
	}
	sc_lock_put(&threads.lock);
}

EXPORT int pthread_detach(pthread_t thread)
{
	note_detached((uint64_t)thread, (uint64_t)__builtin_return_address(0));
	return SC_REAL(pthread_detach)(thread);
}

EXPORT int thrd_detach(thrd_t thread)
{
	note_detached((uint64_t)thread, (uint64_t)__builtin_return_address(0));
	return SC_REAL(thrd_detach)(thread);
}

const struct sc_module sc_module_thread_create = {SC_MODULE_STATE(threads)};
