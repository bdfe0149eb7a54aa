/* Watching global memory: clocks of warps, who notifies whom, and what becomes of an access.
 *
 * An access is an event when it begins, since what its thread publishes must be there before it can
 * be read. The next step of its block settles it: only then it has taken place, has read what was
 * published, and has changed bytes, or has not.
 */
#include "simulator/executor/race.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/executor/race_state.h"

#define CLOCK_MOST    256 /* warps that are watched, or two blocks */
#define WATCHED_FIRST 8
#define WATCHED_EACH  16
#define WORDS_MOST    (UINT64_C(1) << 20) /* of accesses of a launch */
#define WARPS_A_WORD  16 /* of a clock, joined in the time of an access to a word */
#define TIME_MOST     UINT32_MAX
#define HEAP_WORD     1 /* an address that no word has: of the heap's lock */

/* ---- a launch ---- */

/* The ways by which its threads may notify each other. */
static void note_ways(struct exec_race *race, const struct exec_kernel *k)
{
	race->has_flags = k->polls;
	race->talks = k->talks;
	for (size_t i = 0; i < k->function_count; i++) {
		race->has_flags |= k->functions[i]->polls;
		race->talks |= k->functions[i]->talks;
	}
}

struct exec_race *exec_race_new(const struct exec_launch *l, uint64_t blocks)
{
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint32_t warps = (threads + EXEC_LANES - 1) / EXEC_LANES;
	struct exec_race *race;

	if (!l->hazards || l->cluster[0] || !warps || blocks * warps == 1)
		return NULL;
	race = calloc(1, sizeof(*race));
	if (!race)
		return NULL;
	race->launch = l;
	race->blocks = blocks;
	race->warps = warps;
	race->slots = warps * 2 > CLOCK_MOST ? 2 : CLOCK_MOST / warps;
	if (race->slots > race->blocks)
		race->slots = (uint32_t)race->blocks;
	race->width = race->slots * warps;
	race->left = WORDS_MOST;
	note_ways(race, l->kernel);
	race->at = calloc(race->slots, sizeof(*race->at));
	race->locks = calloc(race->width, sizeof(*race->locks));
	if (race->at && race->locks)
		return race;
	free(race->at);
	free(race->locks);
	free(race);
	return NULL;
}

void exec_race_end(struct exec_race *race)
{
	if (!race)
		return;
	exec_hazards_join(race->launch->hazards, &race->hazards);
	exec_race_cells_fini(&race->cells);
	exec_race_words_fini(&race->words);
	free(race->at);
	free(race->locks);
	free(race);
}

static void lock(struct exec_race *race)
{
	while (atomic_flag_test_and_set_explicit(&race->is_busy, memory_order_acquire))
		sched_yield();
}

static void unlock(struct exec_race *race)
{
	atomic_flag_clear_explicit(&race->is_busy, memory_order_release);
}

static void give_up(struct exec_race *race)
{
	atomic_store_explicit(&race->is_over, 1, memory_order_relaxed);
}

/* ---- a block ---- */

/* The first blocks, some of the others, and the last one, which often has less to do; or all. */
static bool find_slot(const struct exec_race *race, uint64_t number, uint32_t *slot)
{
	uint64_t at = number;

	if (race->slots == race->blocks)
		at = number;
	else if (number + 1 == race->blocks)
		at = race->slots - 1;
	else if (number >= WATCHED_FIRST)
		at = number % WATCHED_EACH ? UINT64_MAX : WATCHED_FIRST - 1 + number / WATCHED_EACH;
	*slot = (uint32_t)at;
	return at < race->slots && (at + 1 < race->slots || number + 1 == race->blocks);
}

static uint32_t *new_clock(const struct exec_race *race, uint32_t count)
{
	return calloc((size_t)race->width * 2 * count, sizeof(uint32_t));
}

static void start_warps(struct exec_block *b, struct exec_race_block *state, uint32_t slot)
{
	struct exec_race *race = state->race;

	state->first = slot * race->warps;
	memcpy(race->at[slot], b->at, sizeof(b->at));
	for (uint32_t i = 0; i < race->warps; i++) {
		state->warps[i].clock = state->clocks + (size_t)i * race->width * 2;
		state->warps[i].clock[state->first + i] = 1;
		state->warps[i].clock[race->width + state->first + i] = 1;
	}
}

