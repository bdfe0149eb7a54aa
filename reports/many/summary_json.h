/* Summary in JSON: what the processes of a run have together. */
#pragma once

#include "reports/json_writer.h"
#include "reports/many/summary.h"

/* What of a summary is put. */
struct sc_summary_scope {
	const char *directory; /* paths below it are relative to it; NULL = none */
	size_t findings_most;  /* the worst come first */
	size_t ranks_most;     /* of these findings so many with a list of all ranks */
};

/* Puts the object `together`. */
void sc_summary_put(struct sc_json *w, const struct sc_summary *s,
		    const struct sc_summary_scope *scope);
