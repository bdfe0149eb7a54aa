/* Refusals of functions that this runtime does not have. */
#ifndef SIMULATOR_RUNTIME_UNSUPPORTED_H
#define SIMULATOR_RUNTIME_UNSUPPORTED_H

#include <stdatomic.h>

/* Names the function on stderr the first time and answers cudaErrorNotSupported. */
int rt_unsupported(const char *name, atomic_flag *is_named);

#endif
