/* Fuzz target: bytes as STREAMCHECK_OPTIONS; what was understood survives print and parse. */
#include "base/option.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct sc_options o, back;
	static char printed[32 << 10], again[32 << 10];
	char message[48], expanded[64];
	char *text = strndup((const char *)data, bytes);

	if (!text)
		return 0;
	sc_options_init(&o);
	sc_options_init(&back);
	sc_options_parse(&o, text, message, sizeof(message));
	sc_options_expand(text, 4711, expanded, sizeof(expanded));
	if (sc_options_print(&o, printed, sizeof(printed)))
		abort();
	if (sc_options_parse(&back, printed, message, sizeof(message)) ||
	    sc_options_print(&back, again, sizeof(again)) || strcmp(printed, again))
		abort();
	free(text);
	return 0;
}
