/* The table of allocations: sorted ranges under a sequence lock. */
#include "interposer/object/memory.h"
#include "base/assert.h"
#include "base/search.h"

#include <errno.h>
#include <string.h>
#include "interposer/core/raw.h"
#include "interposer/core/put.h"
#include "interposer/core/thread.h"
#include "interposer/core/module.h"
#include "interposer/core/arena.h"

struct sc_memory_table sc_memory;

#define FIRST_ROOM 512 /* a page of pointers */
#define FREED_MOST                                                                    \
	1024 /* freed entries that are kept for their addresses, and a quarter of all \
	      */
/* A reader may look at entries while they move; the version shows afterwards that they did. */
#define READS_ANYWAY __attribute__((no_sanitize("thread")))
#define SWEEP_EACH   16
#define MOST_TRIES   100

/* Of an entry, or of where one belongs. */
struct place {
	uint32_t chunk, at;
};

READS_ANYWAY static uint64_t end_of(const struct sc_known_allocation *a)
{
	return a->start + a->bytes;
}

/* Where a chunk ends; a reader may see any count. */
READS_ANYWAY static uint64_t end_of_chunk(const struct sc_memory_chunk *c)
{
	return end_of(&c->entry[(c->count - 1) % SC_MEMORY_CHUNK]);
}

/* Place of the first entry that ends above `address`, in a list of `count` chunks. */
READS_ANYWAY static struct place first_behind(struct sc_memory_chunk *const *chunk, uint32_t count,
					      uint64_t address)
{
	const struct sc_memory_chunk *c;
	uint32_t entries;
	size_t i, at = 0;

	SC_SEARCH(i, count, end_of_chunk(chunk[i]) <= address);
	if (i < count) {
		c = chunk[i];
		entries = c->count < SC_MEMORY_CHUNK ? c->count : SC_MEMORY_CHUNK;
		SC_SEARCH(at, entries, end_of(&c->entry[at]) <= address);
	}
	return (struct place){(uint32_t)i, (uint32_t)at};
}

/* For writers, and who excludes them: NULL after the last one. */
static struct sc_known_allocation *entry_at(const struct sc_memory_table *t, struct place p)
{
	return p.chunk < t->count ? &t->chunk[p.chunk]->entry[p.at] : NULL;
}

/* Where the next entry is. */
static struct place next_of(const struct sc_memory_table *t, struct place p)
{
	return p.at + 1 < t->chunk[p.chunk]->count ? (struct place){p.chunk, p.at + 1}
						   : (struct place){p.chunk + 1, 0};
}

static uint32_t object_of(const struct sc_known_allocation *a)
{
	return a->recurring ? sc_recurring_object(a->recurring) : a->object;
}

static bool is_freed(const struct sc_known_allocation *a)
{
	return a->was_freed || (a->recurring && !object_of(a));
}

/* As others see it. */
static void copy_out(const struct sc_known_allocation *a, struct sc_known_allocation *out)
{
	*out = *a;
	out->object = object_of(a);
	out->recurring = NULL;
}

/* The first allocation that ends above `address`. */
static struct sc_known_allocation *find_behind(const struct sc_memory_table *t, uint64_t address)
{
	struct place p = first_behind(t->chunk, t->count, address);
	struct sc_known_allocation *a;

	while ((a = entry_at(t, p)) && is_freed(a))
		p = next_of(t, p);
	return a;
}

/* ---- where an address was found before ---- */

/* Any entry, or memory that was one: chunks are never given back, and what has left its place is
 * overwritten or empty there. So whoever finds the address in it has found its entry. */
static uint64_t hash_of(uint64_t start)
{
	return start * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SC_MEMORY_RECENT_BITS);
}

static struct sc_known_allocation **recent_of(struct sc_memory_table *t, uint64_t start)
{
	return &t->recent[hash_of(start)];
}

static struct sc_known_allocation *load_recent(struct sc_memory_table *t, uint64_t start)
{
	return __atomic_load_n(recent_of(t, start), __ATOMIC_RELAXED);
}

