/* A launch that runs: its blocks one after the other, each block's warps in turn.
 *
 * A block runs until it ends. Only if all its warps keep looping does the next block begin beside
 * it, because they may wait for that block; from then on both take turns.
 */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/executor/executor.h"
#include "simulator/executor/frame.h"
#include "simulator/executor/path.h"
#include "simulator/executor/warp.h"

#define PATIENCE 64 /* rounds of a block in which every warp that can run only loops */

enum progress { ENDED, LOOPS, STUCK };

static const char *file_name(const struct sc_ptx *m, uint32_t number)
{
	for (size_t i = 0; number && i < m->files.count; i++)
		if (m->files.items[i].number == number)
			return m->names.items[m->files.items[i].name];
	return NULL;
}

void exec_fail(struct exec_warp *w, const struct exec_instruction *in, enum exec_result result,
	       unsigned lane, uint64_t address)
{
	struct exec_run *r = w->run;
	struct exec_outcome *o = r->outcome;
	const struct exec_kernel *k = w->frame->code;
	const struct sc_instruction *source = NULL;

	w->state = EXEC_WARP_ENDED;
	if (r->is_over)
		return;
	r->is_over = 1;
	o->result = result;
	o->address = address;
	memcpy(o->block, w->block->at, sizeof(o->block));
	o->thread[0] = exec_thread_x(w, lane);
	o->thread[1] = exec_thread_y(w, lane);
	o->thread[2] = exec_thread_z(w, lane);
	if (in->source < k->function->code.count)
		source = &k->function->code.items[in->source];
	if (source) {
		o->ptx_line = source->line;
		o->file = file_name(k->ptx, source->source_file);
		o->line = source->source_line;
	}
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
#include "simulator/executor/special.def"
#undef SPECIAL
		;
}

/* One piece of memory for the block, its warps, and what they have. */
static struct exec_block *new_block(struct exec_run *r)
{
	const struct exec_kernel *k = r->kernel;
	const struct exec_launch *l = r->launch;
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint32_t warps = (threads + EXEC_LANES - 1) / EXEC_LANES;
	size_t registers = round_up(k->register_bytes), specials = round_up(special_bytes());
	size_t local = round_up((size_t)exec_frame_stride(k) * EXEC_LANES);
	size_t shared = round_up((size_t)k->shared_bytes + l->dynamic_shared_bytes);
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
	b->shared_bytes = k->shared_bytes + l->dynamic_shared_bytes;
	b->shared = at += head;
	at += shared;
	for (uint32_t i = 0; i < warps; i++) {
		struct exec_warp *w = &b->warps[i];

		w->run = r;
		w->block = b;
		w->first_thread = i * EXEC_LANES;
		w->registers = at;
		w->bank[EXEC_BANK_SPECIALS] = at += registers;
		w->local = at += specials;
		at += local;
	}
	return b;
}

static void set_specials(struct exec_warp *w)
{
	uint32_t *lanes = (uint32_t *)w->bank[EXEC_BANK_SPECIALS];
	const struct exec_run *r = w->run;

#define SPECIAL(text, value)                      \
	for (uint32_t i = 0; i < EXEC_LANES; i++) \
		lanes[i] = (uint32_t)(value);     \
	lanes += EXEC_LANES;
#include "simulator/executor/special.def"
#undef SPECIAL
}

/* Registers, shared and local memory begin with zeros, so that one run is as the other. */
static void start_block(struct exec_block *b, uint64_t number)
{
	const struct exec_run *r = b->run;
	const struct exec_launch *l = r->launch;
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];

	b->at[0] = (uint32_t)(number % l->grid[0]);
	b->at[1] = (uint32_t)(number / l->grid[0] % l->grid[1]);
	b->at[2] = (uint32_t)(number / l->grid[0] / l->grid[1]);
	b->live = threads;
	memset(b->barriers, 0, sizeof(b->barriers));
	memset(b->shared, 0, b->shared_bytes);
	for (uint32_t i = 0; i < b->warp_count; i++) {
		struct exec_warp *w = &b->warps[i];
		uint32_t left = threads - w->first_thread;

		exec_frame_start(w, w->registers, w->local);
		set_specials(w);
		exec_path_start(w, left < EXEC_LANES ? (UINT32_C(1) << left) - 1 : EXEC_ALL);
	}
}

/* ---- running ---- */

static void run_warp(struct exec_warp *w)
{
	w->state = EXEC_WARP_RUNS;
	w->turns = EXEC_PATH_TURNS;
	w->polls = 0;
	while (w->state == EXEC_WARP_RUNS) {
		const struct exec_instruction *in = w->next++;

		in->run(w, in);
	}
}

/* A warp that can run: one that looped, or in which a path was woken. */
static bool can_run(struct exec_warp *w)
{
	return w->state == EXEC_WARP_RUNS || w->state == EXEC_WARP_YIELDS;
}

