/* An operation on a rectangle in the buffer of guard_fixture.h. */
#pragma once

#include "tests/unit/interposer/guard_fixture.h"

/* A copy into a rectangle: 4 rows of 16 bytes, 64 bytes apart, from the start of the buffer on. */
static inline void copy_out_rows(struct sc_handle *in, uint64_t sequence)
{
	struct sc_access rows = {.base = address(0),
				 .width = 16,
				 .pitch = 64,
				 .rows = 4,
				 .slices = 1,
				 .mode = SC_WRITE,
				 .memory = SC_MEM_PINNED};
	struct sc_call call = {.stream = in, .stream_id = in->id, .sequence = sequence, .parts = 1};

	call.op = (struct sc_op){.kind = SC_OP_COPY,
				 .context = 1,
				 .dst_mem = SC_MEM_PINNED,
				 .src_mem = SC_MEM_DEVICE};
	call.part[0] = (struct sc_attachment){SC_ATTACH_ACCESSES, sizeof(rows), &rows};
	watch(&call);
}
