/* The tool's buffers and wishes (activity.h). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>
#include <cupti_activity.h>

struct sim_activity {
	pthread_mutex_t lock; /* of what follows; taken inside the driver's lock, or alone */
	CUpti_BuffersCallbackRequestFunc request;
	CUpti_BuffersCallbackCompleteFunc complete;
	uint8_t *buffer; /* the tool's; NULL: none */
	size_t size;
	size_t used;
	_Atomic size_t dropped;
	atomic_bool is_enabled[CUPTI_ACTIVITY_KIND_COUNT];
};

extern struct sim_activity sim_activity;

/* Gives the buffer back, if there is one. Called with its lock. */
void sim_activity_deliver(void);

/* Bytes of a record of that kind, 0 for kinds that are not recorded. */
size_t sim_activity_bytes(CUpti_ActivityKind kind);
