/* Textures: which memory the handles of texture and surface objects stand for.
 *
 * Handles are small numbers, and each context has its own, of textures and of surfaces. A handle
 * may come back after its object was destroyed, so an object is known by the record that made it.
 * Of objects that were destroyed the last `remembered` of each kind and context stay known.
 */
#pragma once

#include <stdbool.h>
#include "base/map.h"
#include "base/recall.h"
#include "base/vector.h"
#include "trace/reader.h"

struct sc_texture {
	uint64_t start; /* 0: its memory is not known */
	uint64_t bytes; /* 0: all of the allocation */
	uint64_t made;	/* sequence of the record that made it, + 1; 0: there is none */
};

/* Objects of one kind in a context, by handle. */
struct sc_texture_handles {
	struct sc_u64_map starts, bytes, made;
	struct sc_recall dead; /* the sequence of the op that destroyed the last one */
};

/* An empty one is all zero but for `remembered`. */
struct sc_textures {
	struct sc_u64_map places; /* context and kind → number + 1 */
	SC_VECTOR(struct sc_texture_handles) handles;
	size_t count;		/* objects that are alive */
	size_t remembered;	/* above 0 */
	struct sc_texture gone; /* the object that the last record destroyed */
};

/* Takes up TEXTURE and TEXTURE_DESTROY records. */
void sc_textures_note(struct sc_textures *t, const struct sc_record *r);
/* The object that has this handle now; false: none has. */
bool sc_textures_find(const struct sc_textures *t, bool is_surface, uint32_t context,
		      uint64_t handle, struct sc_texture *out);
/* The sequence of the op that destroyed the last object with this handle; NULL: none is known. */
const uint64_t *sc_textures_destroyed(const struct sc_textures *t, bool is_surface,
				      uint32_t context, uint64_t handle);
void sc_textures_fini(struct sc_textures *t);
