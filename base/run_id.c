/* Run id: the first launcher's variables that hold. */
#include "base/run_id.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MOST 18 /* of a number that fits */
#define JOB_BITS    16 /* of a number of Open MPI 4: which job of the run */

static const struct launcher {
	const char *name, *variable, *second, *rank, *no_id;
} launchers[] = {
#define SC_RUN_ID(name, variable, second, rank, no_id) {name, variable, second, rank, no_id},
#include "base/run_id.def"
#undef SC_RUN_ID
};

static bool is_number(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= DIGITS_MOST && !text[digits];
}

static bool has_rank(const struct launcher *l, int rank)
{
	const char *text = l->rank ? getenv(l->rank) : NULL;

	return !l->rank || (text && is_number(text) && strtoul(text, NULL, 10) == (unsigned)rank);
}

/* Processes that a rank spawns (MPI_Comm_spawn) are another job of the same run: PMIx names it
 * "…@2" instead of "…@1", Open MPI 4 by the low bits of a number. */
static void add_family(char *out, size_t room, const char *value)
{
	if (is_number(value))
		snprintf(out, room, "%llu", strtoull(value, NULL, 10) >> JOB_BITS);
	else
		snprintf(out, room, "%.*s", (int)strcspn(value, "@"), value);
}

static void make_plain(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

/* False if the launcher's variables do not hold. */
static bool add_id(char id[SC_RUN_ID_BYTES], const struct launcher *l, int rank)
{
	const char *value = getenv(l->variable), *second = l->second ? getenv(l->second) : NULL;
	int used;

	if (!value || !*value || (l->no_id && !strcmp(value, l->no_id)) ||
	    (l->second && (!second || !*second)) || !has_rank(l, rank))
		return 0;
	used = snprintf(id, SC_RUN_ID_BYTES, "%s ", l->name);
	if (!strcmp(l->variable, "PMIX_NAMESPACE"))
		add_family(id + used, SC_RUN_ID_BYTES - (size_t)used, value);
	else
		snprintf(id + used, SC_RUN_ID_BYTES - (size_t)used, "%s%s%s", value,
			 second ? "." : "", second ? second : "");
	make_plain(id);
	return 1;
}

void sc_run_id(char id[SC_RUN_ID_BYTES], int rank)
{
	*id = '\0';
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers) && rank >= 0; i++)
		if (add_id(id, &launchers[i], rank))
			return;
}