void exec_race_start(struct exec_block *b)
{
	struct exec_race *race = b->run->race;
	struct exec_race_block *state;
	uint32_t slot;
	bool is_watched;

	exec_race_drop(b);
	if (!race || atomic_load_explicit(&race->is_over, memory_order_relaxed))
		return;
	is_watched = find_slot(race, b->cluster->number, &slot);
	if (!is_watched && !race->talks)
		return;
	state = calloc(1, sizeof(*state) + (is_watched ? race->warps : 0) * sizeof(*state->warps));
	if (state && is_watched)
		state->clocks = new_clock(race, race->warps);
	if (!state || (is_watched && !state->clocks)) {
		free(state);
		give_up(race);
		return;
	}
	state->race = race;
	state->is_watched = is_watched;
	b->race = state;
	if (is_watched)
		start_warps(b, state, slot);
}

void exec_race_drop(struct exec_block *b)
{
	struct exec_race_block *state = b->race;

	b->race = NULL;
	if (!state)
		return;
	for (uint32_t i = 0; state->is_watched && i < state->race->warps; i++)
		for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++) {
			free(state->warps[i].fenced[s]);
			free(state->warps[i].unfenced[s]);
		}
	for (unsigned i = 0; i < EXEC_ALL_BARRIERS; i++) {
		free(state->barriers[i]);
		for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++)
			free(state->fenced[i][s]);
	}
	exec_race_words_fini(&state->words);
	free(state->clocks);
	free(state);
}

/* ---- clocks ---- */

/* Until something is published for all, a block knows of its own warps only. */
static void join_half(const struct exec_race_block *state, uint32_t *to, const uint32_t *from)
{
	const struct exec_race *race = state->race;
	bool is_alone = state->is_watched &&
			!atomic_load_explicit(&race->words.count, memory_order_acquire);
	uint32_t first = is_alone ? state->first : 0;
	uint32_t end = is_alone ? first + race->warps : race->width;

	for (uint32_t i = first; i < end; i++)
		to[i] = from[i] > to[i] ? from[i] : to[i];
}

static void join(const struct exec_race_block *state, uint32_t *to, const uint32_t *from)
{
	join_half(state, to, from);
	join_half(state, to + state->race->width, from + state->race->width);
}

/* Joining clocks takes its time: it counts as so many words of accesses. Under the lock. */
static void pay(struct exec_race *race)
{
	uint64_t cost = race->width / WARPS_A_WORD + 1;

	if (race->left < cost)
		give_up(race);
	else
		race->left -= cost;
}

/* The clock at *place, which is made if it is not there; NULL: no memory, and nothing is watched
 * any more. */
static uint32_t *made(struct exec_race *race, uint32_t **place)
{
	if (!*place)
		*place = new_clock(race, 1);
	if (!*place)
		give_up(race);
	return *place;
}

static void tick(struct exec_race_block *state, uint32_t w)
{
	uint32_t *clock = state->warps[w].clock, own = state->first + w;

	if (clock[own] < TIME_MOST)
		clock[own]++;
	clock[own + state->race->width] = clock[own];
}

/* All lanes of the warp know it, and what they did themselves until then. */
static void learn(struct exec_race_block *state, uint32_t w, const uint32_t *clock)
{
	struct exec_race_warp *warp = &state->warps[w];

	if (clock[state->first + w] > warp->met)
		warp->met = clock[state->first + w];
	join(state, warp->clock, clock);
}

static void learn_unfenced(struct exec_race_block *state, uint32_t w, enum exec_race_scope scope)
{
	struct exec_race_warp *warp = &state->warps[w];

	warp->is_open &= (uint8_t) ~(1U << scope);
	if (!warp->has_unfenced[scope])
		return;
	learn(state, w, warp->unfenced[scope]);
	memset(warp->unfenced[scope], 0, state->race->width * 2 * sizeof(uint32_t));
	warp->has_unfenced[scope] = 0;
}

/* ---- words ---- */

static bool has_device_scope(uint8_t order)
{
	return !(order & EXEC_ORDER_BLOCK);
}

