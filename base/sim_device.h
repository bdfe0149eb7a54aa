/* The name by which the simulated device calls itself; a trace has it, too. */
#ifndef SC_BASE_SIM_DEVICE_H
#define SC_BASE_SIM_DEVICE_H

#define SC_SIM_DEVICE_NAME "streamcheck simulated device"

#endif
