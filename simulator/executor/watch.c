/* Watching shared memory: clocks of warps, the last accesses to each word of shared memory, and
 * what collides. */
#include "simulator/executor/watch.h"

#include <stdlib.h>
#include <string.h>

#include "simulator/executor/watch_state.h"

#define WORD  EXEC_WATCH_WORD
#define READS EXEC_WATCH_READS
#define BULK  EXEC_WATCH_BULK
/* Blocks that are watched: it takes several times as long. */
#define WATCHED_FIRST 8
#define WATCHED_EACH  16
#define TIME_MOST     INT32_MAX /* what a warp does then is not watched */
#define WARPS_MOST    256	/* of a cluster: a use has eight bits for one */

/* False: there is no memory for them. */
static bool make_rows(struct exec_watch *watch, uint32_t blocks)
{
	size_t warps = watch->warps, all = (size_t)blocks * EXEC_ALL_BARRIERS + 2;
	size_t fenced = blocks > 1 ? warps * warps : 0;
	uint32_t *at;

	watch->number_count = warps * (warps + all + 1 + 2 * (size_t)EXEC_LANES) + fenced;
	watch->numbers = at = calloc(watch->number_count, sizeof(*at));
	if (!at)
		return 0;
	watch->clocks = at;
	watch->fenced = watch->clocks + warps * warps;
	watch->barriers = watch->fenced + fenced;
	watch->met = watch->barriers + warps * all;
	watch->open = (uint32_t(*)[EXEC_LANES])(watch->met + warps);
	watch->done = watch->open + warps;
	return 1;
}

struct exec_watch *exec_watch_new(const struct exec_cluster *c)
{
	const struct exec_block *b = c->blocks[0];
	uint32_t bytes = EXEC_RACE_ROW_BYTES(b->shared_bytes);
	size_t words = (size_t)bytes / WORD * c->count;
	struct exec_watch *watch;

	if (!c->run->launch->hazards || !words || c->count * b->warp_count > WARPS_MOST)
		return NULL;
	watch = calloc(1, sizeof(*watch) + words * sizeof(*watch->cells));
	if (!watch)
		return NULL;
	watch->block_bytes = bytes;
	watch->block_warps = b->warp_count;
	watch->warps = watch->words.width = c->count * b->warp_count;
	watch->words.near_most = bytes * c->count / EXEC_RACE_WORD_BYTES;
	if (make_rows(watch, c->count))
		return watch;
	free(watch);
	return NULL;
}

void exec_watch_free(struct exec_watch *watch)
{
	if (!watch)
		return;
	exec_race_words_fini(&watch->words);
	exec_unread_fini(&watch->unread);
	free(watch->numbers);
	free(watch);
}

/* The first blocks, some of the others, and the last one, which often has less to do. */
static bool is_watched(const struct exec_cluster *c)
{
	uint64_t number = c->number / c->count;
	const uint32_t *grid = c->run->launch->grid;

	return c->number < WATCHED_FIRST || number % WATCHED_EACH == 0 ||
	       c->number + c->count == (uint64_t)grid[0] * grid[1] * grid[2];
}

static void set_watch(struct exec_cluster *c, struct exec_watch *watch)
{
	for (uint32_t i = 0; i < c->count; i++)
		c->blocks[i]->watch = watch;
}

static inline uint32_t *clock_of(const struct exec_watch *watch, uint32_t w)
{
	return watch->clocks + (size_t)w * watch->warps;
}

void exec_watch_start(struct exec_cluster *c)
{
	struct exec_watch *watch = c->watch && is_watched(c) ? c->watch : NULL;

	set_watch(c, watch);
	if (!watch)
		return;
	watch->number++;
	memset(watch->numbers, 0, watch->number_count * sizeof(*watch->numbers));
	watch->has_guests = watch->is_copying = watch->is_bulk = 0;
	watch->bulks = watch->bulks_waited = watch->counter_count = 0;
	for (uint32_t i = 0; i < watch->warps; i++) {
		for (unsigned k = 0; k < EXEC_LANES; k++)
			watch->open[i][k] = 1;
		clock_of(watch, i)[i] = 1;
	}
	exec_race_words_fini(&watch->words);
	exec_unread_clear(&watch->unread);
	watch->pending_count = 0;
}

