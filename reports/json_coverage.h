/* Coverage in JSON: what a run was seen to do, for every format that carries JSON. */
#pragma once

#include "analyzer/analysis.h"
#include "reports/json_writer.h"

/* Writes the member "coverage" into the open object. */
void sc_json_coverage(struct sc_json *w, const struct sc_coverage *c);
