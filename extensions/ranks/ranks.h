/* Ranks: the traces of several processes compared before each is analyzed, and the part of them
 * that one of several jobs analyzes (option shard).
 *
 * The core includes this header only, and is whole without the extension (-DSC_RANKS=OFF): each
 * trace is then judged by itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "analyzer/finding/settings.h"
#include "base/message.h"
#include "base/option.h"
#include "base/vector.h"

struct sc_across;
struct sc_check;
struct sc_inputs;
struct sc_reader;
struct sc_symbol_cache;

/* An empty one is all zero. */
struct sc_ranks {
	struct sc_across *across;	 /* owned; NULL: nothing was compared */
	SC_VECTOR(char *) paths;	 /* owned: of the compared traces */
	size_t next;			 /* where to look first */
	struct sc_symbol_cache *symbols; /* borrowed: names that traces share; NULL: none */
	bool has_pipe; /* one of several can be read only once, so none was compared */
};

#if SC_RANKS
/* Compares what these traces say of messages. One that cannot be read is left out; whoever analyzes
 * it says so. Nothing is compared if one comes through a pipe, which is said. */
void sc_ranks_compare(struct sc_ranks *r, const struct sc_options *o, char *const *paths,
		      size_t count);
/* A trace is analyzed: says so if it was not compared with itself for that reason. */
void sc_ranks_note(const struct sc_ranks *r, const struct sc_reader *reader, const char *path);
/* What was found out about operations of this trace; borrowed. */
const struct sc_remark *sc_ranks_of(struct sc_ranks *r, const char *path, size_t *count);
void sc_ranks_fini(struct sc_ranks *r);
/* Ends the tool with a sentence if the value of option shard is wrong. */
void sc_shard_check(const struct sc_options *o);
/* Keeps the traces of the shard that option shard names, and has the check write a summary: to the
 * file of option summary, else to shard-I-of-N.scs in `folder`. Nothing without the option. */
void sc_shard_apply(struct sc_options *o, struct sc_inputs *in, struct sc_check *check,
		    const char *folder);
#else
static inline void sc_ranks_compare(struct sc_ranks *r, const struct sc_options *o,
				    char *const *paths, size_t count)
{
	(void)r, (void)o, (void)paths, (void)count;
}

static inline void sc_ranks_note(const struct sc_ranks *r, const struct sc_reader *reader,
				 const char *path)
{
	(void)r, (void)reader, (void)path;
}

static inline const struct sc_remark *sc_ranks_of(struct sc_ranks *r, const char *path,
						  size_t *count)
{
	(void)r, (void)path;
	*count = 0;
	return NULL;
}

static inline void sc_ranks_fini(struct sc_ranks *r)
{
	(void)r;
}

static inline void sc_shard_check(const struct sc_options *o)
{
	if (*o->shard)
		sc_die("option shard: this streamcheck was built without SC_RANKS");
}

static inline void sc_shard_apply(struct sc_options *o, struct sc_inputs *in,
				  struct sc_check *check, const char *folder)
{
	(void)o, (void)in, (void)check, (void)folder;
}
#endif
