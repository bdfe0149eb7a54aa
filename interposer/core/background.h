/* Threads of the recorder's own. */
#pragma once

#include <stdbool.h>

/* Starts a thread in which nothing is recorded and no signal handled. False if there is none to be
 * had. Not from a signal handler, nor from inside libc. */
bool sc_background_start(void *(*run)(void *data), void *data);
