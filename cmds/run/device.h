/* Device: whether a program runs on a GPU or on the simulated device. */
#pragma once

#include <stdbool.h>
#include "cmds/files/install.h"
#include "cmds/run/program.h"

/* Decides by option `device` (SC_RUN_*) and by what is there; true for the simulated device. A
 * program that cannot run on it ends the tool with a sentence that says what to do. */
bool sc_device_is_simulated(unsigned device, const struct sc_install *install,
			    const struct sc_program *program);

/* What the installed driver says. */
struct sc_gpu {
	bool has_driver;
	int version; /* 13000 is CUDA 13.0 */
	int devices;
};

/* Asks the driver in a process of its own; a driver that does not answer has no devices. Returns 0,
 * or -errno if it could not be asked. */
int sc_device_ask(struct sc_gpu *gpu);
