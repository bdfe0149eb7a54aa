/* The table of allocations: sorted ranges under a sequence lock. */
#include "interposer/memory.h"
#include "base/search.h"

#include <errno.h>
#include <string.h>
#include "interposer/raw.h"

#define FIRST_ROOM 1024
/* A reader may look at entries while they move; the version tells it afterwards. */
#define READS_ANYWAY __attribute__((no_sanitize("thread")))
#define MOST_TRIES   100

READS_ANYWAY static uint64_t end_of(const struct sc_allocation *a)
{
	return a->start + a->bytes;
}

/* Index of the first entry that ends behind `address`. */
READS_ANYWAY static uint32_t first_behind(const struct sc_allocation *entries, uint32_t count,
					  uint64_t address)
{
	size_t i;

	SC_SEARCH(i, count, end_of(&entries[i]) <= address);
	return (uint32_t)i;
}

static void write_begin(struct sc_memory_table *t)
{
	sc_lock_get(&t->lock);
	atomic_fetch_add_explicit(&t->version, 1, memory_order_relaxed);
	/* release fence: pairs with the acquire of `version` in sc_memory_find */
	atomic_thread_fence(memory_order_release);
}

static void write_end(struct sc_memory_table *t)
{
	atomic_fetch_add_explicit(&t->version, 1, memory_order_release);
	sc_lock_put(&t->lock);
}

/* A larger array. The old one stays mapped: a reader may be in it. */
static bool make_room(struct sc_memory_table *t)
{
	uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
	struct sc_allocation *entries;

	if (t->count < t->room)
		return true;
	entries = sc_raw_map(room * sizeof(*entries), MAP_PRIVATE);
	if (!entries)
		return false;
	if (t->count)
		memcpy(entries, t->entries, t->count * sizeof(*entries));
	/* release: pairs with the acquire in try_find, which reads the count first */
	__atomic_store_n(&t->entries, entries, __ATOMIC_RELEASE);
	t->room = room;
	return true;
}

static void drop(struct sc_memory_table *t, uint32_t at, uint32_t n)
{
	if (!n)
		return;
	memmove(&t->entries[at], &t->entries[at + n], (t->count - at - n) * sizeof(t->entries[0]));
	t->count -= n;
}

static bool insert(struct sc_memory_table *t, const struct sc_allocation *a)
{
	uint32_t at = first_behind(t->entries, t->count, a->start), n = 0;

	while (at + n < t->count && t->entries[at + n].start < end_of(a))
		n++;
	drop(t, at, n);
	if (!make_room(t))
		return false;
	if (at < t->count)
		memmove(&t->entries[at + 1], &t->entries[at],
			(t->count - at) * sizeof(t->entries[0]));
	t->entries[at] = *a;
	__atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
	return true;
}

static void widen_to(_Atomic uint64_t *low, _Atomic uint64_t *high, const struct sc_allocation *a)
{
	uint64_t old = atomic_load_explicit(high, memory_order_relaxed);

	if (!old || a->start < atomic_load_explicit(low, memory_order_relaxed))
		atomic_store_explicit(low, a->start, memory_order_relaxed);
	if (end_of(a) > old)
		atomic_store_explicit(high, end_of(a), memory_order_relaxed);
}

/* Bounds never shrink: they only spare look-ups. */
static void widen(struct sc_memory_table *t, const struct sc_allocation *a)
{
	widen_to(&t->low, &t->high, a);
	if (sc_memory_is_host(a->memory))
		widen_to(&t->host_low, &t->host_high, a);
}

int sc_memory_add(struct sc_memory_table *t, const struct sc_allocation *a)
{
	struct sc_allocation other = *a;
	bool ok;

	if (!a->bytes || a->start + a->bytes < a->start)
		return -EINVAL;
	write_begin(t);
	ok = insert(t, a);
	if (ok && a->alias && a->alias != a->start) {
		other.start = a->alias;
		other.host = a->start;
		ok = insert(t, &other);
		widen(t, &other);
	}
	widen(t, a);
	write_end(t);
	return ok ? 0 : -ENOMEM;
}

