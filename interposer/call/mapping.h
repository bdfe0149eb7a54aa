/* Memory that is mapped at reserved addresses, and who may use it (P-12). */
#pragma once

#include "interposer/call/call.h"

/* Tracking of mapping and unmapping. */
void sc_mapping_mapped(struct sc_call *call);
void sc_mapping_unmapped(struct sc_call *call);
