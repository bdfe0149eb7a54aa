/* What fuzz targets expect of a trace: it reads twice alike, and its text form parses back. */
#pragma once

#include "trace/reader.h"

/* Ends the program (abort) where the trace or its text form does not keep its promises. */
void roundtrip_check(struct sc_reader *r);
