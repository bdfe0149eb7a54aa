/* Memory that others own: of other processes (P-11), of graphics APIs (W-6). */
#pragma once

#include "interposer/call/call.h"

/* AFTER function: memory is shared with another process from here on, of which nothing is seen. */
void sc_import_shared(struct sc_call *call);
