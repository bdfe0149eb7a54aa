/* One CUDA call in the recorder: its parameters, what they mean, and the op that is written.
 *
 * hook/intercept.c fills it in and writes it, decoders and tracking.c take part. Nothing here knows
 * the table of rows.
 */
#pragma once

#include "base/assert.h"
#include "interposer/call/row.h"
#include "interposer/driver/cuda.h"
#include "interposer/object/handle.h"
#include "trace/writer.h"

#define SC_PARTS 4

struct sc_cell;
struct sc_recurring;

enum sc_stage {
	SC_STAGE_NONE,
	SC_STAGE_WATCH,
	SC_STAGE_ENTERED,
	SC_STAGE_SPAN,
	SC_STAGE_EXIT,
	SC_STAGE_NESTED,
	SC_STAGE_SITE /* entered by hook/site.c */
};

struct sc_call {
	const void *frame; /* of the wrapper; NULL: CUPTI reports the call */
	void *params;	   /* the row's parameter struct; a HAND function may replace values */
	const struct sc_api *api;
	uint8_t stage;	 /* enum sc_stage: what the exit has to do */
	bool per_thread; /* entered by a per-thread-default-stream symbol */
	int result;	 /* at the exit */
	int saved_errno;
	uint32_t parts;
	uint64_t sequence;	  /* of the op written at the entry */
	struct sc_handle *stream; /* resolved; NULL: none */
	struct sc_handle *object;
	uint32_t stream_id, object_id; /* of these two, when they were resolved */
	/* what the exit of a call that was entered by its site has to do, or NULL (hook/site.c) */
	void (*finish)(struct sc_call *call);
	unsigned changes; /* that its site rests on */
	uint8_t way;	  /* enum sc_site_way */
	bool asks_python; /* these two are of an allocation (hook/site_memory.c) */
	uint64_t sum;
	struct sc_recurring *recurring; /* what is freed, if it is one; or NULL */
	struct sc_cell *cell;		/* a host function's trampoline */
	struct sc_handle *function;	/* of a launch */
	struct sc_facts facts;
	struct sc_op op;
	struct sc_attachment part[SC_PARTS];
	union { /* room for replaced parameter structs */
		CUDA_HOST_NODE_PARAMS host_node;
		CUgraphNodeParams any_node;
	} replaced;
};

/* What the call is about; NULL: nothing. */
static inline void sc_call_set_stream(struct sc_call *call, struct sc_handle *stream)
{
	call->stream = stream;
	call->stream_id = stream ? stream->id : 0;
}
static inline void sc_call_set_object(struct sc_call *call, struct sc_handle *object)
{
	call->object = object;
	call->object_id = object ? object->id : 0;
}
static inline struct sc_handle_ref sc_call_stream(const struct sc_call *call)
{
	return (struct sc_handle_ref){call->stream, call->stream_id};
}
static inline struct sc_handle_ref sc_call_object(const struct sc_call *call)
{
	return (struct sc_handle_ref){call->object, call->object_id};
}

/* For HAND functions: adds an attachment (data must live until the op is written). */
static inline void sc_call_attach(struct sc_call *call, uint32_t type, const void *data,
				  uint32_t bytes)
{
	sc_assert(call->parts < SC_PARTS);
	if (call->parts < SC_PARTS)
		call->part[call->parts++] = (struct sc_attachment){type, bytes, data};
}

/* Room for `each` accesses of each of `count` things that a call does, until the op is written.
 * NULL if there is none: the trace then counts them as missing. */
struct sc_access *sc_call_room(size_t count, unsigned each);
/* Says in the trace that `count` of the things that a call does were not decoded. */
void sc_call_count_blind(const struct sc_call *call, uint64_t count);
