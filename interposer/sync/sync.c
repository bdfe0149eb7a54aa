/* Host synchronization: what is news, and how it is written. */
#include "interposer/sync/sync.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/assert.h"
#include "base/option.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/stack/stack.h"
#include "interposer/core/environment.h"
#include "interposer/core/thread.h"
#include "interposer/core/code_range.h"
#include "interposer/core/module.h"
#include "interposer/core/raw.h"
#include "interposer/core/arena.h"

struct sc_sync_session sc_sync;

#define OBJECTS_MAX 16384
#define HELD_MAX    1024 /* locks that one thread holds, as the analyzer takes */

bool sc_sync_is_followed(void)
{
	return atomic_load_explicit(&sc_sync.wanted, memory_order_relaxed) &&
	       sc_session_is_live() && !sc_self.busy && !sc_self.depth;
}

void sc_sync_want(void)
{
	if (atomic_load_explicit(&sc_sync.wanted, memory_order_relaxed) ||
	    atomic_exchange(&sc_sync.wanted, 1))
		return;
	sc_put_source("host synchronization", true);
}

/* Before a session: what the options will be. They are read once, because many may ask; not on the
 * stack, which may be small. */
static bool is_strict_to_come(void)
{
	static atomic_int answer; /* 0: not known; 1: no; 2: yes */
	int known = atomic_load_explicit(&answer, memory_order_relaxed);
	struct sc_options *options;
	char message[8];

	if (known)
		return known == 2;
	options = sc_arena_map(sizeof(*options), MAP_PRIVATE);
	if (!options)
		return false;
	sc_environment_read_options(options, message, sizeof(message));
	known = options->hosts ? 2 : 1;
	sc_raw_unmap(options, sizeof(*options));
	atomic_store_explicit(&answer, known, memory_order_relaxed);
	return known == 2;
}

bool sc_sync_is_asked(void)
{
	switch ((enum sc_state)atomic_load_explicit(&sc_session.state, memory_order_relaxed)) {
	case SC_IDLE:
	case SC_STARTING: return is_strict_to_come();
	case SC_LIVE: return atomic_load_explicit(&sc_sync.wanted, memory_order_relaxed);
	case SC_CLOSED: break;
	}
	return false;
}

static uint32_t new_id(void)
{
	return 1 + atomic_fetch_add_explicit(&sc_session.object_ids, 1, memory_order_relaxed);
}

static struct sc_sync_point *find(const void *address)
{
	return sc_table_get(&sc_sync.table, (uint64_t)(uintptr_t)address);
}

static struct sc_sync_point *make(const void *address)
{
	struct sc_sync_session *s = &sc_sync;
	struct sc_sync_point *o = find(address);

	if (o)
		return o;
	if (atomic_fetch_add(&s->objects, 1) < OBJECTS_MAX)
		o = sc_arena_get(sizeof(*o));
	if (!o) {
		sc_put_loss(SC_GAP_sync_objects);
		return NULL;
	}
	*o = (struct sc_sync_point){.id = new_id()};
	/* another thread may have made one at the same time, and used it */
	return sc_table_add(&s->table, (uint64_t)(uintptr_t)address, o);
}

/* ---- threads ---- */

static uint32_t take_slot(void)
{
	struct sc_sync_session *s = &sc_sync;
	unsigned taken = atomic_load(&s->slots);

	while (~taken) {
		uint32_t free = (uint32_t)__builtin_ctz(~taken);

		if (atomic_compare_exchange_weak(&s->slots, &taken, taken | 1u << free))
			return free;
	}
	return SC_SYNC_SLOTS;
}

static struct sc_sync_thread *self(void)
{
	struct sc_sync_thread *t = sc_self.sync;

	if (t)
		return t;
	t = sc_arena_take(SC_ARENA_SYNC, sizeof(*t));
	if (!t)
		return NULL;
	*t = (struct sc_sync_thread){.slot = SC_SYNC_SLOTS, .held_room = SC_SYNC_HELD};
	t->held = t->first;
	sc_self.sync = t;
	return t;
}

/* The thread's own component: what it has recorded so far. Those that record nothing, as most
 * members of teams, need none. */
static void count_own(struct sc_sync_thread *t)
{
	if (t->slot == SC_SYNC_SLOTS && sc_self.records && !t->is_left_out) {
		t->slot = take_slot();
		t->is_left_out = t->slot == SC_SYNC_SLOTS;
		if (!t->is_left_out)
			sc_self.records += sc_sync.counts[t->slot];
	}
	if (t->slot < SC_SYNC_SLOTS)
		t->known[t->slot] = sc_self.records;
}

/* True if the clock does not say all that the thread knows. */
static bool has_unclocked(const struct sc_sync_thread *t)
{
	return t->has_unclocked || (t->is_left_out && sc_self.records);
}

