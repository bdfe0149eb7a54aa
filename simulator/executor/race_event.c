/* Accesses to global memory that have taken place: what collides, and how it is described. */
#include <string.h>

#include "simulator/executor/frame.h"
#include "simulator/executor/race_state.h"

#define SOURCE_BITS 20 /* of a place in the code, below the number of its function */

/* ---- places ---- */

uint32_t exec_race_place(const struct exec_warp *w, const struct exec_instruction *in)
{
	const struct exec_kernel *k = w->run->kernel;
	uint32_t function = 0;

	if (w->frame->code != k)
		while (function < k->function_count && k->functions[function++] != w->frame->code)
			;
	return function << SOURCE_BITS | (in->source & ((1U << SOURCE_BITS) - 1));
}

static const struct sc_instruction *source_of(const struct exec_kernel *k, uint32_t place)
{
	uint32_t number = place >> SOURCE_BITS, source = place & ((1U << SOURCE_BITS) - 1);
	const struct exec_kernel *f = number ? k->functions[number - 1] : k;

	return source < f->function->code.count ? &f->function->code.items[source] : NULL;
}

static struct exec_hazard_side side_of(const struct exec_block *b, const struct exec_race_use *u,
				       bool is_write)
{
	const struct exec_race *race = b->race->race;
	struct exec_warp w = {.run = b->run, .first_thread = u->warp % b->warp_count * EXEC_LANES};
	struct exec_hazard_side s = {.thread = {exec_thread_x(&w, u->lane),
						exec_thread_y(&w, u->lane),
						exec_thread_z(&w, u->lane)},
				     .is_write = is_write,
				     .is_atomic = u->kind >= EXEC_RACE_VOLATILE,
				     .is_volatile = u->kind == EXEC_RACE_VOLATILE,
				     .is_narrow = u->kind == EXEC_RACE_NARROW};

	memcpy(s.block, race->at[u->warp / b->warp_count], sizeof(s.block));
	exec_hazard_set_place(&s, b->run->kernel, source_of(b->run->kernel, u->place));
	return s;
}

/* How it accesses. */
static uint32_t ways_of(const struct exec_race_use *u, bool is_write)
{
	return (uint32_t)u->kind << 1 | is_write;
}
#define WAYS_BITS 5 /* four of a kind */

static uint32_t value_of(const unsigned char *bytes, unsigned count)
{
	uint32_t value = 0;

	memcpy(&value, bytes, count);
	return value;
}

/* What the access of that lane found, and left. */
static void add_values(struct exec_hazard *h, const struct exec_race_event *e, unsigned lane)
{
	unsigned char now[EXEC_RACE_WORD];

	if (e->bytes > EXEC_RACE_WORD || !e->origin)
		return;
	exec_race_load(now, (const char *)(e->origin + e->address[lane]), e->bytes);
	h->value_bytes = (uint8_t)e->bytes;
	h->after = h->before = value_of(now, e->bytes);
	if (h->side[1].is_write)
		h->before = value_of(e->before[lane], e->bytes);
}

static void report(const struct exec_block *b, const struct exec_race_use *first, bool first_writes,
		   const struct exec_race_use *second, bool second_writes, uint64_t address)
{
	struct exec_race *race = b->race->race;
	struct exec_hazard_pair pair = {.at = {first->place, second->place},
					.ways = ways_of(first, first_writes) << WAYS_BITS |
						ways_of(second, second_writes)};
	struct exec_hazard h;

	if (exec_hazards_again(&race->hazards, &pair, race->at[second->warp / b->warp_count], 1))
		return;
	h = (struct exec_hazard){
		.side = {side_of(b, first, first_writes), side_of(b, second, second_writes)},
		.address = address,
		.count = 1};
	add_values(&h, &b->race->event, second->lane);
	exec_hazards_add(&race->hazards, &h, &pair);
}

/* ---- collisions ---- */

static bool is_ordered(const struct exec_race_block *state, const struct exec_race_use *before,
		       bool before_writes, const struct exec_race_use *now)
{
	const struct exec_race_warp *warp = &state->warps[now->warp - state->first];
	const uint32_t *clock = warp->clock + (before_writes ? 0 : state->race->width);

	if (before->warp != now->warp)
		return before->time < clock[before->warp];
	return before->lane == now->lane || before->time == now->time || before->time < warp->met;
}

/* Both are strong accesses, each for the other's thread, too. Volatile ones are where threads may
 * wait for such words: a flag is all right, and data is not, which look alike. */
static bool may_meet(const struct exec_race *race, const struct exec_race_use *before,
		     const struct exec_race_use *now)
{
	bool is_narrow = before->kind == EXEC_RACE_NARROW || now->kind == EXEC_RACE_NARROW;

	if (before->kind < EXEC_RACE_VOLATILE || now->kind < EXEC_RACE_VOLATILE)
		return 0;
	if (!race->has_flags &&
	    (before->kind == EXEC_RACE_VOLATILE || now->kind == EXEC_RACE_VOLATILE))
		return before->kind == EXEC_RACE_SWAP || now->kind == EXEC_RACE_SWAP;
	return !is_narrow || before->warp / race->warps == now->warp / race->warps;
}