/* `fenced` NULL: of writes nothing. */
static void publish_at(struct exec_race_block *state, enum exec_race_scope scope, uint64_t address,
		       const uint32_t *fenced, const uint32_t *clock)
{
	struct exec_race *race = state->race;
	bool is_device = scope == EXEC_RACE_DEVICE;
	uint32_t *word = exec_race_words_get(is_device ? &race->words : &state->words, address,
					     race->width * 2);

	pay(race);
	if (!word) {
		give_up(race);
		return;
	}
	if (fenced)
		join_half(state, word, fenced);
	join_half(state, word + race->width, clock + race->width);
}

/* Which writes the warp publishes with that scope; NULL: none. */
static const uint32_t *fenced_of(const struct exec_race_block *state,
				 const struct exec_race_event *e, enum exec_race_scope scope)
{
	const struct exec_race_warp *warp;

	if (!state->is_watched)
		return state->clocks;
	warp = &state->warps[exec_race_index(e->w)];
	if (e->is_shared || e->order & (EXEC_ORDER_RELEASE | EXEC_ORDER_BOTH))
		return warp->clock;
	return warp->fenced[scope];
}

/* A lock is given back. */
static void close_lock(struct exec_race_block *state, const struct exec_race_event *e,
		       uint32_t lanes)
{
	struct exec_race_warp *warp = &state->warps[exec_race_index(e->w)];

	for (; warp->lock && lanes; lanes &= lanes - 1)
		if (e->address[__builtin_ctz(lanes)] == warp->lock)
			warp->lock = warp->is_open = 0;
}

static void publish(struct exec_race_block *state, const struct exec_race_event *e, uint32_t lanes)
{
	const uint32_t *clock =
		state->is_watched ? state->warps[exec_race_index(e->w)].clock : state->clocks;
	unsigned first = state->is_watched ? EXEC_RACE_BLOCK : EXEC_RACE_DEVICE;
	bool is_wide = !e->is_shared && has_device_scope(e->order);

	for (unsigned s = first; s < (is_wide ? EXEC_RACE_SCOPES : 1); s++) {
		const uint32_t *fenced = fenced_of(state, e, (enum exec_race_scope)s);
		uint64_t last = 0;

		for (uint32_t left = lanes; left; left &= left - 1) {
			uint64_t at = e->address[__builtin_ctz(left)];

			if (at != last || left == lanes)
				publish_at(state, (enum exec_race_scope)s, at, fenced, clock);
			last = at;
		}
	}
}

/* What was published at a word becomes known, or will by a fence. */
static void read_word(struct exec_race_block *state, const struct exec_race_event *e,
		      enum exec_race_scope scope, uint64_t address)
{
	const struct exec_race_words *words =
		scope == EXEC_RACE_DEVICE ? &state->race->words : &state->words;
	const uint32_t *clock = exec_race_words_find(words, address);
	uint32_t w = exec_race_index(e->w), *to;

	if (!clock)
		return;
	pay(state->race);
	if (!state->is_watched) {
		to = made(state->race, &state->clocks);
		if (to)
			join(state, to, clock);
	} else if (exec_race_takes_lock(e)) {
		to = made(state->race, &state->warps[w].unfenced[scope]);
		if (to)
			join_half(state, to, clock);
		state->warps[w].has_unfenced[scope] = to != NULL;
		join_half(state, state->warps[w].clock + state->race->width,
			  clock + state->race->width);
	} else {
		learn(state, w, clock);
	}
}

static void read_words(struct exec_race_block *state, const struct exec_race_event *e)
{
	bool is_wide = !e->is_shared && has_device_scope(e->order);

	for (unsigned s = 0; s < (is_wide ? EXEC_RACE_SCOPES : 1); s++) {
		const struct exec_race_words *words =
			s == EXEC_RACE_DEVICE ? &state->race->words : &state->words;
		uint64_t last = 0;

		if (!atomic_load_explicit(&words->count, memory_order_acquire))
			continue;
		for (uint32_t left = e->lanes; left; left &= left - 1) {
			uint64_t at = e->address[__builtin_ctz(left)];

			if (at != last || left == e->lanes)
				read_word(state, e, (enum exec_race_scope)s, at);
			last = at;
		}
	}
}

