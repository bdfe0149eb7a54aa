/* What a warp has of frames: the registers and the local memory of functions that are called.
 *
 * All lanes of a path are in one frame. A frame holds a register bank of its own, and for each lane
 * a part of the thread's local memory, above that of its caller, so that addresses of a caller's
 * variables stay good in what it calls. Lanes that have returned wait for the others of the call,
 * as at a join. Included by warp.h; frame.h says what is done with frames.
 */
#pragma once

#include "simulator/executor/code/kernel.h"

struct exec_frame {
	const struct exec_kernel *code;
	unsigned char *registers;
	struct exec_frame *caller;	     /* NULL: the kernel's own frame */
	const struct exec_call *call;	     /* that made it */
	const struct exec_instruction *next; /* where the caller goes on */
	uint32_t expected;		     /* lanes that were called and have not gone on */
	uint32_t arrived;		     /* of these, those that have returned */
	uint32_t local_base, local_end;	     /* of the thread's local memory */
	int8_t join;			     /* of the caller's path */
	size_t capacity;		     /* bytes of registers */
	struct exec_frame *older;	     /* in the list of the stack */
};

/* The frames of a warp, and the local memory of its threads. */
struct exec_stack {
	struct exec_frame root;	   /* the kernel's */
	struct exec_frame *frames; /* owned; under way, the youngest first */
	struct exec_frame *spare;  /* owned */
	size_t frame_bytes;	   /* of both lists */
	unsigned char *local;	   /* of all lanes, one thread after the other */
	uint32_t local_stride;	   /* bytes from thread to thread */
	unsigned char *first;	   /* the block's memory, in which it begins */
};
