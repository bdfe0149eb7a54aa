/* The stack depot: a hash table of stacks that only grows. */
#include "interposer/stack/depot.h"

#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/core/module.h"
#include "interposer/core/code_range.h"
#include "interposer/core/raw.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"

struct sc_stacks sc_stacks;

struct entry {
	uint64_t hash;
	struct sc_stack stack;
	uint32_t count;
	uint64_t frames[];
};

static uint64_t hash_frames(const uint64_t *frames, unsigned count)
{
	uint64_t h = count;

	for (unsigned i = 0; i < count; i++) {
		h = (h ^ frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return h;
}

/* True if code of the application, not of CUDA, made the call. */
static void judge(struct sc_stack *stack, const uint64_t *frames, unsigned count)
{
	stack->runtime = sc_code_range_kind(frames[0]) == SC_CODE_RUNTIME;
	for (unsigned i = 0; i < count; i++) {
		enum sc_code_kind code = sc_code_range_kind(frames[i]);

		if (code == SC_CODE_DRIVER || code == SC_CODE_RUNTIME)
			continue;
		stack->library = code == SC_CODE_LIBRARY;
		return;
	}
}

static struct entry *make_entry(uint64_t hash, const uint64_t *frames, unsigned count)
{
	struct entry *e = sc_arena_get(sizeof(*e) + count * sizeof(frames[0]));
	struct sc_attachment part = {SC_ATTACH_FRAMES, (uint32_t)(count * sizeof(frames[0])),
				     frames};
	struct sc_op op = {.kind = SC_OP_STACK};

	if (!e)
		return NULL;
	for (unsigned i = 0; i < count; i++) { /* files loaded since the last scan */
		if (sc_code_range_kind(frames[i]) == SC_CODE_UNKNOWN) {
			sc_code_range_scan();
			break;
		}
	}
	judge(&e->stack, frames, count);
	e->hash = hash;
	e->count = count;
	memcpy(e->frames, frames, count * sizeof(frames[0]));
	e->stack.id = 1 + atomic_fetch_add_explicit(&sc_stacks.ids, 1, memory_order_relaxed);
	op.object = e->stack.id;
	sc_put_op(&op, &part, 1);
	return e;
}

static bool is_same(const struct entry *e, uint64_t hash, const uint64_t *frames, unsigned count)
{
	return e->hash == hash && e->count == count &&
	       !memcmp(e->frames, frames, count * sizeof(frames[0]));
}

static struct sc_stack find_or_make(const uint64_t *frames, unsigned count)
{
	uint64_t hash = hash_frames(frames, count);
	struct entry *mine = NULL;

	for (unsigned probe = 0; probe < SC_STACK_PROBES; probe++) {
		void *_Atomic *slot = &sc_stacks.slot[(hash + probe) & (SC_STACK_SLOTS - 1)];
		/* acquire: pairs with the release below, which publishes the entry */
		void *found = atomic_load_explicit(slot, memory_order_acquire);

		if (!found) {
			mine = mine ? mine : make_entry(hash, frames, count);
			if (!mine)
				break;
			if (atomic_compare_exchange_strong_explicit(
				    slot, &found, mine, memory_order_release, memory_order_acquire))
				return mine->stack;
		}
		if (is_same(found, hash, frames, count))
			return ((struct entry *)found)->stack;
	}
	sc_put_gap(SC_GAP_stacks, 1);
	return mine ? mine->stack : (struct sc_stack){0};
}

struct sc_stack sc_stack_keep(uint64_t *frames, unsigned count)
{
	unsigned depth = (unsigned)sc_session.options.stack_depth, skip = 0;

	while (skip < count && sc_code_range_is_own(&sc_code_ranges, frames[skip]))
		skip++;
	count -= skip;
	if (count > depth)
		count = depth;
	return count ? find_or_make(frames + skip, count) : (struct sc_stack){0};
}

/* ---- the module ---- */

static void begin(void)
{
	sc_stacks.slot = sc_arena_map(SC_STACK_SLOTS * sizeof(void *), MAP_PRIVATE | MAP_NORESERVE);
}

static void forget(void)
{
	if (sc_stacks.slot)
		sc_raw_unmap((void *)sc_stacks.slot, SC_STACK_SLOTS * sizeof(void *));
}

const struct sc_module sc_module_stack = {
	.begin = begin, .forget = forget, SC_MODULE_STATE(sc_stacks)};
