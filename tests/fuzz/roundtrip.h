/* What fuzz targets expect of a trace: it reads twice alike, and its text form parses back. */
#ifndef SC_TESTS_FUZZ_ROUNDTRIP_H
#define SC_TESTS_FUZZ_ROUNDTRIP_H

#include "trace/reader.h"

/* Ends the program (abort) where the trace or its text form does not keep its promises. */
void roundtrip_check(struct sc_reader *r);

#endif
