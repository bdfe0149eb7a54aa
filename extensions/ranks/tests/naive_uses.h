/* Naive uses: uses of shared memory in a graph of what comes before what; two race unless a path
 * leads from one to the other. */
#pragma once

#include <stdbool.h>
#include "extensions/ranks/tests/story.h"

#define COMPARED_MOST 256 /* uses */
#define NODES_MOST    4096
#define EDGES_MOST    32768

struct naive_use {
	unsigned process, stream, first, count; /* blocks */
	bool is_write, is_known, is_covered;
	uint64_t sequence;
	unsigned start, end; /* nodes */
};

static struct {
	unsigned nodes, edges, into[NODES_MOST], process[NODES_MOST];
	struct {
		unsigned from, next;
	} edge[EDGES_MOST];
	unsigned host[RANKS]; /* the last of each */
	struct naive_use uses[COMPARED_MOST];
	unsigned use_count;
} graph;

static inline unsigned node(unsigned process)
{
	assert_true(graph.nodes + 1 < NODES_MOST);
	graph.process[++graph.nodes] = process;
	return graph.nodes;
}

static inline void edge(unsigned from, unsigned to)
{
	unsigned i = ++graph.edges;

	if (!from)
		return;
	assert_true(i < EDGES_MOST);
	graph.edge[i].from = from;
	graph.edge[i].next = graph.into[to];
	graph.into[to] = i;
}

/* The next thing that the host of a process does. */
static inline unsigned step(unsigned process)
{
	unsigned n = node(process);

	edge(graph.host[process], n);
	return graph.host[process] = n;
}

/* From `from` to `to`, or in one process only. */
static inline bool leads(unsigned from, unsigned to, bool is_local)
{
	static bool seen[NODES_MOST];
	static unsigned stack[NODES_MOST];
	unsigned depth = 0;

	memset(seen, 0, graph.nodes + 1);
	stack[depth++] = to;
	seen[to] = 1;
	while (depth) {
		unsigned n = stack[--depth];

		if (n == from)
			return 1;
		for (unsigned i = graph.into[n]; i; i = graph.edge[i].next) {
			unsigned next = graph.edge[i].from;

			if (seen[next] || (is_local && graph.process[next] != graph.process[n]))
				continue;
			seen[next] = 1;
			stack[depth++] = next;
		}
	}
	return 0;
}

static inline struct naive_use *new_use(void)
{
	assert_true(graph.use_count < COMPARED_MOST);
	return &graph.uses[graph.use_count++];
}

static inline bool is_race(const struct naive_use *a, const struct naive_use *b)
{
	return a->process != b->process && (a->is_write || b->is_write) &&
	       a->first < b->first + b->count && b->first < a->first + a->count &&
	       !leads(a->end, b->start, 0) && !leads(b->end, a->start, 0);
}
