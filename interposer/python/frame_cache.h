/* Python: stacks of lines that the calling thread had before, known again by its frames.
 *
 * A stack of lines follows from the C stack below it, and of each frame from where it lies, its
 * code object, its instruction and its caller's place. So it is the same one if none of these
 * words differs and no code object died since: then another one could lie at its address. Reading
 * and hashing the lines takes ten times as long. Each thread has its own; not for signal handlers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/python/frame_reader.h"

/* True if the lines of `frame` and its callers above the C stack `below` are known: `id`. */
bool sc_python_frame_cache_find(const struct sc_python_reader *r, uint64_t frame, uint32_t below,
				uint32_t *id);
/* The lines of the `steps` frames from `frame` on have that id. Nothing is kept where it is not
 * known when code objects die (code_cache.h), or where a frame cannot be read. */
void sc_python_frame_cache_keep(const struct sc_python_reader *r, uint64_t frame, unsigned steps,
				uint32_t below, uint32_t id);