/* By a writer. Readers may see the pointer early or late: they compare what it leads to. */
static void note_recent(struct sc_memory_table *t, struct sc_known_allocation *a)
{
	__atomic_store_n(recent_of(t, a->start), a, __ATOMIC_RELAXED);
}

/* The entry that begins at `start`, freed or not; NULL: there is none. For writers. */
static struct sc_known_allocation *find_start(struct sc_memory_table *t, uint64_t start)
{
	struct sc_known_allocation *a = load_recent(t, start);

	if (a && a->start == start && a->bytes)
		return a;
	a = entry_at(t, first_behind(t->chunk, t->count, start));
	if (!a || a->start != start)
		return NULL;
	note_recent(t, a);
	return a;
}

/* The lock's holder is the only writer: a store will do where an addition would stop the processor
 * until all stores before it are done. */
static void count_version(struct sc_memory_table *t, memory_order order)
{
	unsigned version = atomic_load_explicit(&t->version, memory_order_relaxed);

	atomic_store_explicit(&t->version, version + 1, order);
}

static void write_begin(struct sc_memory_table *t)
{
	sc_lock_get(&t->lock);
	sc_assert(t->version % 2 == 0);
	count_version(t, memory_order_relaxed);
	/* release fence: pairs with the acquire of `version` in sc_memory_look_up */
	atomic_thread_fence(memory_order_release);
}

static void write_end(struct sc_memory_table *t)
{
	sc_assert(t->version % 2 == 1);
	count_version(t, memory_order_release);
	sc_lock_put(&t->lock);
}

/* ---- recurring ranges ---- */

static bool can_recur(const struct sc_known_allocation *a)
{
	return a->memory == SC_MEM_DEVICE && (a->flags & SC_FLAG_POOL) && a->start && a->object &&
	       !a->host && !a->alias && !a->module && !a->is_open;
}

/* The allocation becomes one that differs from those before it in its range. */
static void forget_recurring(struct sc_memory_table *t, struct sc_known_allocation *a)
{
	a->object = object_of(a);
	sc_recurring_drop(&t->recurring, a->recurring);
	a->recurring = NULL;
}

/* ---- chunks ---- */

/* A larger list. The old one stays mapped: a reader may be in it. */
static bool make_room(struct sc_memory_table *t)
{
	uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
	struct sc_memory_chunk **chunk;

	if (t->count < t->room)
		return true;
	chunk = sc_arena_map(room * sizeof(struct sc_memory_chunk *), MAP_PRIVATE);
	if (!chunk)
		return false;
	for (uint32_t i = 0; i < t->count; i++)
		chunk[i] = t->chunk[i];
	/* release: pairs with the acquire in try_find, which reads the count first */
	__atomic_store_n(&t->chunk, chunk, __ATOMIC_RELEASE);
	t->room = room;
	return true;
}

/* Pointers move one by one: a reader sees old ones or new ones, never halves. */
static void set_chunk(struct sc_memory_table *t, uint32_t at, struct sc_memory_chunk *c)
{
	__atomic_store_n(&t->chunk[at], c, __ATOMIC_RELAXED);
}

/* An empty chunk at this place of the list, or NULL. */
static struct sc_memory_chunk *add_chunk(struct sc_memory_table *t, uint32_t at)
{
	struct sc_memory_chunk *c;

	if (!make_room(t))
		return NULL;
	c = t->spare;
	if (c)
		t->spare = c->next;
	else
		c = sc_arena_get(sizeof(*c));
	if (!c)
		return NULL;
	for (uint32_t i = t->count; i > at; i--)
		set_chunk(t, i, t->chunk[i - 1]);
	t->moved += t->count - at;
	set_chunk(t, at, c);
	c->count = 0;
	__atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
	return c;
}

static void drop_chunk(struct sc_memory_table *t, uint32_t at)
{
	struct sc_memory_chunk *c = t->chunk[at];

	sc_assert(at < t->count && !c->count);
	c->next = t->spare;
	t->spare = c;
	for (uint32_t i = at; i + 1 < t->count; i++)
		set_chunk(t, i, t->chunk[i + 1]);
	t->moved += t->count - at;
	t->count--;
}

