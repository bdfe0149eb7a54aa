/* Bits: a range of addresses that is used from its beginning on, and a list of what is free. */
#include "simulator/executor/touched_bits.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARRAY_BYTES (EXEC_BITS_WORDS * sizeof(uint64_t))
#define APART_BYTES (ARRAY_BYTES + 64) /* their first words are not in one set of the cache */
#define KEPT_MOST   ((size_t)64 << 20) /* bytes: bits of 500 MB with one use */
#define SMALL_BYTES ((size_t)2 << 20)  /* of it, in small pages: most launches need no more */

struct spare {
	struct spare *next;
};

static struct {
	atomic_flag is_locked; /* guards what follows */
	char *range;	       /* NULL: not reserved yet; MAP_FAILED: there is none */
	size_t used;	       /* bytes, before those that were not taken yet */
	struct spare *free;
	size_t taken; /* arrays of the range */
} pool = {.is_locked = ATOMIC_FLAG_INIT};

static void lock(void)
{
	while (atomic_flag_test_and_set_explicit(&pool.is_locked, memory_order_acquire))
		sched_yield();
}

static void unlock(void)
{
	atomic_flag_clear_explicit(&pool.is_locked, memory_order_release);
}

/* Memory is the system's until it is used. Large pages of the system are found in fewer steps. */
static void reserve(void)
{
	pool.range = mmap(NULL, KEPT_MOST, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pool.range == MAP_FAILED)
		pool.used = KEPT_MOST;
	else
		madvise(pool.range + SMALL_BYTES, KEPT_MOST - SMALL_BYTES, MADV_HUGEPAGE);
}

uint64_t *exec_bits_take(void)
{
	struct spare *found;

	lock();
	if (!pool.range)
		reserve();
	found = pool.free;
	if (found) {
		pool.free = found->next;
	} else if (KEPT_MOST - pool.used >= APART_BYTES) {
		found = (struct spare *)(pool.range + pool.used);
		pool.used += APART_BYTES;
	}
	pool.taken += found != NULL;
	unlock();
	if (!found)
		found = malloc(ARRAY_BYTES);
	/* Zeroed here, not where it was given back: it is about to be used. */
	return found ? memset(found, 0, ARRAY_BYTES) : NULL;
}

void exec_bits_give(uint64_t *bits)
{
	struct spare *given = (struct spare *)bits;

	/* `range` stays as it was when this was taken. */
	if ((uintptr_t)bits - (uintptr_t)pool.range >= KEPT_MOST) {
		free(bits);
		return;
	}
	lock();
	given->next = pool.free;
	pool.free = given;
	/* From the beginning on again: what is used together then lies together. */
	if (!--pool.taken) {
		pool.free = NULL;
		pool.used = 0;
	}
	unlock();
}
