/* Shard: "I/N", I from 1 to N. */
#include "extensions/ranks/ranks.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/message.h"
#include "cmds/check/check.h"
#include "cmds/inputs.h"

#define SHARDS_MOST 1000000
#define DIGITS	    7

/* A number from 1 to SHARDS_MOST, and what stands after it; 0: none. */
static uint32_t parse(const char **text)
{
	size_t digits = strspn(*text, "0123456789");
	unsigned long number = digits && digits <= DIGITS ? strtoul(*text, NULL, 10) : 0;

	*text += digits;
	return number <= SHARDS_MOST ? (uint32_t)number : 0;
}

/* Ends the tool with a sentence if the option is wrong; false: it is not given. */
static bool read_shard(const struct sc_options *o, uint32_t *index, uint32_t *count)
{
	const char *at = o->shard;

	if (!*o->shard)
		return false;
	*index = parse(&at);
	*count = *at++ == '/' ? parse(&at) : 0;
	if (!*count || *at || !*index || *index > *count)
		sc_die("shard=%s: expected I/N, such as 3/8: the third of eight parts", o->shard);
	return true;
}

void sc_shard_check(const struct sc_options *o)
{
	uint32_t index, count;

	read_shard(o, &index, &count);
}

void sc_shard_apply(struct sc_options *o, struct sc_inputs *in, struct sc_check *check,
		    const char *folder)
{
	uint32_t index, count;
	struct stat status;
	bool is_folder;

	if (!read_shard(o, &index, &count))
		return;
	sc_inputs_keep_shard(in, index, count);
	is_folder = !stat(folder, &status) && S_ISDIR(status.st_mode);
	if (!*o->summary &&
	    snprintf(o->summary, sizeof(o->summary), "%s/shard-%" PRIu32 "-of-%" PRIu32 ".scs",
		     is_folder ? folder : ".", index, count) >= (int)sizeof(o->summary))
		sc_die("shard: the name of %s is too long; --summary=FILE names the file", folder);
	check->is_shard = 1;
	sc_rank_set_add(&check->summary.shards, index, index);
	check->summary.shard_count = count;
}
