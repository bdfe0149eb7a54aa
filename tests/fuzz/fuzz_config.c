/* Fuzz target: bytes as streamcheck.toml; refused with a line, or read, and read the same again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct sc_config_file file = {"f", "/w", true};
	static struct sc_options o, back;
	static char printed[256 << 10];
	char message[64] = "";
	int err;

	sc_options_init(&o);
	sc_options_init(&back);
	err = sc_config_parse(&o, &file, (const char *)data, bytes, message, sizeof(message));
	if (err && strncmp(message, "f:", 2) != 0)
		abort();
	/* what was understood survives the way to another process; that a default was written does
	 * not */
	if (sc_options_print(&o, printed, sizeof(printed)) ||
	    sc_options_parse(&back, printed, message, sizeof(message)))
		abort();
	memset(o.is_given, 0, sizeof(o.is_given));
	memset(back.is_given, 0, sizeof(back.is_given));
	if (memcmp(&o, &back, sizeof(o)) != 0)
		abort();
	return 0;
}
