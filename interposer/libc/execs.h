/* execve by its number: recorded as libc's function, but the call itself goes to the kernel
 * (unmap.h says why). */
#pragma once

#include <stdint.h>

/* Returns if it failed, as syscall() does. */
long sc_execs_call(const uint64_t *arguments);
