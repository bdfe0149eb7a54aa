/* Recent stacks against stacks that are unwound anew, on random ways. */
#include <alloca.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "tests/unit/unit.h"
#include "interposer/core/code_range.h"
#include "interposer/core/session.h"
#include "interposer/stack/recent.h"
#include "interposer/stack/unwind.h"
#include "interposer/stack/stack.h"

#define MOST 64

static unsigned drawn, names, whole;
static uint64_t name_hash[1 << 16];

static unsigned draw(unsigned below)
{
	drawn = drawn * 1103515245 + 12345;
	return (drawn >> 16) % below;
}

/* The words are there, and going up. */
static void expect_words(const struct sc_registers *from)
{
	struct sc_stack stack;
	const struct sc_recent_words *words = sc_recent_words_of(from, &stack);
	uint64_t at = from->sp;

	if (!words)
		return;
	for (uint32_t i = 0; i < words->count; i++) {
		at += 8 * (words->word[i] >> 48);
		assert_true(i || at == words->low);
		assert_true(*(uint64_t *)at == (words->word[i] & ~(UINT64_C(0xffff) << 48)));
	}
	assert_true(!words->count || at == words->high);
	assert_true(sc_recent_is_linked(words->word, words->count, from->sp));
}

static __attribute__((noinline)) void compare_from(struct sc_registers from)
{
	static const unsigned depths[] = {3, 12, MOST, MOST, MOST};
	unsigned most = depths[draw(5)], count, full_count; /* some are cut off */
	struct sc_recent *r = sc_recent_open(MOST);
	uint64_t frames[MOST], full[MOST], hash = 0;
	struct sc_stack stack;

	assert_non_null(r);
	assert_null(sc_recent_open(MOST)); /* a handler would unwind */
	stack = sc_recent_unwind(r, &from, most);
	count = sc_recent_frames(r, frames);
	full_count = sc_unwind(from, full, NULL, most);
	assert_int_equal(count, full_count);
	assert_memory_equal(frames, full, count * sizeof(full[0]));
	for (unsigned i = 0; i < count; i++)
		hash = (hash ^ full[i]) * UINT64_C(0x9e3779b97f4a7c15);
	whole += stack.id != 0;
	if (!stack.id) {
		stack.id = ++names % (1 << 16);
		name_hash[stack.id] = hash;
		sc_recent_name(r, stack);
	}
	assert_true(name_hash[stack.id] == hash);
	sc_recent_close(r);
	expect_words(&from);
}

static __attribute__((noinline)) void one_leaf(void)
{
	compare_from(SC_REGISTERS_HERE());
}

static __attribute__((noinline)) void another_leaf(void)
{
	volatile char room[80];

	room[draw(sizeof(room))] = 1;
	compare_from(SC_REGISTERS_HERE());
}

static void wander(unsigned depth);

static __attribute__((noinline)) unsigned plain(unsigned depth, unsigned kept)
{
	unsigned also = kept * 3 + depth;

	wander(depth);
	return kept ^ also;
}

static __attribute__((noinline)) unsigned in_a_loop(unsigned depth, unsigned kept)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 3; i++) {
		wander(i ? 0 : depth);
		sum += i * kept;
	}
	return sum;
}

static __attribute__((noinline)) unsigned in_a_variable_frame(unsigned depth, unsigned kept)
{
	volatile char *room = alloca(16 + 16 * draw(100));

	room[0] = (char)kept;
	wander(depth);
	return (unsigned)room[0];
}

static __attribute__((noinline)) unsigned in_a_large_frame(unsigned depth, unsigned kept)
{
	volatile char room[5000]; /* old return addresses lie about in it */

	room[draw(sizeof(room))] = (char)kept;
	wander(depth);
	return kept;
}

static __attribute__((noinline)) unsigned realigned_too(unsigned depth, unsigned kept)
{
	volatile char aligned[64] __attribute__((aligned(64)));
	volatile char *grown = alloca(1 + draw(300));

	aligned[0] = grown[0] = (char)kept;
	wander(depth);
	return (unsigned)aligned[0];
}

static __attribute__((noinline)) unsigned jumping(unsigned depth, unsigned kept)
{
	jmp_buf back;

	if (!setjmp(back)) {
		wander(depth);
		longjmp(back, 1);
	}
	wander(0);
	return kept;
}

static __attribute__((noinline)) unsigned after_unloading(unsigned depth, unsigned kept)
{
	sc_unwind_forget();
	wander(depth);
	return kept;
}

static void signalled(int number)
{
	(void)number;
	one_leaf();
}

static __attribute__((noinline)) unsigned in_a_handler(unsigned depth, unsigned kept)
{
	raise(SIGUSR1);
	wander(depth);
	return kept;
}

static ucontext_t caller;
static unsigned depth_there;
static bool is_elsewhere;

static void begin_there(void)
{
	wander(depth_there);
}

/* Each time another stack, which is gone afterwards. */
static __attribute__((noinline)) unsigned on_its_own_stack(unsigned depth, unsigned kept)
{
	size_t bytes = (512 << 10) + 4096 * draw(4);
	void *stack = is_elsewhere ? MAP_FAILED
				   : mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ucontext_t own;

	if (stack == MAP_FAILED) {
		wander(depth);
		return kept;
	}
	is_elsewhere = true;
	depth_there = depth;
	getcontext(&own);
	own.uc_stack.ss_sp = stack;
	own.uc_stack.ss_size = bytes;
	own.uc_link = &caller;
	makecontext(&own, begin_there, 0);
	swapcontext(&caller, &own);
	munmap(stack, bytes);
	is_elsewhere = false;
	wander(0);
	return kept;
}

