/* Replay: what the nodes of an executable graph use, kept from launch to launch.
 *
 * Naive form: each launch collects the uses of all its nodes, checks and remembers them. But
 * launches of one graph follow each other (G-6), so a later launch does to memory what the previous
 * one did: the touches that the histories still have of the previous launch become the new launch's
 * by changing the one note that they share. Only bytes that others touched in between are looked at
 * again. A replay costs a comparison per allocation that the graph uses, whatever the number of
 * nodes.
 *
 * Of a node that got new parameters the uses are collected anew, and all nodes look at its bytes
 * again, old and new ones; what it touched before stays with the last launch (sc_note_leave). All
 * uses are collected anew when memory that they lead to began or ended. Compared with the naive
 * form in tests/oracle/run_graphs.c.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/access/access.h"

struct sc_replay_use {
	struct sc_use use;
	uint32_t node; /* item of the graph */
	uint32_t group;
};

/* The uses of one place, consecutive in `uses`. */
struct sc_replay_part {
	uint32_t first, count;
	bool has_handles; /* it is a kernel that may use textures and surfaces by handles */
};

/* The uses of one allocation. */
struct sc_replay_group {
	struct sc_allocation *allocation; /* borrowed; valid while sc_replay_is_valid */
	uint64_t begun;			  /* its `sequence` */
	struct sc_address_range home, alias;
	uint64_t seen;		    /* changes of its history after the last launch */
	bool is_stale;		    /* others touched it since */
	uint32_t uses;		    /* without any, nothing else counts */
	SC_VECTOR(uint32_t) places; /* that use it; some no longer, or twice */
};

struct sc_replay {
	struct sc_graph *graph; /* counted */
	uint64_t memory_changes;
	SC_VECTOR(struct sc_replay_use) uses; /* of the parts, and others that count no more */
	struct sc_replay_part *parts;	      /* owned: of each place */
	uint32_t *rank;			      /* owned: of each place in topological order */
	uint64_t *marks;		      /* owned: of each place, the round that met it last */
	uint64_t rounds;		      /* a group was looked at so often */
	uint64_t *due; /* owned: of each place, the refresh that put it into `todo` last */
	uint64_t refreshes;
	size_t room; /* uses from which on those that count are moved together */
	SC_VECTOR(struct sc_replay_group) groups;
	struct sc_u64_map by_allocation; /* group + 1 */
	SC_VECTOR(uint32_t) renewed;	 /* places whose uses were collected anew for this launch */
	SC_VECTOR(uint32_t) stale;	 /* groups */
	SC_VECTOR(uint32_t) todo;	 /* ranks of places to look at again, in order */
	SC_VECTOR(uint32_t) ways;	 /* uses; of each way of use in each stale group one */
	struct sc_note *note;		 /* counted; of the last launch, NULL before the first */
	uint64_t launches;
	uint64_t rights_changes; /* rules/graph.c: with which the nodes were asked for rights */
	uint64_t words_version;	 /* and for words that streams wait for */
	uint64_t pieces_changes; /* and for pieces that went back to a pool, */
	uint64_t pieces_former;	 /* and of these for those whose addresses were in use again */
	uint32_t loads;	 /* place + 1 of a node that may use memory which nothing names, or 0 */
	bool has_mapped; /* some of the memory has several addresses (P-12) */
	bool is_clean;	 /* the last launch that was looked at in full collided with nothing */
};

/* Collects the uses of all nodes. */
struct sc_replay *sc_replay_new(struct sc_graph *g, struct sc_memory_map *m,
				struct sc_kernels *kernels);
void sc_replay_free(struct sc_replay *r, struct sc_memory_map *m);
/* True if the uses of the nodes that did not change are still theirs; the others are dropped. */
bool sc_replay_is_valid(struct sc_replay *r, const struct sc_graph *g, struct sc_memory_map *m);
/* Collects the uses of the nodes that changed, which is_valid dropped. Returns how many nodes. */
size_t sc_replay_renew(struct sc_replay *r, struct sc_memory_map *m, struct sc_kernels *kernels);
/* Notes what others touched since the last launch, or all if `is_full`, and the places that have
 * to look at it. True if there is any. */
bool sc_replay_refresh(struct sc_replay *r, bool is_full);
/* True if others touched bytes of the use since the last launch. */
bool sc_replay_is_stale(const struct sc_replay *r, const struct sc_replay_use *use);
/* What is remembered now is the graph's own. */
void sc_replay_settle(struct sc_replay *r);
