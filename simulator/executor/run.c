/* A block that runs: its memory, its warps in turn, and how it fails. */
#include "simulator/executor/block.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/executor/frame.h"
#include "simulator/executor/job.h"
#include "simulator/executor/path.h"
#include "simulator/executor/race.h"
#include "simulator/executor/watch.h"

/* Rounds of a block in which every warp that can run only loops; and does nothing but poll. */
#define PATIENCE       64
#define POLL_PATIENCE  2
#define ZEROED_BYTES   256 /* that are set to zero in the time of an instruction of a warp */
#define RESERVED_BYTES 512 /* cooperative groups use 288 */

void exec_fail(struct exec_warp *w, const struct exec_instruction *in, enum exec_result result,
	       unsigned lane, uint64_t address)
{
	struct exec_run *r = w->run;
	struct exec_outcome outcome = {.result = result, .address = address}, *o = &outcome;
	const struct exec_kernel *k = w->frame->code;
	const struct sc_instruction *source = NULL;

	w->state = EXEC_WARP_ENDED;
	memcpy(o->block, w->block->at, sizeof(o->block));
	o->thread[0] = exec_thread_x(w, lane);
	o->thread[1] = exec_thread_y(w, lane);
	o->thread[2] = exec_thread_z(w, lane);
	if (in->source < k->function->code.count)
		source = &k->function->code.items[in->source];
	if (source) {
		o->ptx_line = source->line;
		o->file = exec_file_name(k->ptx, source->source_file);
		o->line = source->source_line;
	}
	exec_job_fail(r->job, w->block->cluster->number + w->block->rank, o);
}

/* ---- a block's memory ---- */

static size_t round_up(size_t bytes)
{
	return (bytes + 63) & ~(size_t)63;
}

static size_t special_bytes(void)
{
	return 0
#define SPECIAL(text, value) +EXEC_LANES * sizeof(uint32_t)
#include "simulator/executor/code/special.def"
#undef SPECIAL
		;
}

/* Where the shared memory is that cooperative groups of several warps use, of devices of sm_80 and
 * newer: after that of the kernel, while a GPU has it before. */
static uint32_t reserved_offset(const struct exec_run *r)
{
	return (r->kernel->shared_bytes + r->launch->dynamic_shared_bytes + 63) / 64 * 64;
}

static uint32_t shared_bytes(const struct exec_run *r)
{
	if (r->kernel->reserves)
		return reserved_offset(r) + RESERVED_BYTES;
	return r->kernel->shared_bytes + r->launch->dynamic_shared_bytes;
}

/* Those that are the same for all blocks that run in this memory. */
static void set_specials(struct exec_warp *w)
{
	uint32_t *lanes = (uint32_t *)w->bank[EXEC_BANK_SPECIALS];
	const struct exec_run *r = w->run;

#define SPECIAL(text, value)                      \
	for (uint32_t i = 0; i < EXEC_LANES; i++) \
		lanes[i] = (uint32_t)(value);     \
	lanes += EXEC_LANES;
#define BLOCK_SPECIAL(text, value) lanes += EXEC_LANES;
#include "simulator/executor/code/special.def"
#undef SPECIAL
}

/* Most have the same value as in the block before. */
static uint32_t *set_lanes(uint32_t *lanes, uint32_t value)
{
	if (*lanes != value)
		for (uint32_t i = 0; i < EXEC_LANES; i++)
			lanes[i] = value;
	return lanes + EXEC_LANES;
}

static void set_block_specials(struct exec_warp *w)
{
	uint32_t *lanes = (uint32_t *)w->bank[EXEC_BANK_SPECIALS];

#define SPECIAL(text, value)	   lanes += EXEC_LANES;
#define BLOCK_SPECIAL(text, value) lanes = set_lanes(lanes, value);
#include "simulator/executor/code/special.def"
#undef SPECIAL
}

struct exec_block *exec_block_new(struct exec_run *r)
{
	const struct exec_kernel *k = r->kernel;
	const struct exec_launch *l = r->launch;
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint32_t warps = (threads + EXEC_LANES - 1) / EXEC_LANES;
	size_t registers = round_up(k->register_bytes), specials = round_up(special_bytes());
	size_t local = round_up((size_t)exec_frame_stride(k) * EXEC_LANES);
	size_t shared = round_up(shared_bytes(r));
	size_t head = round_up(sizeof(struct exec_block) + warps * sizeof(struct exec_warp));
	unsigned char *at =
		aligned_alloc(64, head + shared + warps * (registers + specials + local));
	struct exec_block *b = (struct exec_block *)at;

	if (!b)
		return NULL;
	memset(b, 0, head);
	b->run = r;
	b->warps = (struct exec_warp *)(b + 1);
	b->warp_count = warps;
	b->shared_bytes = shared_bytes(r);
	b->shared = at += head;
	at += shared;
	memset(at, 0, warps * (registers + specials + local));
	for (uint32_t i = 0; i < warps; i++) {
		struct exec_warp *w = &b->warps[i];

		w->run = r;
		w->block = b;
		w->first_thread = i * EXEC_LANES;
		w->registers = at;
		w->bank[EXEC_BANK_SPECIALS] = at += registers;
		w->local = at += specials;
		at += local;
		set_specials(w);
	}
	return b;
}

/* What a block costs beside its loops, as instructions: its code once for each warp, and memory
 * that is set to zero. A launch of many small blocks uses its budget up as well. */
