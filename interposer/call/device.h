/* The devices and the driver, written to the trace once the driver is initialised. */
#ifndef SC_INTERPOSER_CALL_DEVICE_H
#define SC_INTERPOSER_CALL_DEVICE_H

#include "interposer/call/call.h"

/* AFTER function of cuInit. */
void sc_device_describe(struct sc_call *call);
/* AFTER functions of cuProfilerStart and cuProfilerStop. */
void sc_device_profiler_started(struct sc_call *call);
void sc_device_profiler_stopped(struct sc_call *call);

#endif
