/* Paths of a warp: dividing at branches, meeting at joins, waiting, ending. */
#include "simulator/executor/path.h"

#include "base/assert.h"
#include "simulator/executor/frame.h"
#include "simulator/executor/job.h"
#include "simulator/executor/race.h"
#include "simulator/executor/watch.h"

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

static uint32_t new_path(struct exec_warp *w, struct exec_frame *frame,
			 const struct exec_instruction *next, uint32_t lanes, int8_t join)
{
	uint32_t index = take_free(&w->used_paths);

	w->path[index] =
		(struct exec_path){.next = next, .frame = frame, .lanes = lanes, .join = join};
	return index;
}

static void use_frame(struct exec_warp *w, struct exec_frame *frame)
{
	w->frame = frame;
	w->bank[EXEC_BANK_REGISTERS] = frame->registers;
	w->bank[EXEC_BANK_CONSTANTS] = frame->code->constants;
}

static void run_path(struct exec_warp *w, uint32_t index)
{
	w->current = index;
	w->next = w->path[index].next;
	w->active = w->path[index].lanes;
	if (w->frame != w->path[index].frame)
		use_frame(w, w->path[index].frame);
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
	use_frame(w, &w->stack.root);
	run_path(w, new_path(w, w->frame, w->run->kernel->code, lanes, EXEC_NO_JOIN));
}