/* ---- accesses ---- */

static bool is_any_published(const struct exec_race_block *state)
{
	return atomic_load_explicit(&state->race->words.count, memory_order_acquire) ||
	       atomic_load_explicit(&state->words.count, memory_order_relaxed);
}

/* The last access has taken place. */
static void settle(struct exec_block *b)
{
	struct exec_race_block *state = b->race;
	struct exec_race_event *e = &state->event;
	bool reads = e->is_signal && e->use != EXEC_WRITE && is_any_published(state);
	bool checks = state->is_watched && !e->is_shared;

	if (!e->lanes)
		return;
	if (reads || checks)
		lock(state->race);
	if (reads)
		read_words(state, e);
	if (checks)
		exec_race_check(b);
	if (reads || checks)
		unlock(state->race);
	e->lanes = 0;
	if (state->is_watched)
		tick(state, exec_race_index(e->w));
}

/* The block's state, with the last access settled; NULL: it is not watched, or no longer. */
static struct exec_race_block *settled(struct exec_block *b)
{
	if (b->race)
		settle(b);
	if (b->race && atomic_load_explicit(&b->race->race->is_over, memory_order_relaxed))
		exec_race_drop(b);
	return b->race;
}

void exec_race_finish(struct exec_block *b)
{
	settled(b);
	exec_race_drop(b);
}

/* The lanes' bytes, and those that they may change. */
static void add_lanes(struct exec_race_event *e, uint32_t lanes, const uint64_t *address,
		      const struct exec_region *r)
{
	for (uint32_t left = lanes; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		e->address[i] = address[i];
		e->host[i] =
			r->bytes ? (char *)((uintptr_t)r->bytes + (address[i] - r->base)) : NULL;
		if (e->host[i] && e->use != EXEC_READ && e->use != EXEC_ATOMIC_READ &&
		    !e->is_shared)
			memcpy(e->before[i], e->host[i], e->bytes);
	}
	e->lanes |= lanes;
}

static bool is_of_copy(const struct exec_warp *w, const struct exec_instruction *in)
{
	const struct sc_function *f = w->frame->code->function;

	return in->source < f->code.count && f->code.items[in->source].opcode == SC_PTX_CP;
}

/* What others may take as a sign, besides words that are made for it: the first store after a
 * fence. */
static bool is_sign(struct exec_race_block *state, const struct exec_warp *w, enum exec_use use)
{
	struct exec_race_warp *warp = &state->warps[exec_race_index(w)];
	bool is_sign = state->is_watched && use == EXEC_WRITE && warp->has_just_fenced;

	if (is_sign)
		warp->has_just_fenced = 0;
	return is_sign;
}

bool exec_race_sees_all(const struct exec_block *b)
{
	return b->race->is_watched;
}

static void begin_event(struct exec_race_block *state, struct exec_warp *w,
			const struct exec_instruction *in, uint32_t place, unsigned bytes,
			enum exec_use use)
{
	struct exec_race_event *e = &state->event;

	e->w = w;
	e->order = in->order;
	e->bytes = bytes;
	e->use = use;
	e->place = place;
	e->is_signal = in->polls || in->order & EXEC_ORDER_UNCACHED ||
		       (use != EXEC_READ && use != EXEC_WRITE);
}

void exec_race_access(struct exec_warp *w, const struct exec_instruction *in, uint32_t lanes,
		      const uint64_t *address, const struct exec_region *r, unsigned bytes,
		      enum exec_use use)
{
	struct exec_race_block *state = w->block->race;
	struct exec_race_event *e = &state->event;
	bool is_write = use != EXEC_READ && use != EXEC_ATOMIC_READ, publishes;
	uint32_t place = exec_race_place(w, in);

	if (e->w != w || e->place != place || e->use != use || e->lanes & lanes)
		state = settled(w->block);
	if (!state || (use != EXEC_READ && is_of_copy(w, in)))
		return;
	e = &state->event;
	if (!e->lanes)
		begin_event(state, w, in, place, bytes, use);
	e->is_shared = r->is_shared;
	if (!e->is_signal && !state->is_watched)
		return;
	add_lanes(e, lanes, address, r);
	publishes = is_write && (e->is_signal || is_sign(state, w, use));
	if (is_write && use != EXEC_SWAP && state->is_watched)
		close_lock(state, e, lanes);
	if (!publishes || (!state->is_watched && !state->clocks))
		return;
	lock(state->race);
	publish(state, e, lanes);
	unlock(state->race);
	atomic_thread_fence(memory_order_release);
}

