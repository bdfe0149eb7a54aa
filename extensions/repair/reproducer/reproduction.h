/* Reproduction: a slice as a CUDA program, with the edit that ends the finding under -DFIXED. */
#pragma once

#include "extensions/repair/planner/edit.h"
#include "extensions/repair/reproducer/slice.h"
#include "reports/words/words.h"

/* Appends the program; `edit` is the planned one that ends the finding, or NULL. False, with the
 * reason appended to `why`, if the program cannot be written. All but `out` and `why` is borrowed
 * for the call. */
bool sc_reproduction_print(struct sc_buf *out, struct sc_buf *why, const struct sc_slice *slice,
			   struct sc_words *words, const struct sc_finding *f,
			   const struct sc_edit *edit);
