/* Memory that is mapped at reserved addresses, and who may use it (P-12). */
#pragma once

#include "interposer/call/call.h"

/* AFTER functions: they record new physical memory and its handle, and the access rights of each
 * device. */
void sc_mapping_made(struct sc_call *call);
void sc_mapping_created(struct sc_call *call); /* which may be the host's */
void sc_mapping_access(struct sc_call *call);
/* Tracking of mapping and unmapping. */
void sc_mapping_mapped(struct sc_call *call);
void sc_mapping_unmapped(struct sc_call *call);