void sc_sync_end_thread(void)
{
	struct sc_sync_thread *t = sc_self.sync;

	if (!t)
		return;
	t->is_left_out = true;
	if (t->slot == SC_SYNC_SLOTS)
		return;
	sc_assert(atomic_load(&sc_sync.slots) & 1u << t->slot);
	sc_sync.counts[t->slot] = sc_self.records;
	atomic_fetch_and(&sc_sync.slots, ~(1u << t->slot));
	t->slot = SC_SYNC_SLOTS;
}

void sc_sync_thread_gone(struct sc_sync_thread *thread)
{
	sc_arena_give(SC_ARENA_SYNC, thread);
}

bool sc_sync_is_inner(uint64_t caller)
{
	struct sc_sync_thread *t = sc_self.sync;
	const struct sc_code_range *range;

	if (t && caller - t->other_start < t->other_bytes)
		return false;
	range = sc_code_range_find(caller);
	if (range && (range->code == SC_CODE_DRIVER || range->code == SC_CODE_RUNTIME))
		return true;
	if (t && range) {
		t->other_start = range->start;
		t->other_bytes = range->bytes;
	}
	return false;
}

static bool join(uint64_t *to, const uint64_t *from)
{
	bool is_news = false;

	for (unsigned i = 0; i < SC_SYNC_SLOTS; i++) {
		if (to[i] >= from[i])
			continue;
		to[i] = from[i];
		is_news = true;
	}
	return is_news;
}

/* ---- writing ---- */

static uint64_t put(enum sc_op_kind kind, uint32_t object, enum sc_sync_object what)
{
	struct sc_op op = sc_put_new(kind);

	op.object = object;
	op.value = what;
	return sc_put_order(&op);
}

/* Reports name the line at which a thread waits for a signal (SC-319). */
static void put_acquire(const struct sc_sync_point *o, enum sc_sync_object what, uint32_t flags)
{
	struct sc_op op = sc_put_new(SC_OP_SYNC_ACQUIRE);

	op.object = o->id;
	op.value = what;
	op.flags |= flags;
	if (what == SC_SYNC_SEMAPHORE || what == SC_SYNC_CONDITION)
		op.stack = sc_stack_here().id;
	sc_put_order(&op);
}

static bool is_lock(enum sc_sync_object kind)
{
	return kind == SC_SYNC_LOCK || kind == SC_SYNC_SHARED_LOCK;
}

/* Sharded tables are locked as a whole, by a lock for each shard. What the arena gave stays used.
 */
static bool make_room(struct sc_sync_thread *t)
{
	uint32_t room = 2 * t->held_room;
	struct sc_sync_held *held = room <= HELD_MAX ? sc_arena_get(room * sizeof(*held)) : NULL;

	if (!held)
		return false;
	memcpy(held, t->held, t->held_count * sizeof(*held));
	t->held = held;
	t->held_room = room;
	return true;
}

static void hold(struct sc_sync_thread *t, const void *object, enum sc_sync_object kind)
{
	if (t->held_count == t->held_room && !make_room(t)) {
		sc_put_gap(SC_GAP_held_locks, 1);
		return;
	}
	sc_assert(t->held_count < t->held_room);
	t->held[t->held_count].object = object;
	t->held[t->held_count++].kind = kind;
}

static void let_go(struct sc_sync_thread *t, const void *object)
{
	for (uint32_t i = t->held_count; i-- > 0;) {
		if (t->held[i].object != object)
			continue;
		t->held[i] = t->held[--t->held_count];
		return;
	}
}

static bool knows_something(const struct sc_sync_thread *t)
{
	return sc_self.records || t->has_learned;
}

bool sc_sync_has_news(void)
{
	const struct sc_sync_thread *t = sc_self.sync;

	return sc_sync_is_followed() && (sc_self.records || (t && t->has_learned));
}

static void release(struct sc_sync_thread *t, struct sc_sync_point *o, enum sc_sync_object kind)
{
	bool is_news;

	count_own(t);
	sc_lock_get(&o->lock);
	is_news = join(o->known, t->known) || sc_self.callback || has_unclocked(t);
	o->has_unclocked |= has_unclocked(t);
	if (sc_self.callback) {
		o->is_of_callback = true;
		o->taken = 0;
	}
	if (is_news && !o->id)
		o->id = new_id();
	sc_lock_put(&o->lock);
	if (is_news)
		put(SC_OP_SYNC_RELEASE, o->id, kind);
}

void sc_sync_release(const void *address, enum sc_sync_object kind)
{
	struct sc_sync_thread *t;
	struct sc_sync_point *o;
	int saved = errno;

	if (!sc_sync_is_followed())
		return;
	t = self();
	o = t && knows_something(t) ? make(address) : NULL;
	if (o)
		release(t, o, kind);
	if (t && kind == SC_SYNC_LOCK)
		let_go(t, address);
	errno = saved;
}

