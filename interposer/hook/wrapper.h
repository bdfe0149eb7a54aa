/* The wrappers: functions that carry the driver's own names, generated from api.def.
 *
 * Programs that link libcuda reach them because this library is loaded first; dlsym and
 * cuGetProcAddress hand them out to all others.
 */
#pragma once

#include <stdbool.h>

/* The wrapper of a row; NULL if the row has no per-thread form. */
void *sc_wrapper_of(int row, bool per_thread);