static void remove_at(struct sc_memory_table *t, uint64_t start, uint32_t object)
{
	uint32_t at = first_behind(t->entries, t->count, start);
	uint64_t alias;

	if (at >= t->count || t->entries[at].start != start)
		return;
	if (object && t->entries[at].object != object)
		return;
	object = t->entries[at].object;
	alias = t->entries[at].alias;
	drop(t, at, 1);
	if (alias && alias != start)
		remove_at(t, alias, object);
}

void sc_memory_remove(struct sc_memory_table *t, uint64_t start, uint32_t object)
{
	write_begin(t);
	remove_at(t, start, object);
	write_end(t);
}

void sc_memory_open(struct sc_memory_table *t, uint64_t start)
{
	uint32_t at;

	write_begin(t);
	at = first_behind(t->entries, t->count, start);
	if (at < t->count && t->entries[at].start == start)
		t->entries[at].is_open = true;
	write_end(t);
}

void sc_memory_remove_module(struct sc_memory_table *t, uint32_t module)
{
	write_begin(t);
	for (uint32_t i = t->count; module && i--;) {
		if (t->entries[i].module == module)
			drop(t, i, 1);
	}
	write_end(t);
}

void sc_memory_remove_context(struct sc_memory_table *t, uint32_t context)
{
	write_begin(t);
	for (uint32_t i = t->count; context && i--;) {
		if (t->entries[i].context == context && !(t->entries[i].flags & SC_FLAG_POOL))
			drop(t, i, 1);
	}
	write_end(t);
}

/* One attempt of a reader: -1 if a writer was at work. */
READS_ANYWAY static int try_find(struct sc_memory_table *t, uint64_t address,
				 struct sc_allocation *out)
{
	/* acquire: pairs with the release in write_end */
	unsigned before = atomic_load_explicit(&t->version, memory_order_acquire);
	uint32_t count = __atomic_load_n(&t->count, __ATOMIC_ACQUIRE), at;
	const struct sc_allocation *entries = __atomic_load_n(&t->entries, __ATOMIC_ACQUIRE);
	bool found = false;

	if (before & 1)
		return -1;
	at = first_behind(entries, count, address);
	if (at < count && entries[at].start <= address) {
		*out = entries[at];
		found = true;
	}
	atomic_thread_fence(memory_order_acquire);
	if (atomic_load_explicit(&t->version, memory_order_relaxed) != before)
		return -1;
	return found;
}

bool sc_memory_find(struct sc_memory_table *t, uint64_t address, struct sc_allocation *out)
{
	int found = -1;

	for (unsigned i = 0; found < 0 && i < MOST_TRIES; i++)
		found = try_find(t, address, out);
	if (found < 0 && sc_self.busy)
		return false; /* this thread may be the writer, interrupted */
	if (found < 0) {      /* the writer was put to sleep: wait for it */
		sc_lock_get(&t->lock);
		found = try_find(t, address, out);
		sc_lock_put(&t->lock);
	}
	return found > 0;
}

void sc_memory_hold_host(struct sc_memory_table *t, uint32_t object)
{
	write_begin(t);
	for (uint32_t i = 0; i < t->count; i++)
		if (t->entries[i].object == object)
			t->entries[i].flags |= SC_FLAG_SYNC_MEMOPS;
	write_end(t);
	atomic_store_explicit(&t->holding, 1, memory_order_relaxed);
}

bool sc_memory_next(struct sc_memory_table *t, uint64_t address, struct sc_allocation *out)
{
	uint32_t at;
	bool found;

	sc_lock_get(&t->lock);
	at = first_behind(t->entries, t->count, address);
	found = at < t->count;
	if (found)
		*out = t->entries[at];
	sc_lock_put(&t->lock);
	return found;
}

bool sc_memory_touches(struct sc_memory_table *t, uint64_t start, uint64_t bytes)
{
	uint32_t at;
	bool touches;

	sc_lock_get(&t->lock);
	at = first_behind(t->entries, t->count, start);
	touches = at < t->count && t->entries[at].start < start + bytes;
	sc_lock_put(&t->lock);
	return touches;
}
