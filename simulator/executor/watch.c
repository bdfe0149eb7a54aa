/* Watching shared memory: clocks of warps, the last accesses to each word of shared memory, and
 * what collides. */
#include "simulator/executor/watch.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/executor/block.h"
#include "simulator/executor/race_words.h"

#define WORD	      4
#define READS	      2
#define BULK	      (UINT32_C(1) << 31)
#define BARRIERS_MOST 32 /* that count bytes of bulk copies; with more these are not watched */
#define PENDING_MOST  (EXEC_LANES * (READS + 1)) /* of an instruction; more are not told */
/* Blocks that are watched: it takes several times as long. */
#define WATCHED_FIRST 8
#define WATCHED_EACH  16
#define TIME_MOST     INT32_MAX /* what a warp does then is not watched */

/* The last access of a kind to a word. */
struct use {
	const struct sc_instruction *at;
	uint32_t time; /* of its warp; 0: there was none */
	uint8_t warp, lane;
	uint8_t bytes;	      /* bits: of the word */
	bool is_atomic : 1;   /* or volatile, or ordered */
	bool is_volatile : 1; /* of these: neither an atomic nor ordered */
};

struct cell {
	uint32_t number; /* of the block that used it last */
	uint32_t group;	 /* of asynchronous copies, that of the last write; 0: it is none; of bulk
			  * copies, BULK and its number */
	struct use write;
	struct use reads[READS];
};

/* A write that collides, before it has taken place. */
struct pending {
	struct use first, second;
	uint32_t offset;
	uint8_t bytes;
	bool first_writes, is_copy;
	bool must_change; /* it is none if it changes no bytes */
	unsigned char before[WORD];
};

struct exec_watch {
	struct exec_run *run;
	uint32_t number; /* of the block, from 1 */
	uint32_t warps;
	uint32_t clock[EXEC_WARPS][EXEC_WARPS]; /* [w][v]: what w knows of v; [w][w]: its time */
	uint32_t met[EXEC_WARPS];		/* before this time its lanes are ordered */
	uint32_t barriers[EXEC_ALL_BARRIERS][EXEC_WARPS];
	uint32_t open[EXEC_WARPS][EXEC_LANES]; /* group of the next copy, from 1 */
	uint32_t done[EXEC_WARPS][EXEC_LANES]; /* the last group that was waited for */
	bool is_copying;
	bool is_bulk;	       /* the running path writes by a bulk copy, */
	uint32_t bulks;	       /* the last one of so many, */
	uint32_t bulks_waited; /* and somebody has waited for these */
	struct {
		uint64_t offset; /* of a barrier */
		uint32_t bulk;	 /* the last one that it has counted */
	} counters[BARRIERS_MOST];
	uint32_t counter_count;
	struct exec_race_words words; /* by which its threads notify each other */
	struct pending pending[PENDING_MOST];
	unsigned pending_count;
	struct cell cells[];
};

struct exec_watch *exec_watch_new(const struct exec_run *r, uint32_t shared_bytes, uint32_t warps)
{
	size_t words = (shared_bytes + WORD - 1) / WORD;
	struct exec_watch *watch;

	if (!r->launch->hazards || !words || r->launch->cluster[0])
		return NULL;
	watch = calloc(1, sizeof(*watch) + words * sizeof(*watch->cells));
	if (!watch)
		return NULL;
	watch->run = (struct exec_run *)r;
	watch->warps = watch->words.width = warps;
	watch->words.near_most = (shared_bytes + EXEC_RACE_WORD_BYTES - 1) / EXEC_RACE_WORD_BYTES;
	return watch;
}

void exec_watch_free(struct exec_watch *watch)
{
	if (watch)
		exec_race_words_fini(&watch->words);
	free(watch);
}

/* The first blocks, some of the others, and the last one, which often has less to do. */
static bool is_watched(const struct exec_block *b)
{
	uint64_t number = b->cluster->number;
	const uint32_t *grid = b->run->launch->grid;

	return number < WATCHED_FIRST || number % WATCHED_EACH == 0 ||
	       number + 1 == (uint64_t)grid[0] * grid[1] * grid[2];
}

