/* Calls that end memory, or the program, by their numbers: what libc's functions of these names
 * record is recorded, and the call itself goes to the kernel.
 *
 * Never to libc's function: another library may come after ours that makes this very system call
 * for it (tcmalloc's mmap does), and would be called for ever.
 */
#ifndef SC_INTERPOSER_GUARD_ENDS_H
#define SC_INTERPOSER_GUARD_ENDS_H

#include <stdbool.h>
#include <stdint.h>

/* munmap, mremap, mmap; false for any other. The result is that of syscall(), errno included. */
bool sc_ends_call(long number, const uint64_t *arguments, long *result);
/* execve; returns if it failed, as syscall() does. */
long sc_ends_exec(const uint64_t *arguments);

#endif
