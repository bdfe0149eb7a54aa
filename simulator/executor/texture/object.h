/* Texture and surface objects by their handles. */
#pragma once

#include "simulator/executor/texture/texture.h"
#include "simulator/executor/warp.h"

/* The object that the lane names in slot 1; NULL: there is none of that kind, and the launch has
 * failed. */
const struct exec_texture *exec_object_find(struct exec_warp *w, const struct exec_instruction *in,
					    unsigned lane, bool is_surface);

/* The launch touches bytes of an array: so many from this offset in the level on. */
void exec_object_note(struct exec_warp *w, const struct exec_texture_level *level, uint64_t offset,
		      unsigned bytes, enum exec_use use);

/* What a query asks an object for. */
enum exec_query {
	EXEC_QUERY_WIDTH,
	EXEC_QUERY_HEIGHT,
	EXEC_QUERY_DEPTH,
	EXEC_QUERY_LAYERS,
	EXEC_QUERY_LEVELS,
	EXEC_QUERY_TYPE,
	EXEC_QUERY_ORDER,
	EXEC_QUERY_NORMALIZED
};

/* txq and suq: the answer goes to slot 0. */
void exec_object_query(struct exec_warp *w, const struct exec_instruction *in, bool is_surface,
		       enum exec_query query);
