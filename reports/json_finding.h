/* A finding alone as JSON, as the report has it: for findings that are told while a program runs.
 */
#pragma once

#include "reports/json_writer.h"
#include "reports/report.h"

/* Puts a finding of the report's analysis. Its number is 0 until all findings are known. */
void sc_json_finding(struct sc_json *w, const char *key, const struct sc_report *r,
		     const struct sc_finding *f, uint64_t fingerprint);
