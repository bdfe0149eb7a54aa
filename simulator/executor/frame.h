/* Frames of functions that are called: made, ended, and the variables in them. */
#pragma once

#include "simulator/executor/warp.h"

#define EXEC_FRAME_ALIGN 16
#define EXEC_FRAMES_MOST ((size_t)64 << 20) /* bytes of the registers of a warp's frames */

/* The bytes of a thread that a kernel's frame needs. */
static inline uint32_t exec_frame_stride(const struct exec_kernel *k)
{
	return (k->local_bytes + EXEC_FRAME_ALIGN - 1) / EXEC_FRAME_ALIGN * EXEC_FRAME_ALIGN;
}

/* Begins with the kernel's frame, whose registers and local memory are given, all zero. */
void exec_frame_start(struct exec_warp *w, unsigned char *registers, unsigned char *local);

/* Gives back what calls have taken. */
void exec_frame_fini(struct exec_warp *w);

/* A frame for a call of the function by the running path; NULL: there is no room for it. */
struct exec_frame *exec_frame_new(struct exec_warp *w, const struct exec_kernel *function);

/* Ends a frame that no path is in. */
void exec_frame_free(struct exec_warp *w, struct exec_frame *frame);

/* Makes room for `bytes` more of local memory in the running path's frame, at *offset of the local
 * memory; false: there is none. */
bool exec_frame_extend(struct exec_warp *w, uint32_t bytes, uint32_t align, uint32_t *offset);

/* The place of a frame's variable in a lane's local memory. */
unsigned char *exec_frame_place(const struct exec_warp *w, const struct exec_frame *frame,
				unsigned lane, const struct exec_variable *variable);

/* A number that a call passes from the running path's frame, and the one that it gets back. */
uint64_t exec_frame_argument(const struct exec_warp *w, const struct exec_call *call,
			     uint32_t index, unsigned lane);
void exec_frame_set_result(struct exec_warp *w, const struct exec_call *call, unsigned lane,
			   uint64_t value);
