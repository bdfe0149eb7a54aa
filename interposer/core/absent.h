/* Names of libraries that are not there: the program must not find ours.
 *
 * This library exports functions of CUDA's libraries, of OpenMP's runtime and of others, before the
 * real ones. Where a library is not there, a weak reference to its function would be ours instead
 * of NULL, and a program that asks whether it may call it (`if (GOMP_parallel)`) would take the
 * other way. A name counts as absent if no loaded object but this one defines it, in whatever
 * version or scope. Functions of libc that only a newer one has are absent in the same way.
 */
#pragma once

#include <stdbool.h>
#include "interposer/core/loaded_object.h"

/* This library, which stays where it is; empty before sc_absent_begin. */
extern struct sc_loaded_object sc_absent_here;

/* Once, before the program begins: a sanitizer's runtime looks functions up while it is not ready
 * for calls of those that it replaces, which are the loader's, too. */
void sc_absent_begin(void);
/* Whether the name is exported here in place of another library's. Takes no lock. */
bool sc_absent_may_be(const char *name);
/* And nothing else defines it. */
bool sc_absent_is(const char *name);
