/* How many arguments a system call takes, where its command says so (futex, fcntl, prctl).
 *
 * Programs call these with as many as the command needs. The rest is what the registers had, often
 * an address that a kernel was given: opened, that memory would no longer be watched.
 */
#pragma once

#include <stdint.h>

#define SC_ARGUMENTS 6 /* most that a system call takes */

/* Of the arguments [0, SC_ARGUMENTS) at `a` the first so many count. */
unsigned sc_arguments_of(uint64_t number, const uint64_t *a);