void exec_watch_start(struct exec_block *b)
{
	struct exec_watch *watch = b->spare_watch;

	b->watch = watch && is_watched(b) ? watch : NULL;
	if (!b->watch)
		return;
	watch->number++;
	memset(watch->clock, 0, sizeof(watch->clock));
	memset(watch->met, 0, sizeof(watch->met));
	memset(watch->barriers, 0, sizeof(watch->barriers));
	memset(watch->done, 0, sizeof(watch->done));
	watch->is_copying = watch->is_bulk = 0;
	watch->bulks = watch->bulks_waited = watch->counter_count = 0;
	for (uint32_t i = 0; i < watch->warps; i++) {
		for (unsigned k = 0; k < EXEC_LANES; k++)
			watch->open[i][k] = 1;
		watch->clock[i][i] = 1;
	}
	exec_race_words_fini(&watch->words);
	watch->pending_count = 0;
}

static void join(const struct exec_watch *watch, uint32_t *to, const uint32_t *from)
{
	exec_clock_join(to, from, watch->warps);
}

static unsigned index_of(const struct exec_warp *w)
{
	return w->first_thread / EXEC_LANES;
}

/* ---- what was found ---- */

static struct exec_hazard_side side_of(const struct exec_block *b, const struct use *u,
				       bool is_write)
{
	const struct exec_warp *w = &b->warps[u->warp];
	struct exec_hazard_side s = {.thread = {exec_thread_x(w, u->lane),
						exec_thread_y(w, u->lane),
						exec_thread_z(w, u->lane)},
				     .is_write = is_write,
				     .is_atomic = u->is_atomic,
				     .is_volatile = u->is_volatile};

	memcpy(s.block, b->at, sizeof(s.block));
	exec_hazard_set_place(&s, b->run->kernel, u->at);
	return s;
}

static uint32_t value_of(const unsigned char *bytes, unsigned count)
{
	uint32_t value = 0;

	memcpy(&value, bytes, count);
	return value;
}

/* `p` with what its second access has done. */
static void report(const struct exec_block *b, const struct pending *p, bool second_writes)
{
	struct exec_hazard h = {.side = {side_of(b, &p->first, p->first_writes),
					 side_of(b, &p->second, second_writes)},
				.offset = p->offset,
				.count = 1,
				.before = value_of(p->before, p->bytes),
				.after = value_of(b->shared + p->offset, p->bytes),
				.value_bytes = p->bytes};

	h.side[0].is_copy = p->is_copy;
	exec_hazards_add(&b->run->hazards, &h);
}

static void hold(struct exec_block *b, const struct pending *collision)
{
	struct exec_watch *watch = b->watch;
	struct pending *p = &watch->pending[watch->pending_count];

	if (watch->pending_count == PENDING_MOST)
		return;
	watch->pending_count++;
	*p = *collision;
	memcpy(p->before, b->shared + p->offset, p->bytes);
}

/* Writes have taken place. */
static void settle(struct exec_block *b)
{
	struct exec_watch *watch = b->watch;

	for (unsigned i = 0; i < watch->pending_count; i++) {
		const struct pending *p = &watch->pending[i];

		if (!p->must_change || memcmp(b->shared + p->offset, p->before, p->bytes) != 0)
			report(b, p, 1);
	}
	watch->pending_count = 0;
}

void exec_watch_end(struct exec_block *b)
{
	if (b->watch)
		settle(b);
}

/* ---- accesses ---- */

static bool is_ordered(const struct exec_watch *watch, const struct use *before,
		       const struct use *now)
{
	unsigned w = now->warp;

	if (before->warp != w)
		return before->time < watch->clock[w][before->warp];
	return before->lane == now->lane || before->time == now->time ||
	       before->time < watch->met[w];
}

