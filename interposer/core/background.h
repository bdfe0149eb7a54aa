/* Threads of the recorder's own. */
#ifndef SC_INTERPOSER_CORE_BACKGROUND_H
#define SC_INTERPOSER_CORE_BACKGROUND_H

#include <stdbool.h>

/* Starts a thread in which nothing is recorded and no signal handled. False if there is none to be
 * had. Not from a signal handler, nor from inside libc. */
bool sc_background_start(void *(*run)(void *data), void *data);

#endif
