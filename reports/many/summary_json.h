/* Summary in JSON: what the processes of a run have together. */
#ifndef SC_REPORTS_MANY_SUMMARY_JSON_H
#define SC_REPORTS_MANY_SUMMARY_JSON_H

#include "reports/json_writer.h"
#include "reports/many/summary.h"

/* Puts the object `together`. */
void sc_summary_put(struct sc_json *w, const struct sc_summary *s);

#endif