/* ---- entries ---- */

/* Places without an entry are empty, for those who kept a pointer to one. */
static void clear_entries(struct sc_memory_chunk *c, uint32_t from, uint32_t end)
{
	memset(&c->entry[from], 0, (end - from) * sizeof(c->entry[0]));
}

/* Drops an entry; where the next one is then. */
static struct place drop(struct sc_memory_table *t, struct place p)
{
	struct sc_memory_chunk *c = t->chunk[p.chunk];

	sc_assert(p.chunk < t->count && p.at < c->count);
	t->freed -= c->entry[p.at].was_freed;
	sc_recurring_drop(&t->recurring, c->entry[p.at].recurring);
	t->entries--;
	c->count--;
	memmove(&c->entry[p.at], &c->entry[p.at + 1], (c->count - p.at) * sizeof(c->entry[0]));
	clear_entries(c, c->count, c->count + 1);
	t->moved += c->count - p.at;
	if (p.at < c->count)
		return p;
	if (!c->count) {
		drop_chunk(t, p.chunk);
		return (struct place){p.chunk, 0};
	}
	return (struct place){p.chunk + 1, 0};
}

/* The upper half goes to a chunk of its own; what comes at the end begins a new one, since most
 * memory comes at rising addresses. Changes `p` to where it is then. */
static bool split(struct sc_memory_table *t, struct place *p)
{
	struct sc_memory_chunk *c = t->chunk[p->chunk];
	uint32_t kept = p->at == c->count ? c->count : c->count / 2;
	struct sc_memory_chunk *upper = add_chunk(t, p->chunk + 1);

	if (!upper)
		return false;
	memcpy(upper->entry, &c->entry[kept], (c->count - kept) * sizeof(c->entry[0]));
	t->moved += c->count - kept;
	upper->count = c->count - kept;
	clear_entries(c, kept, c->count);
	c->count = kept;
	if (p->at >= kept)
		*p = (struct place){p->chunk + 1, p->at - kept};
	return true;
}

/* The entry is between its neighbours, and overlaps neither. */
static bool is_sorted_at(const struct sc_memory_table *t, struct place p)
{
	const struct sc_memory_chunk *c = t->chunk[p.chunk];
	const struct sc_known_allocation *a = &c->entry[p.at];

	return (!p.at || end_of(a - 1) <= a->start) &&
	       (p.at + 1 == c->count || end_of(a) <= a[1].start);
}

static bool insert(struct sc_memory_table *t, const struct sc_known_allocation *a)
{
	struct place p = first_behind(t->chunk, t->count, a->start);
	const struct sc_known_allocation *other;
	struct sc_memory_chunk *c;

	while ((other = entry_at(t, p)) && other->start < end_of(a))
		p = drop(t, p);
	if (p.chunk == t->count && p.chunk)
		p = (struct place){p.chunk - 1, t->chunk[p.chunk - 1]->count};
	if (!t->count && !add_chunk(t, 0))
		return false;
	if (t->chunk[p.chunk]->count == SC_MEMORY_CHUNK && !split(t, &p))
		return false;
	c = t->chunk[p.chunk];
	memmove(&c->entry[p.at + 1], &c->entry[p.at], (c->count - p.at) * sizeof(c->entry[0]));
	t->moved += c->count - p.at;
	c->entry[p.at] = *a;
	c->count++;
	t->entries++;
	note_recent(t, &c->entry[p.at]);
	sc_assert(c->count <= SC_MEMORY_CHUNK && is_sorted_at(t, p));
	return true;
}

static void widen_to(_Atomic uint64_t *low, _Atomic uint64_t *high,
		     const struct sc_known_allocation *a)
{
	uint64_t old = atomic_load_explicit(high, memory_order_relaxed);

	if (!old || a->start < atomic_load_explicit(low, memory_order_relaxed))
		atomic_store_explicit(low, a->start, memory_order_relaxed);
	if (end_of(a) > old)
		atomic_store_explicit(high, end_of(a), memory_order_relaxed);
}

