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

#define WARPS_A_WORD 16 /* of a clock, joined in the time of an access to a word */
#define TIME_MOST    INT32_MAX
#define HEAP_WORD    1	  /* an address that no word has: of the heap's lock */
#define SPINS	     5000 /* the lock is held for an access: to give way takes longer */

static void lock(struct exec_race *race)
{
	for (unsigned spins = 0;
	     atomic_exchange_explicit(&race->is_busy, true, memory_order_acquire); spins++)
		while (atomic_load_explicit(&race->is_busy, memory_order_relaxed))
			if (++spins > SPINS)
				sched_yield();
}

static void unlock(struct exec_race *race)
{
	atomic_store_explicit(&race->is_busy, false, memory_order_release);
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

	exec_clock_join(to + first, from + first, end - first);
}

static void join(const struct exec_race_block *state, uint32_t *to, const uint32_t *from)
{
	join_half(state, to, from);
	join_half(state, to + state->race->width, from + state->race->width);
}

static void join_notice(const struct exec_race_block *state, uint32_t *to,
			const struct exec_race_notice *n)
{
	if (n->orders_writes)
		join_half(state, to, n->clock);
	join_half(state, to + state->race->width, n->clock + state->race->width);
}

/* So many words are accessed, or clocks joined in the time of so many. */
bool exec_race_pay(struct exec_race *race, uint64_t words)
{
	if (atomic_fetch_sub_explicit(&race->left, words, memory_order_relaxed) >= words)
		return 1;
	exec_race_give_up(race);
	return 0;
}

static unsigned cost_of_clock(const struct exec_race *race)
{
	return race->width / WARPS_A_WORD + 1;
}

/* The clock at *place, which is made if it is not there; NULL: no memory, and nothing is watched
 * any more. */
static uint32_t *made(struct exec_race *race, uint32_t **place)
{
	if (!*place)
		*place = exec_race_new_clock(race, 1);
	if (!*place)
		exec_race_give_up(race);
	return *place;
}

static void tick(struct exec_race_block *state, uint32_t w)
{
	uint32_t *clock = state->warps[w].clock, own = state->first + w;

	if (clock[own] < TIME_MOST)
		clock[own]++;
	clock[own + state->race->width] = clock[own];
}

/* What all lanes of the warp learn at that time of it. */
static void meet_until(struct exec_race_warp *warp, uint32_t time)
{
	if (time > warp->met)
		warp->met = time;
}