static bool overlaps(const struct use *before, const struct use *now)
{
	return before->time && before->bytes & now->bytes;
}

static bool collides(const struct exec_watch *watch, const struct use *before,
		     const struct use *now)
{
	return overlaps(before, now) && !(before->is_atomic && now->is_atomic) &&
	       !is_ordered(watch, before, now);
}

/* The last write was an asynchronous copy for which its thread has not waited, or a bulk copy for
 * which nobody has. */
static bool is_under_way(const struct exec_watch *watch, const struct cell *c)
{
	if (c->group & BULK)
		return (c->group & ~BULK) > watch->bulks_waited;
	return c->group && c->group > watch->done[c->write.warp][c->write.lane];
}

static bool collides_with_write(const struct exec_watch *watch, const struct cell *c,
				const struct use *now)
{
	return overlaps(&c->write, now) &&
	       (is_under_way(watch, c) ||
		(!(c->write.is_atomic && now->is_atomic) && !is_ordered(watch, &c->write, now)));
}

static void write_word(struct exec_block *b, struct cell *c, const struct use *now, uint32_t offset,
		       unsigned bytes)
{
	struct exec_watch *watch = b->watch;

	for (unsigned i = 0; i < READS; i++) {
		if (collides(watch, &c->reads[i], now))
			hold(b, &(struct pending){c->reads[i], *now, offset, (uint8_t)bytes,
						  .first_writes = 0});
		if (!(c->reads[i].bytes & ~now->bytes))
			c->reads[i].time = 0;
	}
	if (collides_with_write(watch, c, now))
		hold(b, &(struct pending){c->write, *now, offset, (uint8_t)bytes, .first_writes = 1,
					  .is_copy = is_under_way(watch, c),
					  .must_change = !c->write.is_atomic && !now->is_atomic &&
							 !is_under_way(watch, c)});
	c->write = *now;
	c->group = 0;
	if (watch->is_bulk)
		c->group = BULK | watch->bulks;
	else if (watch->is_copying)
		c->group = watch->open[now->warp][now->lane];
}

/* Which earlier read is worth less than this one: reads of two lanes, or better of two warps, tell
 * of each later write whether it collides with one. */
static struct use *read_to_replace(const struct exec_watch *watch, struct cell *c,
				   const struct use *now)
{
	struct use *first = &c->reads[0], *second = &c->reads[1];

	for (struct use *u = first; u <= second; u++) {
		if (!u->time)
			return u;
		if (u->warp != now->warp ? is_ordered(watch, u, now)
					 : u->lane == now->lane || (u->time != now->time &&
								    is_ordered(watch, u, now)))
			return u;
	}
	return first->warp == second->warp && first->warp != now->warp ? second : NULL;
}

static void read_word(struct exec_block *b, struct cell *c, const struct use *now, uint32_t offset,
		      unsigned bytes)
{
	struct use *kept = read_to_replace(b->watch, c, now);

	if (collides_with_write(b->watch, c, now)) {
		struct pending p = {c->write,
				    *now,
				    offset,
				    (uint8_t)bytes,
				    .first_writes = 1,
				    .is_copy = is_under_way(b->watch, c)};

		memcpy(p.before, b->shared + offset, bytes);
		report(b, &p, 0);
	}
	if (kept)
		*kept = *now;
}

/* Bytes of a lane's access, which is aligned: in one word, or whole words. */
static inline void use_words(struct exec_block *b, struct use *now, uint32_t offset, unsigned bytes,
			     bool is_write)
{
	struct exec_watch *watch = b->watch;
	unsigned part = bytes < WORD ? bytes : WORD;
	struct cell *c = &watch->cells[offset / WORD];

	now->bytes = (uint8_t)(((1U << part) - 1) << offset % WORD);
	for (uint32_t end = offset + bytes; offset < end; offset += WORD, c++) {
		if (c->number != watch->number)
			*c = (struct cell){.number = watch->number};
		if (is_write)
			write_word(b, c, now, offset, part);
		else
			read_word(b, c, now, offset, part);
	}
}

