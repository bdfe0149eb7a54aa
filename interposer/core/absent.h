/* Names of libraries that are not there: the program must not find ours.
 *
 * This library exports the functions of CUDA's libraries, of MPI, of OpenMP's runtime and of
 * others, before the real ones. Where a library is not there, a weak reference to its function
 * would be ours instead of NULL, and a program that asks whether it may call it (`if
 * (GOMP_parallel)`) would take the other way. Such references are set to NULL before the program
 * begins, and those of libraries that it loads at the next look-up (dlsym, dlopen, dlclose) after
 * that: constructors of a library that is loaded still find ours. A name counts as absent if no
 * loaded object but this one defines it, in whatever version or scope. Functions of libc that only
 * a newer one has are absent in the same way.
 */
#pragma once

#include <stdbool.h>

/* Whether the name is exported here in place of another library's. Takes no lock. */
bool sc_absent_may_be(const char *name);
/* Sets weak references to absent functions to NULL, of the objects that were loaded since the last
 * call. Keeps errno. */
void sc_absent_settle(void);
