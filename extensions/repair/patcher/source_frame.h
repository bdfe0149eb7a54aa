/* Source frame: where a function of C has to wait before a variable of its own ends. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_SOURCE_FRAME_H
#define SC_EXTENSIONS_REPAIR_PATCHER_SOURCE_FRAME_H

#include <stdbool.h>
#include "base/vector.h"
#include "reports/sources/source_lines.h"

struct sc_source_frame {
	SC_VECTOR(unsigned) ends; /* owned: lines (from 1) before which a wait stands */
};

/* Finds them for the statement at a line, which uses the variable, and a stream: each return after
 * it, and the bracket that ends the variable's block. False if the statement names no variable of
 * the function, or its block may be left in other ways. Finish it in any case. */
bool sc_source_frame_find(struct sc_source_frame *out, const struct sc_source_lines *l,
			  unsigned line, const char *stream);
void sc_source_frame_fini(struct sc_source_frame *f);

#endif
