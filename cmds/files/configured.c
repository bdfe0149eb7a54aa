/* Configured: the file is read once more, and compared with the options that hold. */
#include "cmds/files/configured.h"

#include <stdlib.h>
#include <string.h>
#include "base/config.h"
#include "base/heap.h"

void sc_configured_init(struct sc_report *report, const struct sc_options *o)
{
	struct sc_options *file;

	if (!*o->config || !strcmp(o->config, "none"))
		return;
	report->config = o->config;
	report->config_options = sc_heap_xcalloc(SC_OPTIONS_MAX, sizeof(*report->config_options));
	file = sc_heap_xcalloc(1, sizeof(*file));
	sc_options_init(file);
	if (!sc_config_read(file, o->config, true, NULL, 0))
		for (int i = 0; sc_options_name(i); i++)
			if (file->is_given[i] && sc_options_are_same(file, o, i))
				report->config_options[report->config_option_count++] =
					sc_options_name(i);
	free(file);
}

void sc_configured_fini(struct sc_report *report)
{
	free(report->config_options);
}
