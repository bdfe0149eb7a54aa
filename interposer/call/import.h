/* Memory that others own: of other processes (P-11), of graphics APIs (W-6). */
#pragma once

#include "interposer/call/call.h"

/* HAND functions of an import: how large it is; the same, counted, since a further open of the same
 * memory gives the same address, and the last close ends it. */
void sc_import_size(struct sc_call *call);
void sc_import_open(struct sc_call *call);
void sc_import_close(struct sc_call *call);
/* AFTER function of a close. */
void sc_import_closed(struct sc_call *call);
/* AFTER function: memory is shared with another process from here on, of which nothing is seen. */
void sc_import_shared(struct sc_call *call);
/* AFTER functions: a handle of memory, or of an event, was given out or opened; that all processes
 * call it the same is said by its bytes. */
void sc_import_memory_given(struct sc_call *call);
void sc_import_memory_opened(struct sc_call *call);
void sc_import_pool_shared(struct sc_call *call);
void sc_import_pointer_given(struct sc_call *call);
void sc_import_pointer_opened(struct sc_call *call);
void sc_import_physical_given(struct sc_call *call);
void sc_import_physical_opened(struct sc_call *call);
void sc_import_event_given(struct sc_call *call);
void sc_import_event_opened(struct sc_call *call);
/* Of mapping and unmapping resources: the call's op is that of the first one, the others follow. */
void sc_import_graphics_first(struct sc_call *call);
void sc_import_graphics_rest(struct sc_call *call);
