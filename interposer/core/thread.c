/* Threads: their numbers and scratch memory. */
#include "interposer/core/thread.h"

#include <pthread.h>
#include <signal.h>
#include "interposer/core/arena.h"
#include "interposer/core/session.h"
#include "interposer/core/real.h"

uint32_t sc_thread_id(void)
{
	if (!sc_self.id)
		sc_self.id = 1 + atomic_fetch_add_explicit(&sc_session.thread_ids, 1,
							   memory_order_relaxed);
	return sc_self.id;
}

uint8_t *sc_thread_scratch(void)
{
	if (!sc_self.scratch)
		sc_self.scratch = sc_arena_take(SC_ARENA_SCRATCH, SC_SCRATCH_BYTES);
	return sc_self.scratch;
}

void *sc_thread_room(size_t bytes)
{
	if (bytes <= SC_SCRATCH_BYTES)
		return sc_thread_scratch();
	if (bytes > (size_t)SC_RECORD_MOST * SC_SLOT_DATA)
		return NULL; /* no record would hold it */
	sc_self.wide.used = 0;
	return sc_pages_grow(&sc_self.wide, bytes);
}

#define GIVE(kind, member)                              \
	do {                                            \
		void *piece_ = sc_self.member;          \
                                                        \
		sc_self.member = NULL;                  \
		sc_arena_give(SC_ARENA_##kind, piece_); \
	} while (0)

void sc_thread_end(void)
{
	GIVE(SCRATCH, scratch);
	GIVE(AGAIN, again);
	GIVE(RECENT, recent);
	GIVE(SITES, sites);
	sc_pages_fini(&sc_self.wide);
}

struct task {
	void *(*run)(void *data);
	void *data;
};

static void *run_task(void *data)
{
	const struct task *task = data;

	sc_self.busy++; /* for ever: whatever happens here is ours */
	return task->run(task->data);
}

bool sc_thread_start(void *(*run)(void *data), void *data)
{
	struct task *task = sc_arena_get(sizeof(*task));
	pthread_attr_t attributes;
	sigset_t all, old;
	pthread_t thread;
	int err;

	if (!task)
		return false;
	*task = (struct task){run, data};
	sigfillset(&all);
	SC_REAL(pthread_sigmask)(SIG_BLOCK, &all, &old);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	err = SC_REAL(pthread_create)(&thread, &attributes, run_task, task);
	pthread_attr_destroy(&attributes);
	SC_REAL(pthread_sigmask)(SIG_SETMASK, &old, NULL);
	return !err;
}
