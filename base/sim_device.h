/* The name by which the simulated device calls itself; a trace has it, too. */
#pragma once

#define SC_SIM_DEVICE_NAME "streamcheck simulated device"
