/* The private table of functions that NVIDIA's static runtime asks the driver for first. The
 * simulated driver has none: the runtime then fails each call, so the trace says what is missing.
 */
#pragma once

/* What to hand out for the driver's function `symbol`, which was found to be `found`: ours for the
 * one that gives out tables, if the driver is simulated, else `found`. */
void *sc_export_table_serve(const char *symbol, void *found);
