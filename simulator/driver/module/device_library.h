/* The device's library: functions that programs' PTX calls and that NVIDIA's linker adds
 * (libcudadevrt), as PTX. */
#ifndef SIM_DEVICE_LIBRARY_H
#define SIM_DEVICE_LIBRARY_H

#include <stdbool.h>

#include "simulator/driver/module/module.h"

/* True if one of these texts calls a function of the library. */
bool sim_device_library_is_used(const struct sim_text *texts);
/* Its text; `bytes` without the zero at the end. */
const char *sim_device_library_text(size_t *bytes);

#endif
