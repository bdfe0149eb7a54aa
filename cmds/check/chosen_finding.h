/* Chosen finding: which finding of which trace a command is asked about. */
#pragma once

#include "cmds/check/loaded.h"

struct sc_chosen {
	const char *finding; /* its number in the report, its rule (SC-106) or its fingerprint */
	const char *trace;   /* NULL: the newest one */
};

/* Reads the words FINDING [TRACE], in either order; ends the tool if they are not that. */
void sc_chosen_read(struct sc_chosen *out, const char *command, int count, char **words);
/* The finding of the trace at `path`; ends the tool if there is none. Warns if a rule has several.
 */
const struct sc_finding *sc_chosen_find(const struct sc_loaded *l, const struct sc_chosen *chosen,
					const char *command, const char *path);
