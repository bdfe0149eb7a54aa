/* Executable graphs as the order sees them: launches of one are serialized (G-6), its event nodes
 * exchange orders with the outside (G-9), its host nodes are callbacks.
 *
 * A launch is an op of its stream. The nodes before a node that records an event form a part of the
 * launch that others may wait for: that part has a lane of its own.
 */
#ifndef SC_ANALYZER_GRAPH_EXEC_H
#define SC_ANALYZER_GRAPH_EXEC_H

#include <uthash.h>
#include "analyzer/graph/graph.h"

struct sc_order;
struct sc_step;
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
};

void sc_execs_fini(struct sc_order *o);
/* The executable graph of an id, or NULL. */
struct sc_exec *sc_exec_find(const struct sc_order *o, uint32_t id);
/* Takes an instantiation, or a node of one. */
void sc_exec_instantiate(struct sc_order *o, const struct sc_record *record);
void sc_exec_node(struct sc_order *o, const struct sc_record *record);
/* The launch as an op of its stream. */
void sc_exec_launch(struct sc_order *o, struct sc_step *step);
/* An upload comes after all earlier launches and before all later ones (G-7). */
void sc_exec_upload(struct sc_order *o, struct sc_step *step);
/* The handle was destroyed and nothing refers to its uses any more. */
void sc_exec_forget(struct sc_order *o, struct sc_exec *e);

#endif
