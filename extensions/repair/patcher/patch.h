/* Patch: the edits of a plan as a unified diff of the sources. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_PATCH_H
#define SC_EXTENSIONS_REPAIR_PATCHER_PATCH_H

#include "extensions/repair/patcher/plan_texts.h"

/* Appends the diff of the edits that are plain lines of C, C++, CUDA or Python, with paths below
 * `directory` written relative to it; each edit that is not has a line beginning with "#" first. */
void sc_patch_write(struct sc_buf *out, struct sc_plan_texts *plan, const struct sc_report *r,
		    const char *directory);

#endif
