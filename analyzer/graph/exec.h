/* Executable graphs, by their ids. order/graph_launch.h has what launches do. */
#pragma once

#include "analyzer/graph/graph.h"
#include "base/hash.h"

struct sc_replay;

struct sc_exec {
	uint32_t id;
	struct sc_graph *graph; /* counted; NULL: its instantiation was not seen */
	struct sc_point last;	/* owned: the last launch (G-6) */
	uint64_t launched;	/* position of the last launch */
	uint64_t before;	/* of the one before, and its lane */
	uint32_t lane;
	unsigned grid;		  /* enum sc_grid: of all its kernels */
	uint32_t stream;	  /* of the last launch: rules/graph.c */
	uint64_t launches;	  /* rules/graph.c */
	struct sc_replay *replay; /* owned by rules/graph.c */
	UT_hash_handle hh;
};

struct sc_execs {
	struct sc_exec *by_id;	  /* owned */
	struct sc_clock *started; /* owned: what came before the current launch */
	size_t few;		  /* of sc_graph_is_crowded */
};

/* The executable graph of an id, or NULL. */
struct sc_exec *sc_exec_find(const struct sc_execs *all, uint32_t id);
/* The same, made if it is new. */
struct sc_exec *sc_exec_of(struct sc_execs *all, uint32_t id);
void sc_exec_forget(struct sc_execs *all, struct sc_exec *e, struct sc_clock_pool *pool);
void sc_execs_fini(struct sc_execs *all, struct sc_clock_pool *pool);
