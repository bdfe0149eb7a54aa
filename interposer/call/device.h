/* The devices and the driver, written to the trace once the driver is initialised. */
#pragma once

#include "interposer/call/call.h"

/* AFTER function of cuInit. */
void sc_device_describe(struct sc_call *call);
/* AFTER functions of cuProfilerStart and cuProfilerStop. */
void sc_device_profiler_started(struct sc_call *call);
void sc_device_profiler_stopped(struct sc_call *call);
