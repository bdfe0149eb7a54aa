/* Threads of the recorder's own: detached, with all signals blocked. */
#include "interposer/core/background.h"

#include <pthread.h>
#include <signal.h>
#include "interposer/core/arena.h"
#include "interposer/core/real.h"
#include "interposer/core/thread.h"

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

bool sc_background_start(void *(*run)(void *data), void *data)
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
