/* Threads of the application: who created them and who joined them. */
#include <errno.h>
#include <pthread.h>
#include "interposer/arena.h"
#include "interposer/frame.h"
#include "interposer/session.h"

#define EXPORT __attribute__((visibility("default")))

/* A thread that was created while the session lived. */
struct sc_spawn {
	void *(*function)(void *);
	void *argument;
	uint32_t parent;
	uint32_t id;
	uint32_t object; /* into which the creator released what it knew; 0: none */
};

static void at_end(void *unused)
{
	struct sc_op op;

	(void)unused;
	if (!sc_session_is_live() || !sc_self.id)
		return;
	sc_frame_end();
	op = sc_session_op(SC_OP_THREAD_END);
	sc_session_put(&op, NULL, 0);
	sc_sync_leave();
}

static void *run(void *data)
{
	struct sc_spawn *spawn = data;
	struct sc_op op = sc_session_op(SC_OP_THREAD_BEGIN);
	void *result;

	spawn->id = op.thread;
	op.peer = spawn->parent;
	op.object = spawn->object;
	sc_table_put(&sc_session.threads, (uint64_t)pthread_self(), spawn);
	sc_session_put(&op, NULL, 0);
	pthread_cleanup_push(at_end, NULL);
	result = spawn->function(spawn->argument);
	pthread_cleanup_pop(1);
	return result;
}

/* Threads of the driver itself, or of CUPTI, say nothing about the application. */
static bool is_worth_following(uint64_t creator)
{
	if (!sc_session_is_live() || sc_self.busy || sc_self.depth)
		return false;
	if (sc_range_code(creator) == SC_CODE_UNKNOWN)
		sc_range_scan();
	return sc_range_code(creator) != SC_CODE_DRIVER;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*function)(void *), void *argument)
{
	struct sc_spawn *spawn = NULL;

	if (is_worth_following((uint64_t)__builtin_return_address(0)))
		spawn = sc_arena_get(sizeof(*spawn));
	if (!spawn)
		return SC_REAL(pthread_create)(thread, attributes, function, argument);
	*spawn = (struct sc_spawn){function, argument, sc_thread_id(), 0, sc_sync_release_new()};
	return SC_REAL(pthread_create)(thread, attributes, run, spawn);
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
	int err = SC_REAL(pthread_join)(thread, result);
	struct sc_spawn *spawn;
	struct sc_op op;

	if (err || !sc_session_is_live())
		return err;
	spawn = sc_table_get(&sc_session.threads, (uint64_t)thread);
	if (spawn && spawn->id) {
		op = sc_session_op(SC_OP_THREAD_JOIN);
		op.peer = spawn->id;
		sc_session_put(&op, NULL, 0);
	}
	return err;
}