static void wander(unsigned depth)
{
	static unsigned (*const ways[])(unsigned depth, unsigned kept) = {plain,
									  plain,
									  plain,
									  in_a_loop,
									  in_a_variable_frame,
									  in_a_large_frame,
									  realigned_too,
									  jumping,
									  after_unloading,
									  in_a_handler,
									  on_its_own_stack};
	static void (*const leaves[])(void) = {one_leaf, another_leaf};

	if (depth)
		ways[draw(sizeof(ways) / sizeof(ways[0]))](depth - 1, draw(1000));
	else
		leaves[draw(2)]();
	__asm__ volatile("" : : : "memory"); /* no tail call */
}

TEST(recent_stacks_are_what_unwinding_gives)
{
	struct sigaction action = {.sa_handler = signalled}, old;

	sigaction(SIGUSR1, &action, &old);
	drawn = 1;
	for (unsigned i = 0; i < 3000; i++) {
		if (i % 3) /* the same way again */
			drawn = i / 3;
		wander(1 + draw(9));
	}
	sigaction(SIGUSR1, &old, NULL);
	assert_true(names > 1000);
	assert_true(whole > 1000);
}

/* So many values that one of them is in rbp, which is saved for the caller. */
static __attribute__((noinline)) unsigned crowded(unsigned a)
{
	unsigned b = a * 3, c = b ^ 5, d = c * 7, e = d ^ a, f = e * 11, g = f ^ b;

	one_leaf();
	return a ^ b * c ^ d * e ^ f * g;
}

static __attribute__((noinline)) unsigned inner_frame(size_t units)
{
	volatile char *room = alloca(16 + 16 * units);

	room[0] = 1;
	return crowded(draw(100)) + (unsigned)room[0];
}

/* Two calls, which no compiler makes one of. */
static __attribute__((noinline)) unsigned outer_frame(size_t units, size_t inner)
{
	volatile char *room = alloca(16 + 16 * units);
	unsigned result;

	room[0] = 1;
	if (units % 2) {
		result = inner_frame(inner);
		__asm__ volatile("# odd" : "+r"(result));
	} else {
		result = inner_frame(inner);
		__asm__ volatile("# even" : "+r"(result));
	}
	return result + (unsigned)room[0];
}

/* Two frames whose sizes change, and their sum does not: all but the base's word is as it was. */
TEST(another_frame_pointer_at_the_same_place)
{
	for (unsigned i = 0; i < 200; i++) {
		size_t inner = draw(20);

		outer_frame(20 - inner, inner);
	}
}

static __attribute__((noinline)) unsigned aligned_leaf(unsigned kept)
{
	volatile char aligned[64] __attribute__((aligned(64)));
	volatile char *grown = alloca(16);

	aligned[0] = grown[0] = (char)kept;
	one_leaf();
	return (unsigned)aligned[0];
}

static __attribute__((noinline)) unsigned above_aligned(size_t units)
{
	volatile char *room = alloca(16 + 16 * units);

	room[0] = 1;
	return aligned_leaf((unsigned)units) + (unsigned)room[0];
}

/* An aligned frame hides where its caller's ends: only the word that says so is another. */
TEST(another_caller_of_an_aligned_frame)
{
	for (unsigned i = 0; i < 200; i++)
		above_aligned(draw(8));
}

static __attribute__((noinline)) unsigned between(unsigned kept)
{
	one_leaf();
	__asm__ volatile("" : "+r"(kept));
	return kept;
}

static __attribute__((noinline)) unsigned crowded_too(unsigned a)
{
	unsigned b = a * 5, c = b ^ 3, d = c * 9, e = d ^ a, f = e * 13, g = f ^ b;

	return between(a) ^ b * c ^ d * e ^ f * g;
}

static __attribute__((noinline)) unsigned above_either(size_t units, bool is_crowded)
{
	volatile char *room = alloca(16 + 16 * units);

	room[0] = 1;
	return (is_crowded ? crowded_too(draw(100)) : between(draw(100))) + (unsigned)room[0];
}

/* The inner frames are found without the base, and so is their caller; or it is found by it. */
TEST(inner_frames_pass_the_base_on)
{
	for (unsigned i = 0; i < 3000; i++)
		above_either(draw(12), i % 2);
}

/* A frame of changing size is found by the base: another base is another stack. */
TEST(a_stack_is_known_by_its_registers)
{
	volatile char *room = alloca(16 + 16 * draw(20));
	struct sc_registers from = SC_REGISTERS_HERE();
	struct sc_recent *r = sc_recent_open(MOST);

	room[0] = 1;
	sc_recent_unwind(r, &from, MOST);
	sc_recent_name(r, (struct sc_stack){.id = 5});
	assert_int_equal(sc_recent_unwind(r, &from, MOST).id, 5);
	from.base += 8;
	assert_int_equal(sc_recent_unwind(r, &from, MOST).id, 0);
	from.base -= 8;
	sc_recent_unwind(r, &from, MOST);
	sc_recent_name(r, (struct sc_stack){.id = 6});
	assert_int_equal(sc_recent_unwind(r, &from, MOST / 2).id, 0);
	sc_recent_unwind(r, &from, MOST);
	sc_recent_name(r, (struct sc_stack){.id = 7});
	sc_unwind_forget(); /* other code may lie there now */
	assert_int_equal(sc_recent_unwind(r, &from, MOST).id, 0);
	sc_recent_close(r);
}

static int scan(void **state)
{
	(void)state;
	/* no trace is open: MAP ops go nowhere, the ranges are filled all the same */
	atomic_store(&sc_session.state, SC_CLOSED);
	sc_code_range_scan();
	return sc_code_ranges.count > 2 ? 0 : -1;
}
ALL_TESTS(scan, NULL)