void exec_race_notify_by_heap(struct exec_warp *w)
{
	struct exec_race_block *state = settled(w->block);
	const uint32_t *known, *clock;

	if (!state)
		return;
	lock(state->race);
	known = exec_race_words_find(&state->race->words, HEAP_WORD);
	if (known && state->is_watched)
		learn(state, exec_race_index(w), known);
	else if (known && made(state->race, &state->clocks))
		join(state, state->clocks, known);
	clock = state->is_watched ? state->warps[exec_race_index(w)].clock : state->clocks;
	if (clock)
		publish_at(state, EXEC_RACE_DEVICE, HEAP_WORD, clock, clock);
	unlock(state->race);
	if (state->is_watched)
		tick(state, exec_race_index(w));
}

/* ---- fences and barriers ---- */

/* The state of a block of which each warp is watched; NULL: it is none. */
static struct exec_race_block *watched(struct exec_block *b)
{
	struct exec_race_block *state = settled(b);

	return state && state->is_watched ? state : NULL;
}

void exec_race_fence(struct exec_warp *w, const struct exec_instruction *in)
{
	struct exec_race_block *state = watched(w->block);
	uint32_t index = exec_race_index(w), *fenced;
	unsigned scopes = has_device_scope(in->order) ? EXEC_RACE_SCOPES : 1;

	if (!state)
		return;
	for (unsigned s = 0; s < scopes; s++)
		learn_unfenced(state, index, (enum exec_race_scope)s);
	tick(state, index);
	for (unsigned s = 0; s < scopes; s++) {
		fenced = made(state->race, &state->warps[index].fenced[s]);
		if (fenced)
			memcpy(fenced, state->warps[index].clock,
			       state->race->width * sizeof(*fenced));
	}
	state->warps[index].has_just_fenced |= has_device_scope(in->order);
}

/* What is fenced is so for all that meet there: threads fence what they wrote, and one of them
 * notifies others after the barrier. */
static void join_fenced(struct exec_race_block *state, uint32_t **to, uint32_t *const *from)
{
	for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++)
		if (from[s] && made(state->race, &to[s]))
			join_half(state, to[s], from[s]);
}

/* What a swap read is known after a barrier: who took a lock lets the others of its block in. */
void exec_race_arrive(struct exec_warp *w, uint32_t barrier)
{
	struct exec_race_block *state = watched(w->block);
	uint32_t index = exec_race_index(w), *clock;

	if (!state)
		return;
	for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++)
		learn_unfenced(state, index, (enum exec_race_scope)s);
	tick(state, index);
	join_fenced(state, state->fenced[barrier], state->warps[index].fenced);
	clock = made(state->race, &state->barriers[barrier]);
	if (clock)
		join(state, clock, state->warps[index].clock);
}

void exec_race_leave(struct exec_warp *w, uint32_t barrier)
{
	struct exec_race_block *state = watched(w->block);

	if (!state || !state->barriers[barrier])
		return;
	learn(state, exec_race_index(w), state->barriers[barrier]);
	join_fenced(state, state->warps[exec_race_index(w)].fenced, state->fenced[barrier]);
}

void exec_race_end_phase(struct exec_block *b, uint32_t barrier)
{
	struct exec_race_block *state = watched(b);

	if (!state || !state->barriers[barrier])
		return;
	memset(state->barriers[barrier], 0, state->race->width * 2 * sizeof(uint32_t));
	for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++)
		if (state->fenced[barrier][s])
			memset(state->fenced[barrier][s], 0, state->race->width * sizeof(uint32_t));
}

void exec_race_meet(struct exec_warp *w)
{
	struct exec_race_block *state = watched(w->block);
	uint32_t index = exec_race_index(w);

	if (!state)
		return;
	tick(state, index);
	state->warps[index].met = state->warps[index].clock[state->first + index];
}