/* Bounds never shrink: they only spare look-ups. */
static void widen(struct sc_memory_table *t, const struct sc_known_allocation *a)
{
	widen_to(&t->low, &t->high, a);
	if (sc_memory_is_host(a->memory))
		widen_to(&t->host_low, &t->host_high, a);
}

/* Drops the freed entries of one chunk, each time of the next one. So as many stay as are allowed,
 * and no change of the table takes longer than a split. */
static void sweep(struct sc_memory_table *t)
{
	struct sc_memory_chunk *c;
	uint32_t kept = 0;

	t->swept = t->swept < t->count ? t->swept : 0;
	c = t->chunk[t->swept];
	for (uint32_t i = 0; i < c->count; i++) {
		if (is_freed(&c->entry[i])) {
			t->freed -= c->entry[i].was_freed;
			sc_recurring_drop(&t->recurring, c->entry[i].recurring);
			continue;
		}
		t->moved += kept != i;
		c->entry[kept++] = c->entry[i];
	}
	t->entries -= c->count - kept;
	clear_entries(c, kept, c->count);
	c->count = kept;
	if (kept)
		t->swept++;
	else
		drop_chunk(t, t->swept);
}

/* The recurring range of an entry that is allocated again, or NULL. */
static struct sc_recurring *recurring_for(struct sc_memory_table *t, struct sc_recurring *recurring,
					  const struct sc_known_allocation *a)
{
	struct sc_recurring_key range = {a->start, a->bytes, a->context, a->flags, a->device};

	if (!can_recur(a)) {
		sc_recurring_drop(&t->recurring, recurring);
		return NULL;
	}
	if (!recurring)
		recurring = sc_recurring_take(&t->recurring);
	if (recurring)
		sc_recurring_set(&t->recurring, recurring, &range, a->object);
	return recurring;
}

/* The same range again, as pools give it out: its entry stays where it is. Bounds hold as before,
 * since it is the same kind of memory. */
static bool insert_again(struct sc_memory_table *t, const struct sc_known_allocation *a)
{
	struct sc_known_allocation *old = load_recent(t, a->start);
	struct sc_recurring *recurring;

	if (!old || old->start != a->start || old->bytes != a->bytes || old->memory != a->memory ||
	    (old->alias | a->alias))
		return false;
	t->freed -= old->was_freed;
	recurring = recurring_for(t, old->recurring, a);
	*old = *a;
	old->recurring = recurring;
	if (t->recurring.count == SC_RECURRING_MOST && !recurring && a->object % SWEEP_EACH == 0)
		sweep(t); /* free ranges are in the way of others */
	return true;
}

static bool insert_anew(struct sc_memory_table *t, const struct sc_known_allocation *a)
{
	struct sc_known_allocation other = *a;
	bool ok = insert(t, a);

	if (ok && a->alias && a->alias != a->start) {
		other.start = a->alias;
		other.host = a->start;
		ok = insert(t, &other);
		widen(t, &other);
	}
	widen(t, a);
	return ok;
}

int sc_memory_insert(struct sc_memory_table *t, const struct sc_known_allocation *a)
{
	bool ok;

	if (!a->bytes || a->start + a->bytes < a->start)
		return -EINVAL;
	write_begin(t);
	ok = insert_again(t, a) || insert_anew(t, a);
	write_end(t);
	if (!ok)
		sc_put_loss(SC_GAP_allocations);
	return ok ? 0 : -ENOMEM;
}

/* The entry stays for its address: memory that was freed mostly comes back. */
static void set_freed(struct sc_memory_table *t, struct sc_known_allocation *a, uint32_t object)
{
	if (a->recurring) {
		sc_recurring_end_as(a->recurring, object);
		return;
	}
	a->was_freed = true;
	t->freed++;
	if (t->freed > FREED_MOST + t->entries / 4)
		sweep(t);
}

static void remove_at(struct sc_memory_table *t, uint64_t start, uint32_t object)
{
	struct sc_known_allocation *a = find_start(t, start);
	uint64_t alias;

	if (!a || is_freed(a) || (object && object_of(a) != object))
		return;
	if (!object)
		object = object_of(a);
	alias = a->alias;
	set_freed(t, a, object);
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
	struct sc_known_allocation *a;

	write_begin(t);
	a = find_start(t, start);
	if (a && !is_freed(a)) {
		forget_recurring(t, a);
		a->is_open = true;
	}
	write_end(t);
}

