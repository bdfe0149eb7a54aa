/* Dialects: how calls that mend a finding are named and written in what the program is written in.
 */
#pragma once

#include <stdbool.h>
#include "reports/sources/site.h"

/* A call: its name in a sentence, and a line of code with `$` for the stream ("" if none is given).
 */
struct sc_dialect_call {
	const char *name, *code;
};

struct sc_dialect {
	const char *name;
	const char *module;  /* see dialect.def */
	const char *package; /* of Python, that code is written with; "" = none */
	const char *current; /* the stream that calls use where none is named; "" = the default */
	const char *default_stream;
	struct sc_dialect_call stream_sync, device_sync, record, wait, event_sync;
	const char *event;     /* how the event is made */
	const char *knowing;   /* how a kernel without PTX becomes known */
	const char *pool_call; /* what makes a pool wait for a stream; "" = nothing does */
	const char *pinned;    /* how a host buffer is pinned; "" = as rule 301 says it */
	const char *in_stream; /* how an operation is given the stream; "with …:" is around it */
	const char *blocking;  /* what else mends rule 201; "" = nothing */
};

/* The dialect of a program in which these two sites called CUDA; either may be empty. */
const struct sc_dialect *sc_dialect_of(const struct sc_report_site sites[2]);
/* Whether it is the driver's own, or the runtime's. */
bool sc_dialect_is_driver(const struct sc_dialect *d);
bool sc_dialect_is_runtime(const struct sc_dialect *d);
/* Whether the file is written in Python. */
bool sc_dialect_is_python(const char *file);