static uint64_t fixed_cost(const struct exec_block *b)
{
	const struct exec_kernel *k = b->run->kernel;
	uint64_t warp_bytes = k->register_bytes + (uint64_t)k->local_bytes * EXEC_LANES;

	return b->warp_count * (k->code_count + warp_bytes / ZEROED_BYTES) +
	       b->shared_bytes / ZEROED_BYTES;
}

/* Registers that are read first, shared and local memory begin with zeros, so that one run is as
 * the other. */
void exec_block_start(struct exec_block *b, struct exec_cluster *c, uint32_t rank)
{
	const struct exec_run *r = b->run;
	const struct exec_launch *l = r->launch;
	uint32_t threads = l->block[0] * l->block[1] * l->block[2], left = rank;

	b->cluster = c;
	b->rank = rank;
	for (unsigned d = 0; d < 3; d++) {
		uint32_t extent = exec_cluster_extent(l, d);

		b->in_cluster[d] = left % extent;
		b->at[d] = c->at[d] * extent + b->in_cluster[d];
		left /= extent;
	}
	b->live = threads;
	b->has_waited = 0;
	b->rounds = 0;
	memset(b->barriers, 0, sizeof(b->barriers));
	memset(b->shared, 0, b->shared_bytes);
	for (uint32_t i = 0; i < b->warp_count; i++) {
		struct exec_warp *w = &b->warps[i];
		uint32_t lanes = threads - w->first_thread;

		w->at_cluster = w->waited = 0;
		exec_frame_start(w, w->registers, w->local);
		set_block_specials(w);
		exec_path_start(w, lanes < EXEC_LANES ? (UINT32_C(1) << lanes) - 1 : EXEC_ALL);
	}
	exec_race_start(b);
	r->outcome->instructions += fixed_cost(b);
	if (l->budget && r->outcome->instructions > l->budget)
		exec_fail(&b->warps[0], r->kernel->code, EXEC_NEVER_ENDS, 0, 0);
}

void exec_block_free(struct exec_block *b)
{
	for (uint32_t i = 0; b && i < b->warp_count; i++)
		exec_frame_fini(&b->warps[i]);
	if (b)
		exec_race_drop(b);
	free(b);
}

/* ---- running ---- */

static void run_warp(struct exec_warp *w)
{
	w->state = EXEC_WARP_RUNS;
	w->turns = EXEC_PATH_TURNS;
	w->slices = 0;
	w->polls = w->wrote = 0;
	while (w->state == EXEC_WARP_RUNS) {
		const struct exec_instruction *in = w->next++;

		in->run(w, in);
	}
}

/* A warp that can run: one that looped, or in which a path was woken. */
static bool can_run(const struct exec_warp *w)
{
	return w->state == EXEC_WARP_RUNS || w->state == EXEC_WARP_YIELDS;
}

/* What the warps of a block did in one round. */
struct round {
	bool has_run;	 /* any of them */
	bool only_polls; /* all of them that ran */
};

bool exec_block_is_over(const struct exec_block *b)
{
	return exec_job_is_over(b->run->job, b->cluster);
}

static struct round take_turns(struct exec_block *b)
{
	struct round round = {.only_polls = 1};
	uint64_t seed = b->run->launch->seed;
	uint64_t number = b->cluster->number + b->rank;
	uint8_t order[EXEC_WARPS];

	if (seed)
		exec_job_shuffle(seed, number << 32 | ++b->rounds, b->warp_count, order);
	for (uint32_t i = 0; i < b->warp_count && !exec_block_is_over(b); i++) {
		struct exec_warp *w = &b->warps[seed ? order[i] : i];

		if (!can_run(w))
			continue;
		round.has_run = 1;
		run_warp(w);
		round.only_polls &= w->polls && !w->wrote;
	}
	return round;
}

bool exec_block_waits(const struct exec_block *b)
{
	for (uint32_t i = 0; i < b->warp_count; i++)
		if (can_run(&b->warps[i]))
			return 0;
	return 1;
}

bool exec_block_force(struct exec_block *b)
{
	for (uint32_t i = 0; i < b->warp_count; i++)
		if (b->warps[i].state == EXEC_WARP_WAITS && exec_path_force(&b->warps[i]))
			return 1;
	return 0;
}

void exec_block_report_stuck(struct exec_block *b)
{
	for (uint32_t i = 0; i < b->warp_count; i++) {
		struct exec_warp *w = &b->warps[i];
		const struct exec_path *p = &w->path[__builtin_ctz(w->used_paths | 1U << 31)];

		if (w->state != EXEC_WARP_WAITS || !w->used_paths)
			continue;
		w->frame = p->frame;
		exec_fail(w, p->next - 1, EXEC_NEVER_ENDS, (unsigned)__builtin_ctz(w->live), 0);
	}
}

enum exec_progress exec_block_run(struct exec_block *b)
{
	uint32_t live = b->live, rounds = 0, polls = 0;
	struct round round;

	while (b->live && !exec_block_is_over(b)) {
		round = take_turns(b);
		if (!round.has_run)
			return EXEC_POLLS;
		polls = round.only_polls && live == b->live ? polls + 1 : 0;
		rounds = live == b->live ? rounds + 1 : 0;
		live = b->live;
		if (polls >= POLL_PATIENCE)
			return EXEC_POLLS;
		if (rounds > PATIENCE)
			return EXEC_LOOPS;
	}
	exec_watch_end(b);
	exec_race_finish(b);
	return EXEC_ENDED;
}
