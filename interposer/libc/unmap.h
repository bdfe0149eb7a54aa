/* Calls that end memory, by their numbers: what libc's functions of these names record is recorded,
 * and the call itself goes to the kernel.
 *
 * Never to libc's function: another library may come after ours that makes this very system call
 * for it (tcmalloc's mmap does), and would be called for ever.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* munmap, mremap, mmap; false for any other. The result is that of syscall(), errno included. */
bool sc_unmap_call(long number, const uint64_t *arguments, long *result);
