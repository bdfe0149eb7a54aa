/* Reproduction: a slice as a CUDA program, with the edit that ends the finding under -DFIXED. */
#pragma once

#include "extensions/repair/planner/edit.h"
#include "extensions/repair/reproducer/slice.h"
#include "reports/words/words.h"

/* Appends the program. `edit`: the planned edit that ends the finding, or NULL; `number`: the
 * finding's. Returns 0, or why the program cannot be written, appended to `why`. */
bool sc_reproduction_print(struct sc_buf *out, struct sc_buf *why, const struct sc_slice *slice,
			   struct sc_words *words, const struct sc_finding *f,
			   const struct sc_edit *edit);