static void join(const struct exec_watch *watch, uint32_t *to, const uint32_t *from)
{
	exec_clock_join(to, from, watch->warps);
}

/* The bytes at an offset, and the block whose they are. */
static const struct exec_block *owner_of(const struct exec_block *b, uint32_t offset)
{
	return b->cluster->blocks[offset / b->watch->block_bytes];
}

static const unsigned char *bytes_at(const struct exec_block *b, uint32_t offset)
{
	return owner_of(b, offset)->shared + offset % b->watch->block_bytes;
}

/* ---- what was found ---- */

static const struct exec_block *block_of(const struct exec_block *b, const struct exec_watch_use *u)
{
	return b->cluster->blocks[u->warp / b->watch->block_warps];
}

static struct exec_hazard_side side_of(const struct exec_block *b, const struct exec_watch_use *u,
				       bool is_write)
{
	const struct exec_watch *watch = b->watch;
	const struct exec_block *own = block_of(b, u);
	const struct exec_warp *w = &own->warps[u->warp % watch->block_warps];
	struct exec_hazard_side s = {.thread = {exec_thread_x(w, u->lane),
						exec_thread_y(w, u->lane),
						exec_thread_z(w, u->lane)},
				     .is_write = is_write,
				     .is_atomic = u->is_atomic,
				     .is_volatile = u->is_volatile};

	memcpy(s.block, own->at, sizeof(s.block));
	exec_hazard_set_place(&s, b->run->kernel, u->at);
	return s;
}

/* How it accesses. */
static uint32_t ways_of(const struct exec_watch_use *u, bool is_write)
{
	return (uint32_t)is_write | (uint32_t)u->is_atomic << 1 | (uint32_t)u->is_volatile << 2;
}
#define WAYS_BITS 3

/* There were so many, of which `p` is one. */
static void report(const struct exec_block *b, const struct exec_watch_pair *p, bool second_writes,
		   uint64_t count)
{
	struct exec_hazard_pair pair = {.at = {(uintptr_t)p->first.at, (uintptr_t)p->second.at},
					.ways = ways_of(&p->first, p->first_writes) << WAYS_BITS |
						ways_of(&p->second, second_writes) |
						(uint32_t)p->is_copy << 2 * WAYS_BITS};
	struct exec_hazard h;

	if (exec_hazards_again(&b->run->hazards, &pair, block_of(b, &p->second)->at, count))
		return;
	h = (struct exec_hazard){.side = {side_of(b, &p->first, p->first_writes),
					  side_of(b, &p->second, second_writes)},
				 .offset = p->offset % b->watch->block_bytes,
				 .count = count,
				 .value_bytes = p->bytes};
	memcpy(&h.before, p->before, p->bytes);
	memcpy(&h.after, p->after, p->bytes);
	memcpy(h.owner, owner_of(b, p->offset)->at, sizeof(h.owner));
	h.side[0].is_copy = p->is_copy;
	exec_hazards_add(&b->run->hazards, &h, &pair);
}

static void hold(struct exec_block *b, const struct exec_watch_pair *collision)
{
	struct exec_watch *watch = b->watch;
	struct exec_watch_pair *p = &watch->pending[watch->pending_count];

	if (watch->pending_count == EXEC_WATCH_PENDING)
		return;
	watch->pending_count++;
	*p = *collision;
	memcpy(p->before, bytes_at(b, p->offset), p->bytes);
}

/* The pair's second write has taken place. */
static void settle_pair(const struct exec_block *b, struct exec_watch_pair *p)
{
	struct exec_watch *watch = b->watch;
	size_t words = (size_t)watch->block_bytes / WORD * b->cluster->count;

	memcpy(p->after, bytes_at(b, p->offset), p->bytes);
	if (!p->waits || !exec_unread_add(&watch->unread, words, p))
		report(b, p, 1, 1);
}