/* Atomics of one word of each lane: nothing else has used most of these words. */
static void count_words(struct exec_block *b, struct use *now, uint32_t lanes,
			const uint64_t *address)
{
	struct exec_watch *watch = b->watch;

	now->bytes = (1U << WORD) - 1;
	for (; lanes; lanes &= lanes - 1) {
		uint32_t offset = (uint32_t)(address[__builtin_ctz(lanes)] & EXEC_OFFSET_MASK);
		struct cell *c = &watch->cells[offset / WORD];

		now->lane = (uint8_t)__builtin_ctz(lanes);
		if (c->number == watch->number && c->write.is_atomic &&
		    !(c->reads[0].time | c->reads[1].time | c->group))
			c->write = *now;
		else
			use_words(b, now, offset, WORD, 1);
	}
}

/* ---- words that order threads ---- */

static void learn(struct exec_watch *watch, unsigned w, const uint32_t *clock)
{
	if (clock[w] > watch->met[w])
		watch->met[w] = clock[w];
	join(watch, watch->clock[w], clock);
}

/* The lanes read words by which threads notify each other before they go on. */
static void read_notices(struct exec_watch *watch, unsigned w, uint32_t lanes,
			 const uint64_t *address, uint64_t mask)
{
	const struct exec_race_notice *last = NULL;

	for (; lanes; lanes &= lanes - 1) {
		const struct exec_race_notice *n =
			exec_race_words_find(&watch->words, address[__builtin_ctz(lanes)] & mask);

		if (!n || n == last)
			continue;
		last = n;
		if (!exec_race_knows(watch->clock[w], n))
			learn(watch, w, n->clock);
		else if (n->clock[w] > watch->met[w])
			watch->met[w] = n->clock[w];
	}
}

/* They have written such words. False: out of memory. */
static bool publish(struct exec_watch *watch, unsigned w, uint32_t lanes, const uint64_t *address,
		    uint64_t mask)
{
	struct exec_race_notice *n = exec_race_notice_new(&watch->words, w, watch->clock[w]);
	bool ok = n != NULL;

	for (; ok && lanes; lanes &= lanes - 1)
		ok = exec_race_words_add(&watch->words, address[__builtin_ctz(lanes)] & mask, n);
	exec_race_notice_put(n);
	return ok;
}

static const struct sc_instruction *source_of(const struct exec_warp *w,
					      const struct exec_instruction *in)
{
	const struct sc_function *f = w->frame->code->function;

	return in->source < f->code.count ? &f->code.items[in->source] : NULL;
}

/* Its time goes on; what it does from now on is not what others have learned of it. */
static void tick(struct exec_watch *watch, unsigned w)
{
	if (watch->clock[w][w] < TIME_MOST)
		watch->clock[w][w]++;
}

void exec_watch_access(struct exec_warp *w, const struct exec_instruction *in, uint32_t lanes,
		       const uint64_t *address, unsigned bytes, enum exec_use use, bool is_shared)
{
	struct exec_watch *watch = w->block->watch;
	unsigned index = index_of(w);
	bool is_signal = in->polls || (use != EXEC_READ && use != EXEC_WRITE);
	bool is_write = use != EXEC_READ && use != EXEC_ATOMIC_READ;
	uint64_t mask = is_shared ? EXEC_OFFSET_MASK : UINT64_MAX;
	struct use now = {.at = source_of(w, in),
			  .warp = (uint8_t)index,
			  .is_atomic = is_signal,
			  .is_volatile = is_signal && in->order & EXEC_ORDER_VOLATILE};

	if (watch->clock[index][index] >= TIME_MOST)
		return;
	settle(w->block);
	if (is_signal && (!is_write || use != EXEC_WRITE))
		read_notices(watch, index, lanes, address, mask);
	now.time = watch->clock[index][index];
	if (is_shared && is_signal && is_write && bytes == WORD) {
		count_words(w->block, &now, lanes, address);
		is_shared = 0;
	}
	for (uint32_t left = is_shared ? lanes : 0; left; left &= left - 1) {
		now.lane = (uint8_t)__builtin_ctz(left);
		use_words(w->block, &now, (uint32_t)(address[now.lane] & EXEC_OFFSET_MASK), bytes,
			  is_write);
	}
	tick(watch, index);
	if (is_signal && is_write && !publish(watch, index, lanes, address, mask))
		w->block->watch = NULL; /* nothing more is found in the block */
}

