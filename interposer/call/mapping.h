/* Memory that is mapped at reserved addresses, and who may use it (P-12). */
#ifndef SC_INTERPOSER_CALL_MAPPING_H
#define SC_INTERPOSER_CALL_MAPPING_H

#include "interposer/call/call.h"

/* AFTER functions: they record new physical memory and its handle, and the access rights of each
 * device. */
void sc_mapping_made(struct sc_call *call);
void sc_mapping_created(struct sc_call *call); /* which may be the host's */
void sc_mapping_access(struct sc_call *call);
/* Tracking of mapping and unmapping. */
void sc_mapping_mapped(struct sc_call *call);
void sc_mapping_unmapped(struct sc_call *call);

#endif
