/* The device's library: functions that programs' PTX calls and that NVIDIA's linker adds
 * (libcudadevrt), as PTX. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* True if a text calls a function of the library. */
bool sim_device_library_is_used(const char *text, size_t bytes);
/* Its text; `bytes` without the zero at the end. */
const char *sim_device_library_text(size_t *bytes);
