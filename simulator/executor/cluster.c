/* Clusters: their blocks in turn, and what becomes of blocks that wait for each other. */
#include "simulator/executor/cluster.h"

#include <stdlib.h>

#include "simulator/executor/block.h"
#include "simulator/executor/watch.h"

/* Rounds in which no block ends, before others than the cluster's have their turn. */
#define PATIENCE 4

struct exec_cluster *exec_cluster_new(struct exec_run *run)
{
	struct exec_cluster *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->run = run;
	c->count = 1;
	for (unsigned d = 0; d < 3; d++)
		c->count *= exec_cluster_extent(run->launch, d);
	for (uint32_t i = 0; i < c->count; i++) {
		c->blocks[i] = exec_block_new(run);
		if (!c->blocks[i]) {
			exec_cluster_free(c);
			return NULL;
		}
	}
	c->watch = exec_watch_new(c);
	return c;
}

void exec_cluster_free(struct exec_cluster *c)
{
	for (uint32_t i = 0; c && i < c->count; i++)
		exec_block_free(c->blocks[i]);
	if (c)
		exec_watch_free(c->watch);
	free(c);
}

void exec_cluster_start(struct exec_cluster *c, uint64_t index)
{
	const struct exec_launch *l = c->run->launch;

	c->number = index * c->count;
	c->arrived = 0;
	for (unsigned d = 0; d < 3; d++) {
		uint32_t clusters = l->grid[d] / exec_cluster_extent(l, d);

		c->at[d] = (uint32_t)(index % clusters);
		index /= clusters;
	}
	for (uint32_t i = 0; i < c->count; i++)
		exec_block_start(c->blocks[i], c, i);
	exec_watch_start(c);
}

/* What the blocks of a cluster did in one round. */
struct round {
	uint32_t live;
	bool has_ended; /* any of them */
	bool only_polls;
};

static struct round take_turns(struct exec_cluster *c)
{
	struct round round = {.only_polls = 1};

	for (uint32_t i = 0; i < c->count; i++) {
		struct exec_block *b = c->blocks[i];
		enum exec_progress progress;

		if (!b->live)
			continue;
		progress = exec_block_run(b);
		round.live += progress != EXEC_ENDED;
		round.has_ended |= progress == EXEC_ENDED;
		round.only_polls &= progress != EXEC_LOOPS;
	}
	return round;
}

/* All warps of all blocks wait for each other. */
static bool is_stuck(const struct exec_cluster *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->blocks[i]->live && !exec_block_waits(c->blocks[i]))
			return 0;
	return 1;
}

/* Lanes that never came together go on alone; if there are none, the launch fails. */
static bool end_waiting(struct exec_cluster *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->blocks[i]->live && exec_block_force(c->blocks[i]))
			return 1;
	for (uint32_t i = 0; i < c->count; i++)
		if (c->blocks[i]->live)
			exec_block_report_stuck(c->blocks[i]);
	return 0;
}

enum exec_progress exec_cluster_run(struct exec_cluster *c)
{
	uint32_t patience = c->count > 1 ? PATIENCE : 1;

	for (uint32_t rounds = 0; rounds < patience;) {
		struct round round = take_turns(c);

		if (!round.live || exec_block_is_over(c->blocks[0]))
			return EXEC_ENDED;
		if (is_stuck(c) && !end_waiting(c))
			return EXEC_ENDED;
		if (!round.has_ended && ++rounds == patience)
			return round.only_polls ? EXEC_POLLS : EXEC_LOOPS;
	}
	return EXEC_ENDED;
}
