/* Stubs: what nvcc makes of a kernel for the host, so that no report takes it for the user's code.
 *
 * A launch k<<<…>>>() calls a host function with the kernel's name, which calls the stub
 * `__device_stub__` of the kernel's mangled name, for a template through a `__wrapper__`, and that
 * calls the runtime. An optimizing compiler inlines each of them or jumps there, so any of them may
 * be missing in a stack.
 */
#pragma once

#include <stdbool.h>

/* True for the name of a stub, demangled or not. */
bool sc_stub_is(const char *function);
/* True if the function is the host function of the stub's kernel; debug information has no more
 * than the last part of a local function's name. */
bool sc_stub_is_called_by(const char *stub, const char *function);
