/* Paths of a warp: dividing at branches, meeting at joins, waiting, ending. */
#include "simulator/executor/path.h"

#include "base/assert.h"

static uint32_t take_free(uint32_t *used)
{
	uint32_t index;

	sc_assert(~*used);
	index = (uint32_t)__builtin_ctz(~*used);
	*used |= UINT32_C(1) << index;
	return index;
}

static bool is_used(uint32_t used, unsigned index)
{
	return used >> index & 1;
}

static uint32_t new_path(struct exec_warp *w, const struct exec_instruction *next, uint32_t lanes,
			 int8_t join)
{
	uint32_t index = take_free(&w->used_paths);

	w->path[index] = (struct exec_path){.next = next, .lanes = lanes, .join = join};
	return index;
}

static void run_path(struct exec_warp *w, uint32_t index)
{
	w->current = index;
	w->next = w->path[index].next;
	w->active = w->path[index].lanes;
	w->state = EXEC_WARP_RUNS;
}

static void drop_path(struct exec_warp *w, uint32_t index)
{
	w->used_paths &= ~(UINT32_C(1) << index);
}

void exec_path_start(struct exec_warp *w, uint32_t lanes)
{
	w->live = lanes;
	w->used_paths = w->used_joins = 0;
	w->is_forced = 0;
	run_path(w, new_path(w, w->run->kernel->code, lanes, EXEC_NO_JOIN));
}

bool exec_path_resume(struct exec_warp *w)
{
	uint32_t index;

	for (uint32_t i = 1; i <= EXEC_LANES; i++) {
		index = (w->current + i) % EXEC_LANES;
		if (is_used(w->used_paths, index) && w->path[index].state == EXEC_PATH_READY) {
			run_path(w, index);
			return 1;
		}
	}
	w->state = w->live ? EXEC_WARP_WAITS : EXEC_WARP_ENDED;
	return 0;
}

/* Keeps what the warp has of the running path. */
static void store(struct exec_warp *w)
{
	w->path[w->current].next = w->next;
	w->path[w->current].lanes = w->active;
}

void exec_path_wait(struct exec_warp *w, enum exec_path_state state)
{
	store(w);
	w->path[w->current].state = (uint8_t)state;
	exec_path_resume(w);
}

void exec_path_wake(struct exec_warp *w, uint32_t path)
{
	w->path[path].state = EXEC_PATH_READY;
	if (w->state == EXEC_WARP_WAITS)
		w->state = EXEC_WARP_YIELDS;
}

/* Those that wait at joins go on without the others, for which they wait no longer. */
static void release_waiting(struct exec_warp *w)
{
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		struct exec_join *j = &w->join[i];

		if (!is_used(w->used_joins, i) || !j->arrived)
			continue;
		new_path(w, j->at, j->arrived, j->outer);
		j->expected &= ~j->arrived;
		j->arrived = 0;
	}
}

/* Lets other paths and warps have their turn. */
static void give_way(struct exec_warp *w)
{
	store(w);
	if (++w->rounds >= (w->polls ? EXEC_PATH_POLLS : EXEC_PATH_ROUNDS) ||
	    (w->polls && w->wrote)) {
		w->rounds = 0;
		release_waiting(w);
	}
	if (exec_path_resume(w))
		w->state = EXEC_WARP_YIELDS;
}

/* A loop: the instructions since its start count, and others get their turn now and then. */
static void count_loop(struct exec_warp *w, const struct exec_instruction *in)
{
	struct exec_run *r = w->run;
	uint64_t *done = &r->outcome->instructions;

	*done += (uint64_t)(in - in->target) + 1;
	if (r->launch->budget && *done > r->launch->budget)
		exec_fail(w, in, EXEC_NEVER_ENDS, (unsigned)__builtin_ctz(w->active), 0);
	if (--w->turns)
		return;
	if ((w->wrote || !w->polls) && ++w->slices < EXEC_PATH_SLICES) {
		w->turns = EXEC_PATH_TURNS;
		return;
	}
	if (r->launch->stop && atomic_load_explicit(r->launch->stop, memory_order_relaxed))
		exec_fail(w, in, EXEC_STOPPED, 0, 0);
	else
		give_way(w);
}