static bool take_turns(struct exec_block *b)
{
	bool has_run = 0;

	for (uint32_t i = 0; i < b->warp_count && !b->run->is_over; i++) {
		struct exec_warp *w = &b->warps[i];

		if (!can_run(w))
			continue;
		has_run = 1;
		run_warp(w);
	}
	return has_run;
}

/* No warp can run: lanes that never came together go on alone. */
static bool force_one(struct exec_block *b)
{
	for (uint32_t i = 0; i < b->warp_count; i++)
		if (b->warps[i].state == EXEC_WARP_WAITS && exec_path_force(&b->warps[i]))
			return 1;
	return 0;
}

static enum progress run_block(struct exec_block *b)
{
	uint32_t live = b->live, rounds = 0;

	while (b->live && !b->run->is_over) {
		if (!take_turns(b) && !force_one(b))
			return STUCK;
		rounds = live == b->live ? rounds + 1 : 0;
		live = b->live;
		if (rounds > PATIENCE)
			return LOOPS;
	}
	return ENDED;
}

static void report_stuck(struct exec_block *b)
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

static void free_block(struct exec_block *b)
{
	for (uint32_t i = 0; b && i < b->warp_count; i++)
		exec_frame_fini(&b->warps[i]);
	free(b);
}

/* The blocks that are under way, of which the first one has its turn. */
struct blocks {
	struct exec_block *first, *last;
};

static void append(struct blocks *q, struct exec_block *b)
{
	b->next = NULL;
	if (q->last)
		q->last->next = b;
	else
		q->first = b;
	q->last = b;
}

static struct exec_block *take(struct blocks *q)
{
	struct exec_block *b = q->first;

	q->first = b->next;
	if (!q->first)
		q->last = NULL;
	return b;
}

static bool is_stopped(const struct exec_run *r)
{
	return r->launch->stop && atomic_load_explicit(r->launch->stop, memory_order_relaxed);
}

/* Lets the first block run; true: it has ended, and its memory is free for another. */
static bool advance(struct exec_run *r, struct blocks *q, struct exec_block **spare)
{
	struct exec_block *b = take(q);
	enum progress progress = run_block(b);

	if (progress == STUCK)
		report_stuck(b);
	if (is_stopped(r) && !r->is_over)
		exec_fail(&b->warps[0], b->warps[0].frame->code->code, EXEC_STOPPED, 0, 0);
	if (progress == LOOPS && !r->is_over) {
		append(q, b);
		return 0;
	}
	if (!*spare)
		*spare = b;
	else
		free_block(b);
	return 1;
}

static bool begin(struct exec_run *r, struct blocks *q, struct exec_block **spare, uint64_t number)
{
	struct exec_block *b = *spare ? *spare : new_block(r);

	*spare = NULL;
	if (!b) {
		r->outcome->result = EXEC_NO_MEMORY;
		r->is_over = 1;
		return 0;
	}
	start_block(b, number);
	append(q, b);
	return 1;
}

static void run_blocks(struct exec_run *r)
{
	const uint32_t *grid = r->launch->grid;
	uint64_t count = (uint64_t)grid[0] * grid[1] * grid[2], next = 0;
	struct blocks q = {0};
	struct exec_block *spare = NULL;

	/* A block that only loops does not end: the next one begins. */
	while (!r->is_over && (next < count || q.first)) {
		if (next < count && !begin(r, &q, &spare, next++))
			break;
		while (q.first && !r->is_over)
			if (!advance(r, &q, &spare) && next < count)
				break;
	}
	while (q.first)
		free_block(take(&q));
	free_block(spare);
}

/* The image may be shorter than what the kernel reads, which then has zeros. */
static bool copy_params(struct exec_run *r)
{
	size_t bytes = r->launch->params_bytes;

	if (bytes > r->kernel->param_bytes)
		bytes = r->kernel->param_bytes;
	r->params = calloc(1, (size_t)r->kernel->param_bytes + 1);
	if (r->params && bytes)
		memcpy(r->params, r->launch->params, bytes);
	return r->params != NULL;
}

void exec_run(const struct exec_launch *launch, struct exec_outcome *outcome)
{
	struct exec_run r = {.launch = launch, .kernel = launch->kernel, .outcome = outcome};
	fenv_t before;

	*outcome = (struct exec_outcome){.result = EXEC_DONE};
	if (!copy_params(&r)) {
		outcome->result = EXEC_NO_MEMORY;
		return;
	}
	/* The thread may have the program's ways of rounding. */
	fegetenv(&before);
	fesetenv(FE_DFL_ENV);
	run_blocks(&r);
	fesetenv(&before);
	free(r.params);
	free(r.spans);
}
