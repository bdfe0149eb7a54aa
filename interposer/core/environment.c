/* Variables of the environment: copies of what the process began with. */
#include "interposer/core/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/config.h"

static const char *const names[SC_VARIABLES] = {
	[SC_VARIABLE_OPTIONS] = "STREAMCHECK_OPTIONS",
	[SC_VARIABLE_COLLECT] = "STREAMCHECK_COLLECT",
	[SC_VARIABLE_TMPDIR] = "TMPDIR",
	[SC_VARIABLE_HOME] = "HOME",
	[SC_VARIABLE_TRITON_CACHE_DIR] = "TRITON_CACHE_DIR",
	[SC_VARIABLE_TRITON_HOME] = "TRITON_HOME",
	[SC_VARIABLE_TEXTS] = "STREAMCHECK_TEXTS",
	[SC_VARIABLE_ROOT] = "STREAMCHECK_ROOT",
};

/* "NAME=value"; empty: there was none. Not touched, and so no memory, where there was none. */
static char kept[SC_VARIABLES][SC_VARIABLE_BYTES];

void sc_environment_keep(void)
{
	for (int i = 0; i < SC_VARIABLES; i++) {
		const char *value = getenv(names[i]);

		if (!value || strlen(names[i]) + strlen(value) + 2 > SC_VARIABLE_BYTES)
			continue;
		strcpy(kept[i], names[i]);
		strcat(kept[i], "=");
		strcat(kept[i], value);
	}
}

const char *sc_environment_value(enum sc_environment_variable number)
{
	const char *value = getenv(names[number]);

	if (value || !kept[number][0])
		return value;
	return strchr(kept[number], '=') + 1;
}

int sc_environment_read_options(struct sc_options *out, char *message, size_t bytes)
{
	const char *text = sc_environment_value(SC_VARIABLE_OPTIONS);
	const char *collect = sc_environment_value(SC_VARIABLE_COLLECT);
	char said[448] = "";
	int err;

	if (!collect || !*collect)
		return sc_config_load(out, text, message, bytes);
	sc_options_init(out);
	err = text ? sc_options_parse(out, text, said, sizeof(said)) : 0;
	if (err)
		snprintf(message, bytes, "STREAMCHECK_OPTIONS: %s", said);
	return err;
}
