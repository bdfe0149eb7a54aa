/* Configured: which options the file of options set, for the report. */
#pragma once

#include "base/option.h"
#include "reports/report.h"

/* Fills report->config and config_options: those that have the value from the file of member
 * `config`, as it is now; none where there is no such file. */
void sc_configured_init(struct sc_report *report, const struct sc_options *o);
void sc_configured_fini(struct sc_report *report);
