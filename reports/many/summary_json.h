/* Summary in JSON: what the processes of a run have together. */
#pragma once

#include "reports/json_writer.h"
#include "reports/many/summary.h"

/* Puts the object `together`. */
void sc_summary_put(struct sc_json *w, const struct sc_summary *s);