static void settle(const struct exec_block *b)
{
	struct exec_watch *watch = b->watch;

	for (unsigned i = 0; i < watch->pending_count; i++)
		settle_pair(b, &watch->pending[i]);
	watch->pending_count = 0;
}

/* Memory of a block that ends, or has ended, was used by a thread of another one. */
static void report_end(const struct exec_block *b, const struct exec_watch_use *u, bool writes,
		       uint32_t offset)
{
	struct exec_hazard h = {.side = {side_of(b, u, writes), {.is_end = 1}},
				.offset = offset % b->watch->block_bytes,
				.count = 1};

	memcpy(h.owner, owner_of(b, offset)->at, sizeof(h.owner));
	memcpy(h.side[1].block, h.owner, sizeof(h.owner));
	exec_hazards_add(&b->run->hazards, &h, NULL);
}

/* What no thread of the block knows of at its end may come after it. */
static void check_guests(const struct exec_block *b)
{
	const struct exec_watch *watch = b->watch;
	uint32_t words = watch->block_bytes / WORD, first = words * b->rank;
	uint32_t known[WARPS_MOST] = {0};

	for (uint32_t i = 0; i < watch->block_warps; i++)
		join(watch, known, clock_of(watch, b->rank * watch->block_warps + i));
	for (uint32_t i = first; i < first + words; i++) {
		const struct exec_watch_cell *c = &watch->cells[i];

		for (unsigned k = 0; c->number == watch->number && k <= READS; k++) {
			const struct exec_watch_use *u = k ? &c->reads[k - 1] : &c->write;

			if (u->time && u->time >= known[u->warp])
				report_end(b, u, !k, i * WORD);
		}
	}
}

void exec_watch_end(struct exec_block *b)
{
	if (b->watch)
		settle(b);
	if (b->watch && b->watch->has_guests && !b->live)
		check_guests(b);
}

/* ---- accesses ---- */

static bool is_ordered(const struct exec_watch *watch, const struct exec_watch_use *before,
		       const struct exec_watch_use *now)
{
	unsigned w = now->warp;

	if (before->warp != w)
		return before->time < clock_of(watch, w)[before->warp];
	return before->lane == now->lane || before->time == now->time ||
	       before->time < watch->met[w];
}

static bool is_write(enum exec_use use)
{
	return use != EXEC_READ && use != EXEC_ATOMIC_READ;
}

static bool overlaps(const struct exec_watch_use *before, const struct exec_watch_use *now)
{
	return before->time && before->bytes & now->bytes;
}

static bool collides(const struct exec_watch *watch, const struct exec_watch_use *before,
		     const struct exec_watch_use *now)
{
	return overlaps(before, now) && !(before->is_atomic && now->is_atomic) &&
	       !is_ordered(watch, before, now);
}

/* The last write was an asynchronous copy for which its thread has not waited, or a bulk copy for
 * which nobody has. */
static bool is_under_way(const struct exec_watch *watch, const struct exec_watch_cell *c)
{
	if (c->group & BULK)
		return (c->group & ~BULK) > watch->bulks_waited;
	return c->group && c->group > watch->done[c->write.warp][c->write.lane];
}

static inline bool collides_with_write(const struct exec_watch *watch,
				       const struct exec_watch_cell *c,
				       const struct exec_watch_use *now)
{
	return overlaps(&c->write, now) &&
	       (is_under_way(watch, c) ||
		(!(c->write.is_atomic && now->is_atomic) && !is_ordered(watch, &c->write, now)));
}

