/* Ranks: the traces of several processes compared before each is analyzed. */
#ifndef SC_CMDS_RANKS_H
#define SC_CMDS_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include "analyzer/finding/settings.h"
#include "base/option.h"
#include "base/vector.h"

struct sc_across;
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

/* Compares what these traces say of messages. One that cannot be read is left out; whoever analyzes
 * it says so. Nothing is compared if one comes through a pipe, which is said. */
void sc_ranks_compare(struct sc_ranks *r, const struct sc_options *o, char *const *paths,
		      size_t count);
/* A trace is analyzed: says so if it was not compared with itself for that reason. */
void sc_ranks_note(const struct sc_ranks *r, const struct sc_reader *reader, const char *path);
/* What was found out about operations of this trace; borrowed. */
const struct sc_remark *sc_ranks_of(struct sc_ranks *r, const char *path, size_t *count);
void sc_ranks_fini(struct sc_ranks *r);

#endif
