/* Chains: which rows of a large graph come before which, in far fewer words than a bit for each
 * two.
 *
 * Naive form: the transitive closure as a bit matrix (reachability.c uses it where it fits). Here
 * the rows are cut into chains, in which an edge leads from each row to the next one; a row knows
 * how far up each chain lies before it. A graph that streams were captured into has as many chains
 * as streams. Compared with the naive form in tests/unit/analyzer/test_chains.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SC_CHAINS_WORDS_MAX (UINT64_C(1) << 25) /* 128 MiB */

struct sc_chains {
	uint32_t count;
	uint32_t *chain;   /* owned: of each row */
	uint32_t *place;   /* owned: of each row in its chain, from 1 */
	uint32_t *reached; /* owned: rows × chains; the last place that comes before, 0: none */
};

/* When an edge out of a kernel lets the next one start (CUgraphKernelNodePort). */
enum sc_port { SC_PORT_COMPLETE, SC_PORT_TRIGGER, SC_PORT_BEGIN };

/* All edges by their target: those into row r are list[first[r]] up to list[first[r + 1]]. */
struct sc_edges {
	uint32_t *first;
	uint32_t *list;
	uint8_t *ports; /* enum sc_port of each */
};

/* `order` has the rows, those first that lead to others. NULL if it takes too many chains. */
struct sc_chains *sc_chains_new(uint32_t rows, const struct sc_edges *edges, const uint32_t *order);
void sc_chains_free(struct sc_chains *c);

static inline bool sc_chains_reach(const struct sc_chains *c, uint32_t from, uint32_t to)
{
	return c->reached[(uint64_t)to * c->count + c->chain[from]] >= c->place[from];
}
