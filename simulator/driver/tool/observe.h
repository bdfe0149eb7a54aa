/* A tool that watches the simulated driver: the part of CUPTI's callback API that the recorder
 * uses.
 *
 * The functions are exported under CUPTI's names with the prefix `simulated_`, so that no program
 * uses them by accident; a tool gets them from the driver itself. One subscriber; driver API domain
 * only. Each call gets a number (correlation id), which the work that it enqueues carries along.
 */
#pragma once

#include "simulator/driver/call.h"

struct sim_thread;

/* Around each exported function, without the driver's lock. */
void sim_observe_enter(struct sim_call *call, struct sim_thread *thread);
void sim_observe_leave(struct sim_call *call, CUresult result);