/* The first one's lock was taken without a fence, so that it would not have seen what the second
 * one does under the same lock, if that had come first. */
static bool is_open(const struct exec_race_block *state, const struct exec_race_use *before,
		    const struct exec_race_use *now)
{
	const struct exec_race *race = state->race;
	bool is_same = before->warp / race->warps == now->warp / race->warps;
	uint64_t lock = state->warps[now->warp - state->first].lock;

	return before->open >> (is_same ? EXEC_RACE_BLOCK : EXEC_RACE_DEVICE) & 1 &&
	       before->warp != now->warp && lock && race->locks[before->warp] == lock;
}

static bool collides(const struct exec_race_block *state, const struct exec_race_use *before,
		     bool before_writes, const struct exec_race_use *now)
{
	return before->time && before->bytes & now->bytes && !may_meet(state->race, before, now) &&
	       (!is_ordered(state, before, before_writes, now) || is_open(state, before, now));
}

/* A plain look at a word that others swap: what comes of it is compared by a swap of the thread's
 * own, or else nothing can be said of it. */
static bool is_look(const struct exec_race_use *read, const struct exec_race_use *write)
{
	return read->kind == EXEC_RACE_PLAIN && write->kind == EXEC_RACE_SWAP;
}

static void write_cell(const struct exec_block *b, struct exec_race_cell *c,
		       const struct exec_race_use *now, uint64_t address)
{
	for (unsigned i = 0; i < EXEC_RACE_READS; i++) {
		struct exec_race_use *u = &c->reads[i];

		if (collides(b->race, u, 0, now) && !is_look(u, now))
			report(b, u, 0, now, 1, address);
		if (!(u->bytes & ~now->bytes))
			u->time = 0;
	}
	if (collides(b->race, &c->write, 1, now))
		report(b, &c->write, 1, now, 1, address);
	c->write = *now;
}

/* Which earlier read is worth less than this one, as in watch.c; NULL: none. */
static struct exec_race_use *read_to_replace(const struct exec_race_block *state,
					     struct exec_race_cell *c,
					     const struct exec_race_use *now)
{
	struct exec_race_use *first = &c->reads[0], *second = &c->reads[1];

	for (struct exec_race_use *u = first; u <= second; u++) {
		if (!u->time)
			return u;
		if (u->warp != now->warp ? is_ordered(state, u, 0, now)
					 : u->lane == now->lane || (u->time != now->time &&
								    is_ordered(state, u, 0, now)))
			return u;
	}
	return first->warp == second->warp && first->warp != now->warp ? second : NULL;
}

static void read_cell(const struct exec_block *b, struct exec_race_cell *c,
		      const struct exec_race_use *now, uint64_t address)
{
	struct exec_race_use *kept;

	if (c->write.time && c->write.kind != EXEC_RACE_SILENT && !is_look(now, &c->write) &&
	    collides(b->race, &c->write, 1, now))
		report(b, &c->write, 1, now, 0, address);
	kept = read_to_replace(b->race, c, now);
	if (kept)
		*kept = *now;
}

/* ---- an access ---- */

static enum exec_race_kind kind_of(const struct exec_race_event *e)
{
	if (!e->is_signal)
		return EXEC_RACE_PLAIN;
	if (e->order & (EXEC_ORDER_VOLATILE | EXEC_ORDER_UNCACHED))
		return EXEC_RACE_VOLATILE;
	if (e->order & EXEC_ORDER_BLOCK)
		return EXEC_RACE_NARROW;
	return e->use == EXEC_SWAP ? EXEC_RACE_SWAP : EXEC_RACE_ATOMIC;
}

static bool is_write(const struct exec_race_event *e)
{
	return e->use != EXEC_READ && e->use != EXEC_ATOMIC_READ;
}

/* Bytes that are not here count as changed. */
void exec_race_note_changes(struct exec_race_event *e)
{
	for (uint32_t left = is_write(e) ? e->lanes : 0; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		e->changed[i] = UINT16_MAX;
		if (!e->host[i])
			continue;
		exec_race_load(e->after[i], e->host[i], e->bytes);
		for (unsigned k = 0; k < e->bytes; k++)
			if (e->after[i][k] == e->before[i][k])
				e->changed[i] &= (uint16_t) ~(1U << k);
	}
}

/* Of several lanes it is not known which one took it. */
bool exec_race_takes_lock(const struct exec_race_event *e)
{
	return e->use == EXEC_SWAP && __builtin_popcount(e->lanes) == 1 &&
	       !(e->order & (EXEC_ORDER_ACQUIRE | EXEC_ORDER_BOTH)) &&
	       e->changed[__builtin_ctz(e->lanes)] & ((1U << e->bytes) - 1);
}

static void take_lock(struct exec_race_block *state, const struct exec_race_event *e)
{
	uint32_t w = exec_race_index(e->w);
	uint64_t address = e->address[__builtin_ctz(e->lanes)];

	state->warps[w].lock = state->race->locks[state->first + w] = address;
	state->warps[w].is_open = 1 << EXEC_RACE_BLOCK | 1 << EXEC_RACE_DEVICE;
}