void sc_sync_point_release(struct sc_sync_point *point, enum sc_sync_object kind)
{
	struct sc_sync_thread *t;
	int saved = errno;

	if (!sc_sync_is_followed())
		return;
	t = self();
	if (t && knows_something(t))
		release(t, point, kind);
	errno = saved;
}

struct sc_sync_point *sc_sync_own_point(void)
{
	struct sc_sync_thread *t = sc_sync_is_followed() ? self() : NULL;

	return t ? &t->own : NULL;
}

void sc_sync_point_seed(struct sc_sync_point *point, const struct sc_sync_point *known)
{
	memcpy(point->known, known->known, sizeof(point->known));
}

/* True if the thread did not know yet what a host function released last. It knows more then. */
static bool take(struct sc_sync_point *o)
{
	uint32_t count = o->taken < SC_SYNC_TAKERS ? o->taken : SC_SYNC_TAKERS;

	if (!o->is_of_callback)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (o->takers[i] == sc_thread_id())
			return false;
	sc_assert(o->id); /* something was released */
	o->takers[o->taken++ % SC_SYNC_TAKERS] = sc_thread_id();
	sc_self.records++;
	return true;
}

/* True if the thread, or the callback that it runs, learns something. */
static bool learn(struct sc_sync_thread *t, struct sc_sync_point *o)
{
	bool is_news = sc_self.callback || t->is_left_out;

	sc_lock_get(&o->lock);
	is_news |= o->has_unclocked;
	if (!sc_self.callback) {
		is_news |= join(t->known, o->known);
		is_news |= take(o);
		t->has_unclocked |= o->has_unclocked;
	}
	sc_lock_put(&o->lock);
	t->has_learned |= is_news;
	return is_news;
}

void sc_sync_acquire(const void *address, enum sc_sync_object kind, uint32_t flags)
{
	struct sc_sync_thread *t;
	struct sc_sync_point *o;
	int saved = errno;

	if (!sc_sync_is_followed())
		return;
	t = self();
	o = t ? find(address) : NULL;
	if (o && learn(t, o))
		put_acquire(o, kind, flags);
	if (t && is_lock(kind))
		hold(t, address, kind);
	errno = saved;
}

void sc_sync_point_acquire(struct sc_sync_point *point, enum sc_sync_object kind)
{
	struct sc_sync_thread *t;
	int saved = errno;

	if (!sc_sync_is_followed())
		return;
	t = self();
	if (t && point->id && learn(t, point))
		put_acquire(point, kind, 0);
	errno = saved;
}

uint64_t sc_sync_begin(const void *address, enum sc_sync_object kind)
{
	struct sc_op op;
	struct sc_sync_point *o;
	uint64_t begin = SC_NOT_WRITTEN;
	int saved = errno;

	if (!sc_self.callback || !sc_sync_is_followed())
		return begin;
	o = make(address);
	if (o) {
		op = sc_put_new(SC_OP_SYNC_ACQUIRE);
		op.phase = SC_PHASE_BEGIN;
		op.result = SC_RESULT_PENDING;
		op.object = o->id;
		op.value = kind;
		begin = sc_put_order(&op);
	}
	errno = saved;
	return begin;
}

void sc_sync_end(const void *address, enum sc_sync_object kind, uint64_t begin, bool success)
{
	struct sc_sync_point *o = begin == SC_NOT_WRITTEN ? NULL : find(address);
	struct sc_op op;
	int saved = errno;

	if (!o) {
		if (success)
			sc_sync_acquire(address, kind, 0);
		return;
	}
	op = sc_put_new(SC_OP_SYNC_ACQUIRE);
	op.phase = SC_PHASE_END;
	op.link = begin + 1;
	op.result = success ? 0 : 1;
	op.object = o->id;
	op.value = kind;
	sc_put_order(&op);
	sc_put_result(begin, op.result);
	errno = saved;
}

void sc_sync_record_held(void)
{
	const struct sc_sync_thread *t = sc_self.sync;

	for (uint32_t i = 0; t && i < t->held_count; i++) {
		struct sc_sync_point *o = make(t->held[i].object);

		if (o)
			put(SC_OP_SYNC_HOLD, o->id, t->held[i].kind);
	}
}

void sc_sync_release_new(struct sc_sync_point *point)
{
	struct sc_sync_thread *t = sc_sync_is_followed() ? self() : NULL;

	if (!t)
		return;
	count_own(t);
	join(point->known, t->known);
	point->has_unclocked = has_unclocked(t);
	point->id = new_id();
	put(SC_OP_SYNC_RELEASE, point->id, SC_SYNC_THREAD);
}

void sc_sync_acquire_new(struct sc_sync_point *point)
{
	struct sc_sync_thread *t = point->id && sc_sync_is_followed() ? self() : NULL;

	if (t)
		learn(t, point);
}

/* ---- the module ---- */

static void begin(void)
{
	if (sc_session.options.hosts)
		sc_sync_want();
}

const struct sc_module sc_module_sync = {.begin = begin, SC_MODULE_STATE(sc_sync)};