void sc_memory_remove_module(struct sc_memory_table *t, uint32_t module)
{
	const struct sc_known_allocation *a;
	struct place p = {0};

	write_begin(t);
	while (module && (a = entry_at(t, p)))
		p = a->module == module ? drop(t, p) : next_of(t, p);
	write_end(t);
}

void sc_memory_remove_context(struct sc_memory_table *t, uint32_t context)
{
	const struct sc_known_allocation *a;
	struct place p = {0};

	write_begin(t);
	while (context && (a = entry_at(t, p)))
		p = a->context == context && !(a->flags & SC_FLAG_POOL) ? drop(t, p)
									: next_of(t, p);
	write_end(t);
}

/* No writer was at work since the version was read. */
static bool is_unchanged(struct sc_memory_table *t, unsigned version)
{
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&t->version, memory_order_relaxed) == version;
}

/* One attempt of a reader: -1 if a writer was at work. */
READS_ANYWAY static int try_find(struct sc_memory_table *t, uint64_t address,
				 struct sc_known_allocation *out)
{
	/* acquire: pairs with the release in write_end */
	unsigned before = atomic_load_explicit(&t->version, memory_order_acquire);
	uint32_t count = __atomic_load_n(&t->count, __ATOMIC_ACQUIRE);
	struct sc_memory_chunk *const *chunk = __atomic_load_n(&t->chunk, __ATOMIC_ACQUIRE);
	const struct sc_known_allocation *a = load_recent(t, address);
	struct place p;
	bool found = false;

	if (before & 1)
		return -1;
	if (!a || address - a->start >= a->bytes) {
		p = first_behind(chunk, count, address);
		a = p.chunk < count && p.at < SC_MEMORY_CHUNK ? &chunk[p.chunk]->entry[p.at] : NULL;
	}
	found = a && a->start <= address && !a->was_freed;
	if (found)
		*out = *a;
	if (!is_unchanged(t, before))
		return -1;
	if (found && out->recurring) { /* whole, since nothing moved */
		copy_out(out, out);
		found = out->object;
	}
	return is_unchanged(t, before) ? found : -1;
}

bool sc_memory_look_up(struct sc_memory_table *t, uint64_t address, struct sc_known_allocation *out)
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
	struct sc_known_allocation *a;

	write_begin(t);
	for (struct place p = {0}; (a = entry_at(t, p)); p = next_of(t, p))
		if (!is_freed(a) && object_of(a) == object) {
			forget_recurring(t, a);
			a->flags |= SC_FLAG_SYNC_MEMOPS;
		}
	write_end(t);
	atomic_store_explicit(&t->holding, 1, memory_order_relaxed);
}

bool sc_memory_are_in_one(uint64_t low, uint64_t high)
{
	struct sc_known_allocation known;

	if (sc_memory_look_up(&sc_memory, low, &known))
		return high - known.start < known.bytes;
	return !sc_memory_look_up(&sc_memory, high, &known);
}

bool sc_memory_next(struct sc_memory_table *t, uint64_t address, struct sc_known_allocation *out)
{
	const struct sc_known_allocation *a;

	sc_lock_get(&t->lock);
	a = find_behind(t, address);
	if (a)
		copy_out(a, out);
	sc_lock_put(&t->lock);
	return a != NULL;
}

bool sc_memory_touches(struct sc_memory_table *t, uint64_t start, uint64_t bytes)
{
	const struct sc_known_allocation *a;
	struct place p;
	bool touches;

	sc_lock_get(&t->lock);
	p = first_behind(t->chunk, t->count, start);
	while ((a = entry_at(t, p)) && is_freed(a) && a->start < start + bytes)
		p = next_of(t, p);
	touches = a && a->start < start + bytes;
	sc_lock_put(&t->lock);
	return touches;
}

/* ---- the module ---- */

const struct sc_module sc_module_memory = {SC_MODULE_STATE(sc_memory)};
