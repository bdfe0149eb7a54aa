/* Fuzz target: bytes as a trace file. */
#include "tests/fuzz/roundtrip.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct sc_reader *r;
	char message[160];

	if (sc_reader_open_memory(&r, data, bytes, message, sizeof(message)))
		return 0;
	roundtrip_check(r);
	sc_reader_free(r);
	return 0;
}
