/* Frame list: the frames of one stack put together, lines of Python in the place of the
 * interpreter. */
#pragma once

#include <stdbool.h>
#include "analyzer/symbol/frame.h"
#include "base/arena.h"
#include "base/vector.h"

struct sc_frame_list {
	SC_VECTOR(struct sc_frame) frames; /* innermost first; the caller frees them */
	struct sc_arena *arena;
	const char *python; /* lines that are still to come */
	bool has_python, has_interpreter;
};

/* Begins a stack with these lines of Python (see sc_reader_stack_python), whose strings will be
 * copied into the arena. */
void sc_frame_list_begin(struct sc_frame_list *list, const char *python, struct sc_arena *arena);
/* Adds the next frame of C. */
void sc_frame_list_push(struct sc_frame_list *list, struct sc_frame frame);
/* Adds the lines of Python that are left. */
void sc_frame_list_end(struct sc_frame_list *list);
