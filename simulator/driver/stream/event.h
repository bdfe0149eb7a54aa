/* Events: the op that a record put into a stream, or nodes of a capture (rules E-1 to E-15). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "simulator/driver/graph/edges.h"
#include "simulator/driver/schedule/op.h"

struct sim_shared_event;

struct CUevent_st {
	CUcontext context;
	unsigned int flags;
	struct sim_op *record;		 /* counted; NULL: never recorded (E-3) */
	unsigned int refusals;		 /* NOT_READY answers since the last progress */
	uint64_t capture_id;		 /* not 0: last recorded in that capture (E-13) */
	struct sim_edges heads;		 /* then: the nodes that it stands for */
	struct sim_shared_event *shared; /* owned; of an interprocess event, or NULL */
};

/* A new event; of an interprocess one `shared` is taken over, or NULL if there was no memory. */
CUresult sim_event_new(CUevent *event, unsigned int flags, struct sim_shared_event *shared);

/* What a record of the event does when its turn comes. */
struct sim_work sim_event_record_work(CUevent event);

/* `op` follows the last record, whichever process made it. False when out of memory. */
bool sim_event_follow(struct sim_op *op, CUevent event);

/* The event stands for all work of a context so far, or later work of all its streams waits for it
 * (E-9). With the id of a green context, only the streams of that context count. */
CUresult sim_event_record_all(CUcontext handle, uint64_t green, CUevent event);
CUresult sim_event_hold_all(CUcontext handle, uint64_t green, CUevent event);

/* The event stands for that port of the kernel that the stream captured last (L-3, L-4). */
CUresult sim_event_capture_launch(CUevent event, CUstream stream, unsigned char port);

/* The event of a graph node was recorded by that op of a launch (G-9). */
void sim_event_set_record(CUevent event, struct sim_op *op);