/* Both ways have lanes: they are paths of their own until the join. */
static void divide(struct exec_warp *w, const struct exec_instruction *in, uint32_t taken)
{
	struct exec_path *p = &w->path[w->current];
	int8_t join = p->join;

	if (in->join && ~w->used_joins && (join == EXEC_NO_JOIN || w->join[join].at != in->join)) {
		join = (int8_t)take_free(&w->used_joins);
		w->join[join] =
			(struct exec_join){.at = in->join, .expected = w->active, .outer = p->join};
		p->join = join;
	}
	new_path(w, in->target, taken, join);
	w->active &= ~taken;
	p->lanes = w->active;
}

void exec_path_branch(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t taken = exec_mask(w, in);

	if (!taken)
		return;
	if (taken == w->active)
		w->next = in->target;
	else
		divide(w, in, taken);
	if (in->target <= in)
		count_loop(w, in);
}

/* All lanes that the join still expects are there: they go on as one path. */
static uint32_t leave_join(struct exec_warp *w, int8_t index)
{
	const struct exec_join *j = &w->join[index];

	w->used_joins &= ~(UINT32_C(1) << index);
	/* The join around it may be at the same place: the path arrives there next. */
	return new_path(w, j->at, j->arrived, j->outer);
}

static bool is_complete(const struct exec_warp *w, int8_t index)
{
	return w->join[index].arrived == (w->join[index].expected & w->live);
}

void exec_path_join(struct exec_warp *w, const struct exec_instruction *in)
{
	int8_t index = w->path[w->current].join;

	if (index == EXEC_NO_JOIN || w->join[index].at != in)
		return;
	w->join[index].arrived |= w->active;
	drop_path(w, w->current);
	if (is_complete(w, index))
		run_path(w, leave_join(w, index));
	else
		exec_path_resume(w);
}

/* Joins that waited for nobody but lanes that have exited. */
static void release_joins(struct exec_warp *w)
{
	for (int8_t i = 0; i < EXEC_LANES; i++) {
		w->join[i].arrived &= w->live;
		if (!is_used(w->used_joins, (unsigned)i) || !is_complete(w, i))
			continue;
		if (w->join[i].arrived)
			leave_join(w, i);
		else
			w->used_joins &= ~(UINT32_C(1) << i);
	}
}

void exec_path_end(struct exec_warp *w, uint32_t lanes)
{
	w->live &= ~lanes;
	w->active &= ~lanes;
	if (!w->active)
		drop_path(w, w->current);
	else
		store(w);
	release_joins(w);
}

uint32_t exec_path_gather(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
			  uint32_t members)
{
	uint32_t here = mask, i;

	for (i = 0; i < EXEC_LANES; i++)
		if (is_used(w->used_paths, i) && w->path[i].state == EXEC_PATH_GATHERS &&
		    w->path[i].next == in + 1)
			here |= w->path[i].gathering;
	if ((here & members & w->live) != (members & w->live) && !w->is_forced) {
		w->path[w->current].gathering = mask;
		exec_path_wait(w, EXEC_PATH_GATHERS);
		return 0;
	}
	w->is_forced = 0;
	for (i = 0; i < EXEC_LANES; i++)
		if (is_used(w->used_paths, i) && w->path[i].state == EXEC_PATH_GATHERS &&
		    w->path[i].next == in + 1)
			w->path[i].state = EXEC_PATH_READY;
	return here;
}

bool exec_path_force(struct exec_warp *w)
{
	for (uint32_t i = 0; i < EXEC_LANES; i++)
		if (is_used(w->used_paths, i) && w->path[i].state == EXEC_PATH_GATHERS) {
			w->path[i].state = EXEC_PATH_READY;
			w->path[i].next--;
			w->is_forced = 1;
			run_path(w, i);
			return 1;
		}
	return 0;
}