/* A write that has changed what a thread of another block has just made of it, too: the two took
 * place at one time, and whichever had been the second one would have changed nothing. */
static bool is_repeated(const struct exec_race *race, const struct exec_race_cell *c,
			const struct exec_race_use *now, uint32_t before, uint32_t after)
{
	return c->write.time && c->write.warp / race->warps != now->warp / race->warps &&
	       c->write.bytes == now->bytes && c->after == after &&
	       (c->before == before || c->before == after);
}

/* Another thread has written the word since the access published, and may know of it: that write is
 * the later one, and is compared with what was before. */
static bool is_late(const struct exec_race *race, const struct exec_race_event *e,
		    const struct exec_race_cell *c)
{
	return c->settled > e->begun && c->settled != race->settled;
}

/* A word of a lane. What changed nothing is a read, or, if it would be a plain write, nothing that
 * others can notice before they write other bytes there. */
static void check_word(const struct exec_block *b, const struct exec_race_event *e,
		       struct exec_race_cell *c, const struct exec_race_use *now, uint64_t address,
		       unsigned at)
{
	unsigned count = e->bytes < EXEC_RACE_WORD ? e->bytes : EXEC_RACE_WORD;
	bool changes = e->changed[now->lane] >> at & ((1U << count) - 1);
	uint32_t before = 0, after = 0;

	if (e->host[now->lane]) {
		before = value_of(e->before[now->lane] + at, count);
		after = value_of(e->after[now->lane] + at, count);
	}
	if (!changes && e->use != EXEC_WRITE) {
		read_cell(b, c, now, address);
	} else if (changes) {
		if (e->use == EXEC_WRITE && e->host[now->lane] &&
		    is_repeated(b->race->race, c, now, before, after))
			return;
		write_cell(b, c, now, address);
		c->settled = b->race->race->settled;
		c->before = before;
		c->after = after;
		if (exec_race_takes_lock(e))
			take_lock(b->race, e);
	} else if (!c->write.time) {
		c->write = *now;
		c->before = c->after = after;
		if (now->kind == EXEC_RACE_PLAIN)
			c->write.kind = EXEC_RACE_SILENT;
	}
}

static bool is_untouched(const struct exec_race_cell *c)
{
	return !(c->write.time | c->reads[0].time | c->reads[1].time);
}

/* Other lanes of the access have read the word, which nobody has written. */
static bool is_read(const struct exec_race_cell *c, const struct exec_race_use *now)
{
	const struct exec_race_use *first = &c->reads[0], *second = &c->reads[1];

	return !c->write.time && first->warp == now->warp && second->warp == now->warp &&
	       first->time == now->time && second->time == now->time;
}

static void check_reads(const struct exec_block *b, const struct exec_race_event *e,
			struct exec_race_use now, unsigned bytes)
{
	struct exec_race_cells *cells = &b->race->race->cells;

	for (uint32_t left = e->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		uint64_t address = e->address[lane], end = address + e->bytes;

		now.lane = (uint8_t)lane;
		now.bytes = (uint8_t)(bytes << address % EXEC_RACE_WORD);
		for (; address < end; address += EXEC_RACE_WORD) {
			struct exec_race_cell *c = exec_race_cells_at(cells, address);

			if (c && is_untouched(c))
				c->reads[0] = now;
			else if (c && !is_read(c, &now))
				read_cell(b, c, &now, address);
		}
	}
}

static void check_writes(const struct exec_block *b, const struct exec_race_event *e,
			 struct exec_race_use now, unsigned bytes)
{
	struct exec_race_cells *cells = &b->race->race->cells;

	for (uint32_t left = e->lanes; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		uint64_t address = e->address[lane];

		now.lane = (uint8_t)lane;
		now.bytes = (uint8_t)(bytes << address % EXEC_RACE_WORD);
		for (unsigned at = 0; at < e->bytes; at += EXEC_RACE_WORD) {
			struct exec_race_cell *c = exec_race_cells_at(cells, address + at);

			if (c && !is_late(b->race->race, e, c))
				check_word(b, e, c, &now, address + at, at);
		}
	}
}

void exec_race_check(struct exec_block *b)
{
	struct exec_race_block *state = b->race;
	const struct exec_race_event *e = &state->event;
	uint32_t w = exec_race_index(e->w);
	uint64_t words = (uint64_t)__builtin_popcount(e->lanes) *
			 ((e->bytes + EXEC_RACE_WORD - 1) / EXEC_RACE_WORD);
	unsigned bytes = e->bytes < EXEC_RACE_WORD ? (1U << e->bytes) - 1 : 0xF;
	struct exec_race_use now = {.time = state->warps[w].clock[state->first + w],
				    .place = e->place,
				    .warp = (uint8_t)(state->first + w),
				    .open = state->warps[w].is_open & 3,
				    .kind = kind_of(e) & 0xF};

	if (!exec_race_pay(state->race, words))
		return;
	state->race->settled++;
	if (is_write(e))
		check_writes(b, e, now, bytes);
	else
		check_reads(b, e, now, bytes);
}