/* ---- asynchronous copies ---- */

void exec_watch_copies(struct exec_warp *w, bool are_async)
{
	if (w->block->watch)
		w->block->watch->is_copying = are_async;
}

void exec_watch_commit(struct exec_warp *w, uint32_t lanes)
{
	struct exec_watch *watch = w->block->watch;

	for (; watch && lanes; lanes &= lanes - 1)
		watch->open[index_of(w)][__builtin_ctz(lanes)]++;
}

void exec_watch_wait(struct exec_warp *w, uint32_t lanes, uint64_t groups_left, bool all)
{
	struct exec_watch *watch = w->block->watch;

	for (; watch && lanes; lanes &= lanes - 1) {
		unsigned index = index_of(w), lane = (unsigned)__builtin_ctz(lanes);
		uint32_t last = watch->open[index][lane] - !all;

		if (groups_left < last && last - groups_left > watch->done[index][lane])
			watch->done[index][lane] = last - (uint32_t)groups_left;
	}
}

void exec_watch_bulk(struct exec_warp *w)
{
	struct exec_watch *watch = w->block->watch;

	if (!watch || watch->bulks == BULK - 1)
		return;
	watch->is_bulk = 1;
	watch->bulks++;
}

void exec_watch_bulk_counted(struct exec_warp *w, uint64_t barrier)
{
	struct exec_watch *watch = w->block->watch;
	uint64_t offset = barrier & EXEC_OFFSET_MASK;
	uint32_t i = 0;

	if (!watch || !watch->is_bulk)
		return;
	watch->is_bulk = 0;
	while (i < watch->counter_count && watch->counters[i].offset != offset)
		i++;
	if (i == BARRIERS_MOST) {
		watch->bulks_waited = watch->bulks;
		return;
	}
	watch->counter_count += i == watch->counter_count;
	watch->counters[i].offset = offset;
	watch->counters[i].bulk = watch->bulks;
}

void exec_watch_bulk_wait(struct exec_warp *w, uint64_t barrier)
{
	struct exec_watch *watch = w->block->watch;
	uint64_t offset = barrier & EXEC_OFFSET_MASK;

	for (uint32_t i = 0; watch && i < watch->counter_count; i++)
		if (watch->counters[i].offset == offset &&
		    watch->counters[i].bulk > watch->bulks_waited)
			watch->bulks_waited = watch->counters[i].bulk;
}

/* ---- barriers ---- */

void exec_watch_arrive(struct exec_warp *w, uint32_t barrier)
{
	struct exec_watch *watch = w->block->watch;
	unsigned index = index_of(w);

	if (!watch)
		return;
	settle(w->block);
	tick(watch, index);
	join(watch, watch->barriers[barrier], watch->clock[index]);
}

void exec_watch_leave(struct exec_warp *w, uint32_t barrier)
{
	struct exec_watch *watch = w->block->watch;

	if (watch)
		learn(watch, index_of(w), watch->barriers[barrier]);
}

void exec_watch_end_phase(struct exec_block *b, uint32_t barrier)
{
	if (b->watch)
		memset(b->watch->barriers[barrier], 0, sizeof(*b->watch->barriers));
}

void exec_watch_meet(struct exec_warp *w)
{
	struct exec_watch *watch = w->block->watch;
	unsigned index = index_of(w);

	if (!watch)
		return;
	settle(w->block);
	tick(watch, index);
	watch->met[index] = watch->clock[index][index];
}