/* Some thread reads these bytes of the word: what two writes left there is of account. */
static void read_pairs(const struct exec_block *b, uint32_t offset, unsigned bytes)
{
	struct exec_unread *u = &b->watch->unread;
	uint32_t *place = exec_unread_of(u, offset / WORD);

	while (place && *place) {
		struct exec_unread_pair *p = &u->items[*place - 1];

		if (!(p->bytes & bytes)) {
			place = &p->next;
			continue;
		}
		report(b, &p->pair, 1, p->count);
		exec_unread_drop(u, place);
	}
}

/* They are written over: a pair is none once both of its writes are known to be earlier. */
static void write_over_pairs(const struct exec_block *b, uint32_t offset,
			     const struct exec_watch_use *now)
{
	struct exec_unread *u = &b->watch->unread;
	uint32_t *place = exec_unread_of(u, offset / WORD);

	while (place && *place) {
		struct exec_unread_pair *p = &u->items[*place - 1];

		if (is_ordered(b->watch, &p->pair.first, now) &&
		    is_ordered(b->watch, &p->pair.second, now))
			p->bytes &= (uint8_t)~now->bytes;
		if (p->bytes)
			place = &p->next;
		else
			exec_unread_drop(u, place);
	}
}

static void write_word(struct exec_block *b, struct exec_watch_cell *c,
		       const struct exec_watch_use *now, uint32_t offset, unsigned bytes)
{
	struct exec_watch *watch = b->watch;

	for (unsigned i = 0; i < READS; i++) {
		if (collides(watch, &c->reads[i], now))
			hold(b, &(struct exec_watch_pair){c->reads[i], *now, offset, (uint8_t)bytes,
							  .first_writes = 0});
		if (!(c->reads[i].bytes & ~now->bytes))
			c->reads[i].time = 0;
	}
	if (collides_with_write(watch, c, now))
		hold(b,
		     &(struct exec_watch_pair){c->write, *now, offset, (uint8_t)bytes,
					       .first_writes = 1, .is_copy = is_under_way(watch, c),
					       .waits = !c->write.is_atomic && !now->is_atomic &&
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
static struct exec_watch_use *read_to_replace(const struct exec_watch *watch,
					      struct exec_watch_cell *c,
					      const struct exec_watch_use *now)
{
	struct exec_watch_use *first = &c->reads[0], *second = &c->reads[1];

	for (struct exec_watch_use *u = first; u <= second; u++) {
		if (!u->time)
			return u;
		if (u->warp != now->warp ? is_ordered(watch, u, now)
					 : u->lane == now->lane || (u->time != now->time &&
								    is_ordered(watch, u, now)))
			return u;
	}
	return first->warp == second->warp && first->warp != now->warp ? second : NULL;
}

static void read_word(struct exec_block *b, struct exec_watch_cell *c,
		      const struct exec_watch_use *now, uint32_t offset, unsigned bytes)
{
	struct exec_watch_use *kept = read_to_replace(b->watch, c, now);

	if (collides_with_write(b->watch, c, now)) {
		struct exec_watch_pair p = {c->write,
					    *now,
					    offset,
					    (uint8_t)bytes,
					    .first_writes = 1,
					    .is_copy = is_under_way(b->watch, c)};

		memcpy(p.before, bytes_at(b, offset), bytes);
		memcpy(p.after, p.before, bytes);
		report(b, &p, 0, 1);
	}
	if (kept)
		*kept = *now;
}

/* What becomes of pairs of writes by an access: an atomic reads, too. */
static void use_pairs(const struct exec_block *b, struct exec_watch_use *now, uint32_t lanes,
		      const uint64_t *address, unsigned bytes, enum exec_use use)
{
	unsigned part = bytes < WORD ? bytes : WORD;

	for (; lanes; lanes &= lanes - 1) {
		uint32_t offset, end;

		now->lane = (uint8_t)__builtin_ctz(lanes);
		offset = (uint32_t)(address[now->lane] & EXEC_OFFSET_MASK);
		now->bytes = (uint8_t)(((1U << part) - 1) << offset % WORD);
		for (end = offset + bytes; offset < end; offset += WORD)
			if (use == EXEC_WRITE)
				write_over_pairs(b, offset, now);
			else
				read_pairs(b, offset, now->bytes);
	}
}

/* Bytes of a lane's access, which is aligned: in one word, or whole words. */
static inline void use_words(struct exec_block *b, struct exec_watch_use *now, uint32_t offset,
			     unsigned bytes, bool writes)
{
	struct exec_watch *watch = b->watch;
	unsigned part = bytes < WORD ? bytes : WORD;
	struct exec_watch_cell *c = &watch->cells[offset / WORD];

	now->bytes = (uint8_t)(((1U << part) - 1) << offset % WORD);
	for (uint32_t end = offset + bytes; offset < end; offset += WORD, c++) {
		if (c->number != watch->number)
			*c = (struct exec_watch_cell){.number = watch->number};
		if (writes)
			write_word(b, c, now, offset, part);
		else
			read_word(b, c, now, offset, part);
	}
}

/* Atomics of one word of each lane: nothing else has used most of these words. */
static void count_words(struct exec_block *b, struct exec_watch_use *now, uint32_t lanes,
			const uint64_t *address)
{
	struct exec_watch *watch = b->watch;

	now->bytes = (1U << WORD) - 1;
	for (; lanes; lanes &= lanes - 1) {
		uint32_t offset = (uint32_t)(address[__builtin_ctz(lanes)] & EXEC_OFFSET_MASK);
		struct exec_watch_cell *c = &watch->cells[offset / WORD];

		now->lane = (uint8_t)__builtin_ctz(lanes);
		if (c->number == watch->number && c->write.is_atomic &&
		    !(c->reads[0].time | c->reads[1].time | c->group))
			c->write = *now;
		else
			use_words(b, now, offset, WORD, 1);
	}
}

/* ---- words that order threads ---- */

static void learn(const struct exec_watch *watch, unsigned w, const uint32_t *clock)
{
	if (clock[w] > watch->met[w])
		watch->met[w] = clock[w];
	join(watch, clock_of(watch, w), clock);
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
		if (!exec_race_knows(clock_of(watch, w), n))
			learn(watch, w, n->clock);
		else if (n->clock[w] > watch->met[w])
			watch->met[w] = n->clock[w];
	}
}

/* They have written such words. False: out of memory. */
static bool publish(struct exec_watch *watch, unsigned w, uint32_t lanes, const uint64_t *address,
		    uint64_t mask)
{
	struct exec_race_notice *n = exec_race_notice_new(&watch->words, w, clock_of(watch, w));
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
static void tick(const struct exec_watch *watch, unsigned w)
{
	uint32_t *own = &clock_of(watch, w)[w];

	if (*own < TIME_MOST)
		(*own)++;
}

void exec_watch_access(struct exec_warp *w, const struct exec_instruction *in, uint32_t lanes,
		       const uint64_t *address, unsigned bytes, enum exec_use use, bool is_shared)
{
	struct exec_watch *watch = w->block->watch;
	unsigned index = exec_watch_index(w);
	bool is_signal = in->polls || (use != EXEC_READ && use != EXEC_WRITE);
	bool writes = is_write(use);
	uint64_t mask = is_shared ? EXEC_OFFSET_MASK : UINT64_MAX;
	struct exec_watch_use now = {.at = source_of(w, in),
				     .warp = (uint8_t)index,
				     .is_atomic = is_signal,
				     .is_volatile = is_signal && in->order & EXEC_ORDER_VOLATILE};
	uint64_t offsets[EXEC_LANES];
	const struct exec_block *owner;

	if (clock_of(watch, index)[index] >= TIME_MOST)
		return;
	settle(w->block);
	if (is_shared && w->block->cluster->count > 1) {
		for (uint32_t left = lanes; left; left &= left - 1) {
			unsigned i = (unsigned)__builtin_ctz(left);

			offsets[i] = exec_watch_offset(w->block, address[i]);
			owner = owner_of(w->block, (uint32_t)offsets[i]);
			watch->has_guests |= owner != w->block;
			now.lane = (uint8_t)i;
			if (!owner->live)
				report_end(w->block, &now, writes, (uint32_t)offsets[i]);
		}
		address = offsets;
	}
	if (is_signal && (!writes || use != EXEC_WRITE))
		read_notices(watch, index, lanes, address, mask);
	now.time = clock_of(watch, index)[index];
	if (is_shared && watch->unread.count)
		use_pairs(w->block, &now, lanes, address, bytes, use);
	if (is_shared && is_signal && writes && bytes == WORD) {
		count_words(w->block, &now, lanes, address);
		is_shared = 0;
	}
	for (uint32_t left = is_shared ? lanes : 0; left; left &= left - 1) {
		now.lane = (uint8_t)__builtin_ctz(left);
		use_words(w->block, &now, (uint32_t)(address[now.lane] & EXEC_OFFSET_MASK), bytes,
			  writes);
	}
	tick(watch, index);
	if (is_signal && writes && !publish(watch, index, lanes, address, mask))
		set_watch(w->block->cluster, NULL); /* nothing more is found there */
}

void exec_watch_read(const struct exec_block *b, uint32_t offset, unsigned bytes)
{
	if (!b->watch)
		return;
	settle(b);
	offset += b->rank * b->watch->block_bytes;
	for (uint32_t at = offset / WORD * WORD; at < offset + bytes; at += WORD)
		read_pairs(b, at, (1U << WORD) - 1);
}

/* ---- barriers ---- */

/* What those who arrived at a barrier know. */
static uint32_t *row_of(const struct exec_block *b, uint32_t barrier, bool is_over)
{
	uint32_t row = barrier == EXEC_CLUSTER_BARRIER
			       ? b->cluster->count * EXEC_ALL_BARRIERS + is_over
			       : b->rank * EXEC_ALL_BARRIERS + barrier;

	return b->watch->barriers + (size_t)row * b->watch->warps;
}

void exec_watch_arrive(struct exec_warp *w, uint32_t barrier)
{
	struct exec_watch *watch = w->block->watch;
	unsigned index = exec_watch_index(w);

	if (!watch)
		return;
	settle(w->block);
	tick(watch, index);
	join(watch, row_of(w->block, barrier, 0), clock_of(watch, index));
}

void exec_watch_arrive_relaxed(struct exec_warp *w)
{
	struct exec_watch *watch = w->block->watch;

	if (watch && w->block->cluster->count > 1)
		join(watch, row_of(w->block, EXEC_CLUSTER_BARRIER, 0),
		     watch->fenced + (size_t)exec_watch_index(w) * watch->warps);
}

void exec_watch_fence(struct exec_warp *w)
{
	struct exec_watch *watch = w->block->watch;
	unsigned index = exec_watch_index(w);

	if (!watch || w->block->cluster->count == 1)
		return;
	settle(w->block);
	tick(watch, index);
	memcpy(watch->fenced + (size_t)index * watch->warps, clock_of(watch, index),
	       watch->warps * sizeof(*watch->fenced));
}

void exec_watch_leave(struct exec_warp *w, uint32_t barrier)
{
	if (w->block->watch)
		learn(w->block->watch, exec_watch_index(w), row_of(w->block, barrier, 1));
}

void exec_watch_end_phase(struct exec_block *b, uint32_t barrier)
{
	uint32_t *row = b->watch ? row_of(b, barrier, 0) : NULL;

	if (!row)
		return;
	if (barrier == EXEC_CLUSTER_BARRIER)
		memcpy(row_of(b, barrier, 1), row, b->watch->warps * sizeof(*row));
	memset(row, 0, b->watch->warps * sizeof(*row));
}

void exec_watch_meet(struct exec_warp *w)
{
	struct exec_watch *watch = w->block->watch;
	unsigned index = exec_watch_index(w);

	if (!watch)
		return;
	settle(w->block);
	tick(watch, index);
	watch->met[index] = clock_of(watch, index)[index];
}