/* All lanes of the warp know it, and what they did themselves until then. */
static void learn(struct exec_race_block *state, uint32_t w, const uint32_t *clock)
{
	meet_until(&state->warps[w], clock[state->first + w]);
	join(state, state->warps[w].clock, clock);
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

static struct exec_race_words *words_of(struct exec_race_block *state, enum exec_race_scope scope)
{
	return scope == EXEC_RACE_DEVICE ? &state->race->words : &state->words;
}

/* `fenced` NULL: of writes nothing. */
static void publish_at(struct exec_race_block *state, enum exec_race_scope scope, uint64_t address,
		       const uint32_t *fenced, const uint32_t *clock)
{
	struct exec_race *race = state->race;
	struct exec_race_notice *n = exec_race_words_own(words_of(state, scope), address);

	exec_race_pay(race, cost_of_clock(race));
	if (!n) {
		exec_race_give_up(race);
		return;
	}
	if (fenced)
		join_half(state, n->clock, fenced);
	n->orders_writes |= fenced != NULL;
	join_half(state, n->clock + race->width, clock + race->width);
}

/* All that the warp knows, at each of these words. */
static void publish_whole(struct exec_race_block *state, uint32_t w, enum exec_race_scope scope,
			  uint32_t lanes, const uint64_t *address, uint64_t mask)
{
	struct exec_race *race = state->race;
	struct exec_race_words *words = words_of(state, scope);
	struct exec_race_notice *n;
	bool ok;

	tick(state, w); /* no other notice is of that time */
	n = exec_race_notice_new(words, state->first + w, state->warps[w].clock);
	ok = n != NULL;
	exec_race_pay(race, cost_of_clock(race) + (unsigned)__builtin_popcount(lanes));
	for (; ok && lanes; lanes &= lanes - 1)
		ok = exec_race_words_add(words, address[__builtin_ctz(lanes)] & mask, n);
	exec_race_notice_put(n);
	if (!ok)
		exec_race_give_up(race);
}

/* Which writes the warp publishes with that scope; NULL: none. */
static const uint32_t *fenced_of(const struct exec_race_block *state,
				 const struct exec_race_event *e, enum exec_race_scope scope)
{
	const struct exec_race_warp *warp;

	if (!state->is_watched)
		return state->knows_writes ? state->clocks : NULL;
	warp = &state->warps[exec_race_index(e->w)];
	if (e->order & (EXEC_ORDER_RELEASE | EXEC_ORDER_BOTH))
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

/* Where nothing is for a block only, what is for all serves its own threads, too. */
static unsigned first_scope(const struct exec_race_block *state)
{
	return state->is_watched && state->race->has_narrow ? EXEC_RACE_BLOCK : EXEC_RACE_DEVICE;
}

static void publish(struct exec_race_block *state, const struct exec_race_event *e, uint32_t lanes)
{
	const uint32_t *clock =
		state->is_watched ? state->warps[exec_race_index(e->w)].clock : state->clocks;
	bool is_wide = has_device_scope(e->order);

	for (unsigned s = first_scope(state); s < (is_wide ? EXEC_RACE_SCOPES : 1); s++) {
		const uint32_t *fenced = fenced_of(state, e, (enum exec_race_scope)s);
		bool is_whole = state->is_watched && fenced == clock;
		uint64_t last = 0;

		if (is_whole)
			publish_whole(state, exec_race_index(e->w), (enum exec_race_scope)s, lanes,
				      e->address, UINT64_MAX);
		for (uint32_t left = is_whole ? 0 : lanes; left; left &= left - 1) {
			uint64_t at = e->address[__builtin_ctz(left)];

			if (at != last || left == lanes)
				publish_at(state, (enum exec_race_scope)s, at, fenced, clock);
			last = at;
		}
	}
}

/* The warp learns what it did not know. */
static inline void learn_notice(struct exec_race_block *state, uint32_t w,
				const struct exec_race_notice *n)
{
	struct exec_race_warp *warp = &state->warps[w];

	meet_until(warp, n->clock[state->first + w]);
	if (exec_race_knows(warp->clock, n))
		return;
	exec_race_pay(state->race, cost_of_clock(state->race));
	join_notice(state, warp->clock, n);
}

static void read_notice(struct exec_race_block *state, const struct exec_race_event *e,
			enum exec_race_scope scope, const struct exec_race_notice *n)
{
	uint32_t w = exec_race_index(e->w), *to;
	struct exec_race_warp *warp = &state->warps[w];

	if (state->is_watched && !exec_race_takes_lock(e)) {
		learn_notice(state, w, n);
		return;
	}
	exec_race_pay(state->race, cost_of_clock(state->race));
	if (state->is_watched) {
		to = made(state->race, &warp->unfenced[scope]);
		if (to && n->orders_writes)
			join_half(state, to, n->clock);
		warp->has_unfenced[scope] = to != NULL;
		join_half(state, warp->clock + state->race->width, n->clock + state->race->width);
		return;
	}
	to = made(state->race, &state->clocks);
	if (to)
		join_notice(state, to, n);
	state->knows_writes |= n->orders_writes;
}

/* What was published at the words becomes known, or will by a fence. */
static void read_words(struct exec_race_block *state, const struct exec_race_event *e)
{
	bool is_wide = has_device_scope(e->order);

	for (unsigned s = first_scope(state); s < (is_wide ? EXEC_RACE_SCOPES : 1); s++) {
		const struct exec_race_words *words = words_of(state, (enum exec_race_scope)s);
		const struct exec_race_notice *last = NULL;

		if (!atomic_load_explicit(&words->count, memory_order_acquire))
			continue;
		for (uint32_t left = e->lanes; left; left &= left - 1) {
			const struct exec_race_notice *n =
				exec_race_words_find(words, e->address[__builtin_ctz(left)]);

			if (n && n != last)
				read_notice(state, e, (enum exec_race_scope)s, n);
			last = n;
		}
	}
}

/* Of addresses in the cluster's shared memory: a block's begin where the last one's end. */
static void find_offsets(const struct exec_block *b, uint32_t lanes, const uint64_t *address,
			 uint64_t *offsets)
{
	uint64_t row = EXEC_RACE_ROW_BYTES(b->shared_bytes);

	for (; lanes; lanes &= lanes - 1) {
		unsigned i = (unsigned)__builtin_ctz(lanes);

		offsets[i] = exec_rank_of(b, (uint32_t)address[i]) * row +
			     (address[i] & EXEC_OFFSET_MASK);
	}
}

/* An access to words of the block's shared memory, whose threads run one at a time. */
static void notify_in_shared(struct exec_race_block *state, const struct exec_block *b, uint32_t w,
			     uint32_t lanes, const uint64_t *address, enum exec_use use)
{
	const struct exec_race_notice *n, *last = NULL;
	uint64_t offsets[EXEC_LANES];

	if (b->cluster->count > 1) {
		find_offsets(b, lanes, address, offsets);
		address = offsets;
	}

	for (uint32_t left = use == EXEC_WRITE ? 0 : lanes; left; left &= left - 1) {
		n = exec_race_words_find(&state->words,
					 address[__builtin_ctz(left)] & EXEC_OFFSET_MASK);
		if (n && n != last)
			learn_notice(state, w, n);
		last = n;
	}
	if (use != EXEC_READ && use != EXEC_ATOMIC_READ)
		publish_whole(state, w, EXEC_RACE_BLOCK, lanes, address, EXEC_OFFSET_MASK);
	tick(state, w);
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

	if (!e->lanes)
		return;
	if (state->is_watched)
		exec_race_note_changes(e);
	if (reads || state->is_watched)
		lock(state->race);
	if (reads)
		read_words(state, e);
	if (state->is_watched)
		exec_race_check(b);
	if (reads || state->is_watched)
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
		      const struct exec_region *r, bool is_write)
{
	for (uint32_t left = lanes; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		e->address[i] = address[i];
		if (!is_write)
			continue;
		e->host[i] =
			r->bytes ? (char *)((uintptr_t)r->bytes + (address[i] - r->base)) : NULL;
		if (e->host[i])
			exec_race_load(e->before[i], e->host[i], e->bytes);
	}
	e->origin = e->lanes || !r->bytes ? 0 : (uintptr_t)r->bytes - r->base;
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
	e->is_signal = exec_race_may_notify(in, use);
	e->begun = UINT32_MAX;
}

void exec_race_access(struct exec_warp *w, const struct exec_instruction *in, uint32_t lanes,
		      const uint64_t *address, const struct exec_region *r, unsigned bytes,
		      enum exec_use use)
{
	struct exec_race_block *state = w->block->race;
	struct exec_race_event *e = &state->event;
	bool is_write = use != EXEC_READ && use != EXEC_ATOMIC_READ, publishes;
	uint32_t place = exec_race_place(w, in);

	if (e->w != w || e->place != place || e->use != use || (!r->is_shared && e->lanes & lanes))
		state = settled(w->block);
	if (!state || (use != EXEC_READ && is_of_copy(w, in)))
		return;
	if (r->is_shared) {
		if (state->is_watched)
			notify_in_shared(state, w->block, exec_race_index(w), lanes, address, use);
		return;
	}
	e = &state->event;
	if (!e->lanes)
		begin_event(state, w, in, place, bytes, use);
	if (!e->is_signal && !state->is_watched)
		return;
	add_lanes(e, lanes, address, r, is_write);
	publishes = is_write && (e->is_signal || is_sign(state, w, use));
	if (is_write && use != EXEC_SWAP && state->is_watched)
		close_lock(state, e, lanes);
	if (!publishes || (!state->is_watched && !state->clocks))
		return;
	lock(state->race);
	if (e->begun == UINT32_MAX)
		e->begun = state->race->settled;
	publish(state, e, lanes);
	unlock(state->race);
	atomic_thread_fence(memory_order_release);
}

void exec_race_notify_by_heap(struct exec_warp *w)
{
	struct exec_race_block *state = settled(w->block);
	const struct exec_race_notice *known;
	const uint32_t *clock;

	if (!state)
		return;
	lock(state->race);
	known = exec_race_words_find(&state->race->words, HEAP_WORD);
	if (known && state->is_watched)
		learn_notice(state, exec_race_index(w), known);
	else if (known && made(state->race, &state->clocks))
		join_notice(state, state->clocks, known);
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

/* The cluster's: of its phase now, or of the one that is over. */
static struct exec_race_barrier *barrier_of(const struct exec_race_block *state,
					    const struct exec_block *b, uint32_t barrier,
					    bool is_over)
{
	uint32_t rank = barrier == EXEC_CLUSTER_BARRIER ? b->cluster->count : b->rank;

	return &state->barriers[rank * EXEC_ALL_BARRIERS +
				(barrier == EXEC_CLUSTER_BARRIER ? is_over : barrier)];
}

/* What a swap read is known after a barrier: who took a lock lets the others of its block in. */
void exec_race_arrive(struct exec_warp *w, uint32_t barrier)
{
	struct exec_race_block *state = watched(w->block);
	struct exec_race_barrier *at;
	uint32_t index = exec_race_index(w), *clock;

	if (!state)
		return;
	for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++)
		learn_unfenced(state, index, (enum exec_race_scope)s);
	tick(state, index);
	at = barrier_of(state, w->block, barrier, 0);
	join_fenced(state, at->fenced, state->warps[index].fenced);
	clock = made(state->race, &at->clock);
	if (clock)
		join(state, clock, state->warps[index].clock);
}

/* Reads need no fence. */
void exec_race_arrive_relaxed(struct exec_warp *w)
{
	struct exec_race_block *state = watched(w->block);
	const struct exec_race_warp *warp;
	struct exec_race_barrier *at;
	uint32_t *clock;

	if (!state)
		return;
	warp = &state->warps[exec_race_index(w)];
	at = barrier_of(state, w->block, EXEC_CLUSTER_BARRIER, 0);
	join_fenced(state, at->fenced, warp->fenced);
	clock = made(state->race, &at->clock);
	if (clock && warp->fenced[EXEC_RACE_BLOCK])
		join_half(state, clock, warp->fenced[EXEC_RACE_BLOCK]);
	if (clock)
		join_half(state, clock + state->race->width, warp->clock + state->race->width);
	tick(state, exec_race_index(w));
}

void exec_race_leave(struct exec_warp *w, uint32_t barrier)
{
	struct exec_race_block *state = watched(w->block);
	const struct exec_race_barrier *at = state ? barrier_of(state, w->block, barrier, 1) : NULL;

	if (!at || !at->clock)
		return;
	learn(state, exec_race_index(w), at->clock);
	join_fenced(state, state->warps[exec_race_index(w)].fenced, at->fenced);
}

void exec_race_end_phase(struct exec_block *b, uint32_t barrier)
{
	struct exec_race_block *state = watched(b);
	struct exec_race_barrier *at = state ? barrier_of(state, b, barrier, 0) : NULL;

	if (at && barrier == EXEC_CLUSTER_BARRIER) {
		struct exec_race_barrier over = at[1];

		at[1] = at[0];
		at[0] = over;
	}
	if (!at || !at->clock)
		return;
	memset(at->clock, 0, state->race->width * 2 * sizeof(uint32_t));
	for (unsigned s = 0; s < EXEC_RACE_SCOPES; s++)
		if (at->fenced[s])
			memset(at->fenced[s], 0, state->race->width * sizeof(uint32_t));
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
