/* Graphs: the nodes of an executable graph, and their order inside one launch (section 8).
 *
 * Naive form: all nodes of every launch as ops with explicit edges. Here the topology is fixed per
 * instantiation, so the order inside is found once (reachability.h); a launch is one op outside and
 * a row inside. Nodes of child graphs and bodies run between the start of the node that holds them
 * and its end, which has a row of its own. Compared with the naive form in tests/oracle.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/graph/lifetime.h"
#include "analyzer/graph/node.h"
#include "analyzer/graph/reachability.h"
#include "analyzer/clock/interval.h"
#include "base/vector.h"
#include "trace/reader.h"

#define SC_GRAPH_NODES_MAX (UINT32_C(1) << 17)

/* A node that records or waits for an event. */
struct sc_graph_event {
	uint32_t node;
	uint32_t lane;		/* of a record: complete up to a launch, the nodes before it are */
	struct sc_point covers; /* owned; of a wait: what it stood for at the last launch */
};

typedef SC_VECTOR(struct sc_graph_event) sc_graph_events;

struct sc_bygone;

/* What updates do not change: shared by a graph and those that replaced it. */
struct sc_topology {
	uint32_t refs;
	struct sc_graph_rows rows;
	struct sc_graph_lifetimes lives; /* of memory; known once sealed */
};

struct sc_graph {
	uint32_t refs;
	uint32_t id;
	uint64_t sequence; /* of the instantiation */
	struct sc_op made; /* the same */
	uint64_t flags;	   /* CUgraphInstantiate_flags */
	uint64_t promised; /* nodes that were said to follow, 0: not said */
	/* New parameters are a new item, after those that have a place: earlier launches keep their
	 * items. */
	SC_VECTOR(struct sc_graph_node) nodes;
	SC_VECTOR(uint32_t) changed;  /* places of fresh items */
	SC_VECTOR(uint32_t) retired;  /* items that the last launch had, and the next one has not */
	struct sc_bygone *bygones;    /* owned */
	uint32_t places;	      /* nodes that the graph has */
	uint32_t *current;	      /* owned: the item of each place, once sealed */
	bool is_sealed;		      /* was launched: nodes and edges are complete */
	bool is_broken;		      /* nodes are missing, or the edges make no sense */
	bool has_bodies;	      /* of conditional nodes */
	bool is_held;		      /* it may wait for something that is not followed */
	bool signals;		      /* it signals to another side, which is not seen (W-4) */
	bool has_new_code;	      /* a node runs another kernel than before */
	uint32_t executed;	      /* nodes whose bytes are known by execution */
	struct sc_topology *topology; /* counted */
	sc_graph_events records, waits;
	SC_VECTOR(uint32_t) callbacks; /* host nodes */
};

/* A new executable graph, count 1. */
struct sc_graph *sc_graph_new(const struct sc_record *instantiation);
static inline struct sc_graph *sc_graph_get(struct sc_graph *g)
{
	g->refs++;
	return g;
}
/* `pool` takes back the clocks of the graph's waits. */
void sc_graph_put(struct sc_clock_pool *pool, struct sc_graph *g);
/* Takes a node's record: a new node, or new parameters of a known one. */
void sc_graph_note(struct sc_graph *g, const struct sc_record *record);
/* A kernel touches these bytes from the launch to come on: what access/executed.h has by that
 * number, 0: not known. The graph is sealed; `is_first`: it was not launched before. */
void sc_graph_set_executed(struct sc_graph *g, uint32_t place, size_t executed, bool is_first);
/* The same of whether a node in a body ran. */
void sc_graph_set_run(struct sc_graph *g, uint32_t place, bool has_run, bool is_first);
/* No more nodes come: finds the order. False if the graph is broken. */
bool sc_graph_seal(struct sc_graph *g);
#define SC_GRAPH_OLD_FEW 256

/* True if the older parameters of its nodes are so many that it should be replaced: three for each
 * place, and SC_GRAPH_OLD_FEW; `few`: both are fewer in this proportion. */
bool sc_graph_is_crowded(const struct sc_graph *g, size_t few);
/* A graph that has what `g` is to launch next, count 1; `g` keeps what was launched, until nothing
 * refers to its launches, and is not launched again. It has no clocks of `g` but those of waits. */
struct sc_graph *sc_graph_replacement(struct sc_graph *g);
/* The changes so far are what the next launch has. Sealed, as what is replaced is. */
void sc_graph_settle(struct sc_graph *g);

/* What the node at a place does now. */
static inline struct sc_graph_node *sc_graph_at(const struct sc_graph *g, uint32_t place)
{
	return &g->nodes.items[g->current[place]];
}

/* True if x is complete before y starts, in one launch. */
static inline bool sc_graph_reaches(const struct sc_graph *g, uint32_t x, uint32_t y)
{
	return sc_graph_rows_before(&g->topology->rows, g->nodes.items[x].row,
				    g->nodes.items[y].row);
}
/* True if edges of whatever kind lead from x to y. */
static inline bool sc_graph_leads(const struct sc_graph *g, uint32_t x, uint32_t y)
{
	return sc_graph_rows_lead(&g->topology->rows, g->nodes.items[x].row, g->nodes.items[y].row);
}
/* The life that a place begins or ends, or NULL. */
static inline const struct sc_graph_lifetime *sc_graph_lifetime_of(const struct sc_graph *g,
								   uint32_t place)
{
	return sc_graph_lifetimes_of(&g->topology->lives, place);
}
/* The life of an arena that these bytes belong to when a node uses them, or NULL. */
static inline const struct sc_graph_lifetime *sc_graph_lifetime_at(const struct sc_graph *g,
								   uint32_t arena, uint32_t node,
								   uint64_t first, uint64_t end)
{
	return sc_graph_lifetimes_at(&g->topology->lives, &g->topology->rows, arena,
				     g->nodes.items[node].row, first, end);
}
/* The node by which the life is over, or not there yet, when another one uses it, or SC_NO_NODE. */
static inline uint32_t sc_graph_lifetime_misses(const struct sc_graph *g,
						const struct sc_graph_lifetime *life, uint32_t node)
{
	return sc_graph_lifetimes_miss(&g->topology->rows, life, g->nodes.items[node].row);
}
/* The nearest body of a conditional that holds the node at a place, as a key; *holder is the place
 * of the conditional. 0: none. */
uint64_t sc_graph_body_of(const struct sc_graph *g, uint32_t place, uint32_t *holder);
/* True if the two never run in one launch: they are in different bodies of one conditional. */
bool sc_graph_excludes(const struct sc_graph *g, uint32_t x, uint32_t y);
/* True if an event of the launch `x` shows that the node's work is complete at a point. */
bool sc_graph_covers(const struct sc_graph *g, uint32_t node, const struct sc_interval *x,
		     const struct sc_point *p);
