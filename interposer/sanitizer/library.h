/* libsanitizer-public.so: found at run time where the user named it, in the loader's path, in the
 * toolkit, beside `compute-sanitizer`, or in Python's packages. */
#pragma once

#include <stdbool.h>
#include "interposer/sanitizer/api.h"

/* False if no library with all functions was found. `named`: the user's file, "" for none; then no
 * other is tried. Uses the loader: to be called with sc_self.busy raised. */
bool sc_sanitizer_find(struct sc_sanitizer_calls *calls, const char *named);