bool exec_path_resume(struct exec_warp *w)
{
	uint32_t first = (w->current + 1) % EXEC_LANES, index;
	/* From the one after the current path on, and the current one at last. */
	uint32_t left =
		w->used_paths >> first | (uint32_t)((uint64_t)w->used_paths << (32 - first));

	for (; left; left &= left - 1) {
		index = (first + (uint32_t)__builtin_ctz(left)) % EXEC_LANES;
		if (w->path[index].state == EXEC_PATH_READY) {
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
	if (w->state != EXEC_WARP_WAITS)
		return;
	/* The path that ran last may wait for something else, or have ended. */
	run_path(w, path);
	w->state = EXEC_WARP_YIELDS;
}

/* Those that wait at joins, or have returned, go on without the others, for which they wait no
 * longer. */
static void release_waiting(struct exec_warp *w)
{
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		struct exec_join *j = &w->join[i];

		if (!is_used(w->used_joins, i) || !j->arrived)
			continue;
		new_path(w, j->frame, j->at, j->arrived, j->outer);
		j->expected &= ~j->arrived;
		j->arrived = 0;
	}
	for (struct exec_frame *f = w->stack.frames; f; f = f->older) {
		if (!f->arrived)
			continue;
		new_path(w, f->caller, f->next, f->arrived, f->join);
		f->expected &= ~f->arrived;
		f->arrived = 0;
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

static void spend(struct exec_warp *w, const struct exec_instruction *in, uint64_t count)
{
	const struct exec_launch *l = w->run->launch;
	uint64_t *done = &w->run->outcome->instructions;

	*done += count;
	if (l->budget && *done > l->budget)
		exec_fail(w, in, EXEC_NEVER_ENDS, (unsigned)__builtin_ctz(w->active), 0);
}

/* A loop: the instructions since its start count, and others get their turn now and then. */
static void count_loop(struct exec_warp *w, const struct exec_instruction *in,
		       const struct exec_instruction *target)
{
	spend(w, in, (uint64_t)(in - target) + 1);
	if (--w->turns)
		return;
	if ((w->wrote || !w->polls) && ++w->slices < EXEC_PATH_SLICES) {
		w->turns = EXEC_PATH_TURNS;
		return;
	}
	if (exec_launch_is_stopped(w->run->launch))
		exec_fail(w, in, EXEC_STOPPED, 0, 0);
	else
		give_way(w);
}

/* Calls without a loop end, but perhaps not soon. */
bool exec_path_count(struct exec_warp *w, const struct exec_instruction *in, uint64_t count)
{
	spend(w, in, count);
	if (exec_launch_is_stopped(w->run->launch))
		exec_fail(w, in, EXEC_STOPPED, 0, 0);
	return w->state == EXEC_WARP_RUNS;
}

void exec_path_divide(struct exec_warp *w, const struct exec_instruction *in,
		      const struct exec_instruction *target, uint32_t lanes)
{
	struct exec_path *p = &w->path[w->current];
	int8_t join = p->join;

	if (in->join && ~w->used_joins && (join == EXEC_NO_JOIN || w->join[join].at != in->join)) {
		join = (int8_t)take_free(&w->used_joins);
		w->join[join] = (struct exec_join){
			.at = in->join, .frame = w->frame, .expected = w->active, .outer = p->join};
		p->join = join;
	}
	new_path(w, w->frame, target, lanes, join);
	w->active &= ~lanes;
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
		exec_path_divide(w, in, in->target, taken);
	if (in->target <= in)
		count_loop(w, in, in->target);
}

/* The lanes for which the slot has the same value as for the first one. */
static uint32_t alike(const struct exec_warp *w, exec_slot slot, uint32_t lanes, uint32_t *value)
{
	const uint32_t *values = exec_lanes(w, slot);
	uint32_t same = 0;

	*value = values[__builtin_ctz(lanes)];
	for (unsigned i = 0; i < EXEC_LANES; i++)
		same |= values[i] == *value ? UINT32_C(1) << i : 0;
	return same & lanes;
}

void exec_path_jump(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t taken = exec_mask(w, in), same, index;

	if (!taken)
		return;
	if (taken != w->active)
		exec_path_divide(w, in, in + 1, w->active & ~taken);
	same = alike(w, in->slot[0], taken, &index);
	if (same != taken)
		exec_path_divide(w, in, in, taken & ~same);
	if (index >= in->value) {
		exec_fail(w, in, EXEC_INVALID_PC, (unsigned)__builtin_ctz(same), index);
		return;
	}
	w->next = in->targets[index];
	if (w->next <= in)
		count_loop(w, in, w->next);
}

/* All lanes that the join still expects are there: they go on as one path. */
static uint32_t leave_join(struct exec_warp *w, int8_t index)
{
	const struct exec_join *j = &w->join[index];

	w->used_joins &= ~(UINT32_C(1) << index);
	/* The join around it may be at the same place: the path arrives there next. */
	return new_path(w, j->frame, j->at, j->arrived, j->outer);
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
	for (uint32_t left = w->used_joins; left; left &= left - 1) {
		int8_t i = (int8_t)__builtin_ctz(left);

		w->join[i].arrived &= w->live;
		if (!is_complete(w, i))
			continue;
		if (w->join[i].arrived)
			leave_join(w, i);
		else
			w->used_joins &= ~(UINT32_C(1) << i);
	}
}

/* All lanes of a call that still can have returned: they go on as one path. */
static uint32_t leave_frame(struct exec_warp *w, struct exec_frame *f)
{
	uint32_t path = new_path(w, f->caller, f->next, f->arrived, f->join);

	exec_frame_free(w, f);
	return path;
}

/* Frames that waited for nobody but lanes that have exited; inner ones are younger. */
static void release_frames(struct exec_warp *w)
{
	struct exec_frame *f, *older;

	for (f = w->stack.frames; f; f = older) {
		older = f->older;
		if (f->arrived != (f->expected & w->live))
			continue;
		if (f->arrived)
			leave_frame(w, f);
		else
			exec_frame_free(w, f);
	}
}

/* The running path goes on without these lanes. */
static void leave_path(struct exec_warp *w, uint32_t lanes)
{
	w->active &= ~lanes;
	if (w->active)
		store(w);
	else
		drop_path(w, w->current);
}

void exec_path_end(struct exec_warp *w, uint32_t lanes)
{
	w->live &= ~lanes;
	leave_path(w, lanes);
	release_joins(w);
	release_frames(w);
}

void exec_path_call(struct exec_warp *w, struct exec_frame *frame)
{
	struct exec_path *p = &w->path[w->current];

	frame->next = w->next;
	frame->expected = w->active;
	frame->join = p->join;
	p->join = EXEC_NO_JOIN;
	p->frame = frame;
	use_frame(w, frame);
	w->next = frame->code->code;
}

/* Lanes that have returned are expected at no join of their frame. */
static void leave_joins(struct exec_warp *w, const struct exec_frame *frame, uint32_t lanes)
{
	for (uint32_t left = w->used_joins; left; left &= left - 1) {
		struct exec_join *j = &w->join[__builtin_ctz(left)];

		if (j->frame == frame)
			j->expected &= ~lanes;
	}
	release_joins(w);
}

void exec_path_return(struct exec_warp *w, uint32_t lanes)
{
	struct exec_frame *f = w->frame;

	f->arrived |= lanes;
	leave_path(w, lanes);
	if (w->used_joins)
		leave_joins(w, f, lanes);
	if (f->arrived == (f->expected & w->live))
		run_path(w, leave_frame(w, f));
	else if (!w->active)
		exec_path_resume(w);
}

/* The lanes of one frame have their registers in one bank. */
static bool gathers_at(const struct exec_warp *w, uint32_t path, const struct exec_instruction *in)
{
	const struct exec_path *p = &w->path[path];

	return is_used(w->used_paths, path) && p->state == EXEC_PATH_GATHERS && p->next == in + 1 &&
	       p->frame == w->frame;
}

/* The lanes that all these wait for. */
static uint32_t awaited(const struct exec_warp *w, const uint32_t *members, uint32_t lanes)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < EXEC_LANES; i++)
		all |= !(lanes >> i & 1) ? 0 : members ? members[i] : EXEC_ALL;
	return all & w->live;
}

/* These lanes and those of paths that wait here for lanes among them, or are awaited. */
static uint32_t with_others(const struct exec_warp *w, const struct exec_instruction *in,
			    const uint32_t *members, uint32_t lanes)
{
	uint32_t wanted = awaited(w, members, lanes);

	for (uint32_t i = 0; i < EXEC_LANES; i++)
		if (gathers_at(w, i, in) && (w->is_forced || w->path[i].gathering & wanted ||
					     awaited(w, members, w->path[i].gathering) & lanes))
			lanes |= w->path[i].gathering;
	return lanes;
}

uint32_t exec_path_gather(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
			  const uint32_t *members)
{
	uint32_t here = mask, more, i;

	if (mask == w->live) {
		w->is_forced = 0;
		exec_watch_meet(w);
		if (w->block->race)
			exec_race_meet(w);
		return mask;
	}
	while ((more = with_others(w, in, members, here)) != here)
		here = more;
	if (awaited(w, members, here) & ~here && !w->is_forced) {
		w->path[w->current].gathering = mask;
		exec_path_wait(w, EXEC_PATH_GATHERS);
		return 0;
	}
	w->is_forced = 0;
	for (i = 0; i < EXEC_LANES; i++)
		if (gathers_at(w, i, in) && w->path[i].gathering & here)
			w->path[i].state = EXEC_PATH_READY;
	exec_watch_meet(w);
	if (w->block->race)
		exec_race_meet(w);
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
