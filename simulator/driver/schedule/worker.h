/* Threads of the driver's own. */
#ifndef SIM_WORKER_H
#define SIM_WORKER_H

#include <stdbool.h>

/* Starts a thread, detached. It takes no asynchronous signals; faults in host functions that it
 * calls reach the application. */
bool sim_worker_start(void *(*work)(void *argument), void *argument);

#endif
