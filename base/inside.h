/* Whether a path stays in a folder: no libc of the program's but for text, no heap. */
#pragma once

#include <stdbool.h>

/* True if `path`, a pattern of a file name (sc_options_expand) or "-", names something below
 * `folder`: relative to `from`, which is below it ("": the current folder), or absolute; without
 * "..", without variables of the environment, and without a symbolic link on the way or at the end,
 * as things stand. */
bool sc_inside(const char *folder, const char *from, const char *path);
