/* Holds the runtime's one lock and keeps it usable across fork. */
#include "simulator/runtime/lock.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void rt_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void rt_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

/* The owner recorded in a recursive mutex is the parent's thread, so the child makes a new one. */
static void reopen_in_child(void)
{
	static const pthread_mutex_t fresh = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	mutex = fresh;
}

__attribute__((constructor)) static void watch_fork(void)
{
	pthread_atfork(rt_lock, rt_unlock, reopen_in_child);
}
