/* Refusals of functions that this runtime does not have. */
#pragma once

#include <stdatomic.h>

/* Names the function on stderr the first time and answers cudaErrorNotSupported. */
int rt_unsupported(const char *name, atomic_flag *is_named);
