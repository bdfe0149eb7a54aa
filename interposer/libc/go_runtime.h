/* Code that goes into the kernel past the C library: Go's runtime, whose linker leaves a note.
 *
 * It hands memory of the program to system calls of its own, and ends the process by one.
 */
#pragma once

#include <link.h>
#include <stdbool.h>

/* True of a loaded file that holds Go's runtime: the program, or a library. */
bool sc_go_runtime_is_in(const struct dl_phdr_info *info);
/* True if the program itself does. */
bool sc_go_runtime_is_in_program(void);
