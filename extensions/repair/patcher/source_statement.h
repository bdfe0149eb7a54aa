/* Source statement: the statement at a frame's line, of a file in C or in Python. */
#ifndef SC_EXTENSIONS_REPAIR_PATCHER_SOURCE_STATEMENT_H
#define SC_EXTENSIONS_REPAIR_PATCHER_SOURCE_STATEMENT_H

#include <stdbool.h>
#include "extensions/repair/patcher/python_source.h"
#include "reports/sources/source_lines.h"
#include "reports/sources/site.h"

struct sc_source_statement {
	struct sc_buf text; /* owned: in one line */
	bool is_python;
	struct sc_source_lines source;
	struct sc_python_source lines; /* of Python */
	size_t number;		       /* of Python: of the statement in them, from 0 */
};

/* False if it cannot be read. Close it in any case. */
bool sc_source_statement_open(struct sc_source_statement *at, struct sc_sources *s,
			      const struct sc_frame *frame);
void sc_source_statement_close(struct sc_source_statement *at);

#endif
