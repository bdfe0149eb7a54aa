/* The barriers of a block and of a cluster: who has arrived, and whom the last one wakes. */
#include "simulator/executor/barrier.h"

#include "simulator/executor/path.h"
#include "simulator/executor/race.h"
#include "simulator/executor/watch.h"

/* The lanes of a waiting path that execute the instruction in which it waits. */
static uint32_t waiting_lanes(const struct exec_warp *w, const struct exec_path *path,
			      const struct exec_instruction *in)
{
	uint32_t guard;

	memcpy(&guard, exec_lanes(w, in->guard), sizeof(guard));
	return path->lanes & (guard ^ in->guard_flip);
}

static void deliver(struct exec_warp *w, const struct exec_path *path, const struct exec_barrier *b)
{
	const struct exec_instruction *in = path->next - 1;
	unsigned char *registers = w->bank[EXEC_BANK_REGISTERS];
	unsigned char *constants = w->bank[EXEC_BANK_CONSTANTS];

	if (!b->deliver || !path->votes)
		return;
	/* The path may be in another frame than the one that runs. */
	w->bank[EXEC_BANK_REGISTERS] = path->frame->registers;
	w->bank[EXEC_BANK_CONSTANTS] = path->frame->code->constants;
	b->deliver(w, in, waiting_lanes(w, path, in), b->for_it, b->voted);
	w->bank[EXEC_BANK_REGISTERS] = registers;
	w->bank[EXEC_BANK_CONSTANTS] = constants;
}

static void wake(struct exec_block *b, uint32_t barrier, const struct exec_barrier *ended)
{
	for (uint32_t i = 0; i < b->warp_count; i++) {
		struct exec_warp *w = &b->warps[i];

		for (uint32_t left = w->used_paths; left; left &= left - 1) {
			uint32_t k = (uint32_t)__builtin_ctz(left);

			if (w->path[k].state != EXEC_PATH_AT_BARRIER ||
			    w->path[k].barrier != barrier)
				continue;
			deliver(w, &w->path[k], ended);
			exec_watch_leave(w, barrier);
			if (w->block->race)
				exec_race_leave(w, barrier);
			exec_path_wake(w, k);
		}
	}
}

static bool is_complete(const struct exec_block *b, const struct exec_barrier *barrier)
{
	return barrier->arrived >= (barrier->expected ? barrier->expected : b->live);
}

static void end_phase(struct exec_block *b, uint32_t barrier)
{
	struct exec_barrier ended = b->barriers[barrier];

	b->barriers[barrier] = (struct exec_barrier){0};
	wake(b, barrier, &ended);
	exec_watch_end_phase(b, barrier);
	if (b->race)
		exec_race_end_phase(b, barrier);
}

void exec_barrier_arrive(struct exec_warp *w, uint32_t barrier, uint32_t lanes, uint32_t expected,
			 bool waits)
{
	struct exec_barrier *b = &w->block->barriers[barrier];
	bool is_whole = expected && lanes == w->live;

	b->arrived += is_whole ? EXEC_LANES : (uint32_t)__builtin_popcount(lanes);
	b->expected = expected;
	exec_watch_arrive(w, barrier);
	if (w->block->race)
		exec_race_arrive(w, barrier);
	if (is_complete(w->block, b)) {
		if (waits) {
			exec_watch_leave(w, barrier);
			if (w->block->race)
				exec_race_leave(w, barrier);
		}
		end_phase(w->block, barrier);
	} else if (waits) {
		w->path[w->current].barrier = (uint8_t)barrier;
		w->path[w->current].votes = 0;
		exec_path_wait(w, EXEC_PATH_AT_BARRIER);
	}
}

void exec_barrier_vote(struct exec_warp *w, const struct exec_instruction *in, uint32_t barrier,
		       uint32_t lanes, uint32_t expected, uint32_t for_it, exec_deliver *give)
{
	struct exec_barrier *b = &w->block->barriers[barrier];
	struct exec_path *path = &w->path[w->current];
	uint32_t voted, in_favour;

	b->deliver = give;
	b->voted += (uint32_t)__builtin_popcount(lanes);
	b->for_it += (uint32_t)__builtin_popcount(lanes & for_it);
	voted = b->voted;
	in_favour = b->for_it;
	exec_barrier_arrive(w, barrier, lanes, expected, 1);
	/* Either the path waits, or it was the last one. */
	path->votes = 1;
	if (!b->arrived)
		give(w, in, lanes, in_favour, voted);
}

/* ---- the cluster's ---- */

static uint32_t live_in(const struct exec_cluster *c)
{
	uint32_t live = 0;

	for (uint32_t i = 0; i < c->count; i++)
		live += c->blocks[i]->live;
	return live;
}

static void end_cluster_phase_if_complete(struct exec_cluster *c)
{
	static const struct exec_barrier nobody_votes = {0};

	if (!c->arrived || c->arrived < live_in(c))
		return;
	c->arrived = 0;
	exec_watch_end_phase(c->blocks[0], EXEC_CLUSTER_BARRIER);
	if (c->blocks[0]->race)
		exec_race_end_phase(c->blocks[0], EXEC_CLUSTER_BARRIER);
	for (uint32_t i = 0; i < c->count; i++) {
		for (uint32_t k = 0; k < c->blocks[i]->warp_count; k++)
			c->blocks[i]->warps[k].at_cluster = 0;
		wake(c->blocks[i], EXEC_CLUSTER_BARRIER, &nobody_votes);
	}
}

void exec_barrier_cluster_arrive(struct exec_warp *w, uint32_t lanes, bool is_relaxed)
{
	struct exec_cluster *c = w->block->cluster;

	if (is_relaxed)
		exec_watch_arrive_relaxed(w);
	else
		exec_watch_arrive(w, EXEC_CLUSTER_BARRIER);
	if (w->block->race && is_relaxed)
		exec_race_arrive_relaxed(w);
	else if (w->block->race)
		exec_race_arrive(w, EXEC_CLUSTER_BARRIER);
	c->arrived += (uint32_t)__builtin_popcount(lanes & ~w->at_cluster);
	w->at_cluster |= lanes;
	end_cluster_phase_if_complete(c);
}

void exec_barrier_cluster_wait(struct exec_warp *w, uint32_t lanes)
{
	if (!(lanes & w->at_cluster)) {
		exec_watch_leave(w, EXEC_CLUSTER_BARRIER);
		if (w->block->race)
			exec_race_leave(w, EXEC_CLUSTER_BARRIER);
		return;
	}
	w->path[w->current].barrier = EXEC_CLUSTER_BARRIER;
	w->path[w->current].votes = 0;
	exec_path_wait(w, EXEC_PATH_AT_BARRIER);
}

/* ---- exit ---- */

static void leave_cluster(struct exec_warp *w, uint32_t lanes)
{
	struct exec_cluster *c = w->block->cluster;

	c->arrived -= (uint32_t)__builtin_popcount(lanes & w->at_cluster);
	w->at_cluster &= ~lanes;
	end_cluster_phase_if_complete(c);
}

/* Ends the phases that only waited for threads that have exited. */
static void check_all(struct exec_block *b)
{
	for (uint32_t i = 0; i < EXEC_BARRIERS; i++)
		if (b->barriers[i].arrived && is_complete(b, &b->barriers[i]))
			end_phase(b, i);
}

void exec_barrier_exit(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t lanes = exec_mask(w, in);

	if (!lanes)
		return;
	w->block->live -= (uint32_t)__builtin_popcount(lanes);
	exec_path_end(w, lanes);
	check_all(w->block);
	leave_cluster(w, lanes);
	if (!w->active)
		exec_path_resume(w);
}
