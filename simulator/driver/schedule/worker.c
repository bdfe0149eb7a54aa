/* Starting threads. */
#include "simulator/driver/schedule/worker.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

bool sim_worker_start(void *(*work)(void *argument), void *argument)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGTRAP, SIGILL, SIGFPE, SIGABRT};
	sigset_t blocked, old;
	pthread_attr_t attr;
	pthread_t thread;
	size_t i;
	int err;

	sigfillset(&blocked);
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, &old);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&thread, &attr, work, argument);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err == 0;
}
