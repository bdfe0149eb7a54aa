/* Fuzz target: bytes as a trace file. */
#include "tests/fuzz/roundtrip.h"
#include "tests/fuzz/sealed_copy.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *trace = sealed_copy(data, bytes);
	struct sc_reader *r;
	char message[160];

	if (sc_reader_open_memory(&r, trace, bytes, message, sizeof(message))) {
		free(trace);
		return 0;
	}
	roundtrip_check(r);
	sc_reader_free(r);
	free(trace);
	return 0;
}
