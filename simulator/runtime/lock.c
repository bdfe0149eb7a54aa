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

/*
 * A child has none of the threads that may have held the lock. The parent does not take it before
 * the fork: a holder may be waiting for a lock of the driver, whose own preparation came first. All
 * lists under the lock are prepended to by one store, so the child finds them whole.
 */
static void reopen_in_child(void)
{
	static const pthread_mutex_t fresh = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

	mutex = fresh;
}

__attribute__((constructor)) static void watch_fork(void)
{
	pthread_atfork(NULL, NULL, reopen_in_child);
}
