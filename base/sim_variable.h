/* Variables of the simulated device (sim_variable.def): which of them are slips of the keyboard. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether the device takes that value of STREAMCHECK_SIM_NAME, which there is. */
bool sc_sim_variable_takes(const char *name, const char *value);

/* False, with one sentence, if the environment has a variable STREAMCHECK_SIM_… that the device
 * does not know, or one with a value that it cannot have. */
bool sc_sim_variables_check(char *message, size_t bytes);
