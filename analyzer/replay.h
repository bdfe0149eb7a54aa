/* Replay: what the nodes of an executable graph use, kept from launch to launch.
 *
 * Naive form: each launch collects the uses of all its nodes, checks and remembers them. But
 * launches of one graph follow each other (G-6), so a later one does to memory what the one before
 * did, later: the touches that the histories still have of it become the new launch's by changing
 * the one note that they share. Only bytes that others touched in between are looked at again. A
 * replay costs a comparison per allocation that the graph uses, whatever the number of nodes.
 *
 * The uses are collected anew when a node got new parameters, or memory that they lead to began or
 * ended.
 */
#ifndef SC_ANALYZER_REPLAY_H
#define SC_ANALYZER_REPLAY_H

#include "analyzer/access.h"

struct sc_replay_use {
	struct sc_use use;
	uint32_t node;
	uint32_t group;
};

/* The uses of one allocation. */
struct sc_replay_group {
	struct sc_allocation *allocation; /* borrowed; valid while sc_replay_is_valid */
	uint64_t begun;			  /* its `sequence` */
	struct sc_address_range home, alias;
	uint64_t seen;	     /* changes of its history after the last launch */
	_Bool is_stale;	     /* others touched it since */
	uint32_t ways, left; /* bit per way of use; those not dealt with */
};

struct sc_replay {
	struct sc_graph *graph; /* counted */
	uint64_t graph_changes; /* that it was collected for */
	uint64_t memory_changes;
	SC_VECTOR(struct sc_replay_use) uses; /* in topological order of their nodes */
	SC_VECTOR(struct sc_replay_group) groups;
	struct sc_u64_map by_allocation; /* group + 1 */
	struct sc_note *note;		 /* counted; of the last launch, NULL before the first */
	uint64_t launches;
	_Bool is_clean; /* the last launch collided with nothing */
};

/* A use's mode and certainty as a bit. */
static inline uint32_t sc_replay_way(const struct sc_use *use)
{
	return UINT32_C(1) << (use->shape.mode + 5u * use->shape.known);
}

/* Collects the uses of all nodes;  */
struct sc_replay *sc_replay_new(struct sc_graph *g, struct sc_memory_map *m,
				struct sc_kernels *kernels);
void sc_replay_free(struct sc_replay *r, struct sc_memory_map *m);
/* True if the uses are still those of the graph's nodes. */
_Bool sc_replay_is_valid(struct sc_replay *r, const struct sc_graph *g, struct sc_memory_map *m);
/* Notes which groups others touched since the last launch. True if there is one. */
_Bool sc_replay_refresh(struct sc_replay *r);
/* True if others touched bytes of the use since the last launch. */
_Bool sc_replay_is_stale(const struct sc_replay *r, const struct sc_replay_use *use);
/* What is remembered now is the graph's own. */
void sc_replay_settle(struct sc_replay *r);

#endif
