/* Device: whether a program runs on a GPU or on the simulated device. */
#ifndef SC_CMDS_DEVICE_H
#define SC_CMDS_DEVICE_H

#include "cmds/install.h"
#include "cmds/program.h"

/* Decides by option `device` (SC_RUN_*) and by what is there; true for the simulated device. A
 * program that cannot run on it ends the tool with a sentence that says what to do. */
_Bool sc_device_is_simulated(unsigned device, const struct sc_install *install,
			     const struct sc_program *program);

#endif
