/* Fuzz target: bytes as a text form; what parses must be a sound trace. */
#include "tests/fuzz/roundtrip.h"

#include <stdint.h>
#include <stdlib.h>
#include "trace/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct sc_text_script script;
	struct sc_reader *r;
	char message[80];

	if (sc_text_parse(&script, (const char *)data, bytes, message, sizeof(message)))
		return 0;
	if (sc_reader_open_memory(&r, script.trace, script.bytes, message, sizeof(message)))
		abort();
	roundtrip_check(r);
	sc_reader_free(r);
	sc_text_script_fini(&script);
	return 0;
}
