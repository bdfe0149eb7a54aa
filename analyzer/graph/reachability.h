/* The order inside a graph: which rows come before which.
 *
 * Rows are the nodes, by their places, and after them the ends of nodes that hold others. Naive
 * form: a search for a path for each question; here the transitive closure as bits, or chains
 * (chains.h) if the rows are too many. Where an edge does not wait for the end of the kernel it
 * leads from (G-8), a path is not enough: `early` has what is complete before a row touches memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "analyzer/graph/chains.h"
#include "analyzer/graph/node.h"

#define SC_GRAPH_ROWS_MAX  (UINT32_C(1) << 15) /* as bits, 128 MiB; more are cut into chains */
#define SC_GRAPH_EARLY_MAX (UINT32_C(1) << 14) /* three times 32 MiB */

struct sc_graph_rows {
	uint32_t count;
	uint32_t *order; /* owned: places in topological order; rows of ends are left out */
	uint64_t *leads; /* owned: bits; a row has those from which edges lead to it, or NULL */
	struct sc_chains *chains; /* owned: instead, or NULL */
	bool is_large;		  /* too large, and too wide: taken as ordered */
	uint64_t *early; /* owned: as `leads`, but complete; NULL if that is the same, or unknown */
	uint64_t *starts;      /* owned: the same before its code waits; NULL as `early` */
	struct sc_edges edges; /* owned; kept where some are programmatic */
	uint32_t *sorted;      /* owned: all rows, those first that lead to others; likewise */
	bool is_vague;	       /* too large: programmatic edges are taken as full ones */
};

static inline size_t sc_graph_words(const struct sc_graph_rows *r)
{
	return ((size_t)r->count + 63) / 64;
}

static inline bool sc_graph_bit(const struct sc_graph_rows *r, const uint64_t *bits, uint32_t from,
				uint32_t to)
{
	return bits[to * sc_graph_words(r) + from / 64] >> from % 64 & 1;
}

/* Row `to` of the bits gets all of row `from` of others, and with `is_whole` that row itself. */
void sc_graph_join_row(const struct sc_graph_rows *r, uint64_t *bits, uint32_t to,
		       const uint64_t *others, uint32_t from, bool is_whole);

/* Finds the order of nodes, and gives them rows; false if there is a cycle. */
bool sc_graph_rows_find(struct sc_graph_rows *r, struct sc_graph_node *nodes, uint32_t count);
void sc_graph_rows_fini(struct sc_graph_rows *r);

/* True if edges of whatever kind lead from one row to the other. */
static inline bool sc_graph_rows_lead(const struct sc_graph_rows *r, uint32_t from, uint32_t to)
{
	if (r->leads)
		return sc_graph_bit(r, r->leads, from, to);
	return r->is_large || sc_chains_reach(r->chains, from, to);
}

/* True if one row is complete before the other starts, and has not waited for anything yet. */
static inline bool sc_graph_rows_begun(const struct sc_graph_rows *r, uint32_t from, uint32_t to)
{
	return r->starts ? sc_graph_bit(r, r->starts, from, to) : sc_graph_rows_lead(r, from, to);
}

/* True if one row is complete before the other touches memory. */
static inline bool sc_graph_rows_before(const struct sc_graph_rows *r, uint32_t from, uint32_t to)
{
	return r->early ? sc_graph_bit(r, r->early, from, to) : sc_graph_rows_lead(r, from, to);
}
