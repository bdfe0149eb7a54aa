/* Threads of the driver's own. */
#pragma once

#include <stdbool.h>

/* Starts a thread, detached. It takes no asynchronous signals; faults in host functions that it
 * calls reach the application. */
bool sim_worker_start(void *(*work)(void *argument), void *argument);
