/* The state of the tool that watches (observe.h). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>

#define SIM_CALLBACKS CUPTI_DRIVER_TRACE_CBID_SIZE

struct sim_observer {
	atomic_bool is_taken;
	atomic_uint last_correlation;
	CUpti_CallbackFunc callback;
	void *userdata;
	atomic_bool is_enabled[SIM_CALLBACKS];
};

extern struct sim_observer sim_observer;
