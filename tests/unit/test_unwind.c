/* Unwinding against libc's own, through ordinary frames, realigned stacks and signal frames. */
#include <alloca.h>
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <cmocka.h>
#include "interposer/range.h"
#include "interposer/session.h"
#include "interposer/recent.h"
#include "interposer/unwind.h"

#define MOST 64

struct pair {
	uint64_t ours[MOST];
	void *theirs[MOST];
	unsigned our_count;
	int their_count;
};

/* Both unwind from here; the first frame differs by a few bytes, the callers must not. */
static __attribute__((noinline)) void take(struct pair *p)
{
	p->our_count = sc_unwind(SC_REGISTERS_HERE(), p->ours, NULL, MOST);
	p->their_count = backtrace(p->theirs, MOST);
}

/* libc's list may begin with a frame of its own and may end with one that has no caller. */
static __attribute__((noinline)) void expect_equal(const struct pair *p)
{
	int ours = (int)p->our_count, theirs = p->their_count, shift = 0;

	assert_true(ours > 3);
	while (shift < 3 && p->ours[1] != (uint64_t)p->theirs[1 + shift])
		shift++;
	assert_true(abs(theirs - shift - ours) <= 1);
	for (int i = 1; i < ours && i + shift < theirs; i++)
		assert_int_equal(p->ours[i], (uint64_t)p->theirs[i + shift]);
}

static __attribute__((noinline)) int descend(struct pair *p, int depth)
{
	volatile char room[48];
	int result = 0;

	memset((char *)room, depth, sizeof(room));
	if (depth)
		result = descend(p, depth - 1) + room[3];
	else
		take(p);
	return result + room[0];
}

static void test_ordinary_frames(void **state)
{
	struct pair p;

	(void)state;
	descend(&p, 20);
	expect_equal(&p);
	assert_true(p.our_count > 22);
}

/* An over-aligned variable makes the compiler find its frame by another register. */
static __attribute__((noinline)) void realigned(struct pair *p, size_t n)
{
	char aligned[64] __attribute__((aligned(64)));
	char *grown = __builtin_alloca(n);

	memset(aligned, 1, sizeof(aligned));
	memset(grown, 2, n);
	__asm__ volatile("" : : "r"(aligned), "r"(grown) : "memory");
	descend(p, 3);
	__asm__ volatile("" : : "r"(aligned), "r"(grown) : "memory");
}

static void test_realigned_stacks_and_alloca(void **state)
{
	struct pair p;

	(void)state;
	realigned(&p, 333);
	expect_equal(&p);
}

static struct pair from_handler;

static void handler(int number)
{
	(void)number;
	take(&from_handler);
}

static void test_signal_frames(void **state)
{
	struct sigaction action = {.sa_handler = handler}, old;

	(void)state;
	sigaction(SIGUSR1, &action, &old);
	raise(SIGUSR1);
	sigaction(SIGUSR1, &old, NULL);
	assert_true(from_handler.our_count > 5);
	/* behind the signal frame the callers are found again, the test's among them */
	assert_true(from_handler.our_count + 2 >= (unsigned)from_handler.their_count);
	assert_int_equal(from_handler.ours[from_handler.our_count - 1],
			 (uint64_t)from_handler.theirs[from_handler.their_count - 1]);
}

/* What was found readable stays so, however far the return addresses are apart. */
static void test_a_large_frame_does_not_part_the_stack(void **state)
{
	volatile char array[9 * 4096];
	uint64_t frames[MOST];

	(void)state;
	array[0] = 1;
	sc_self.stack_start = sc_self.stack_end = 0;
	sc_unwind(SC_REGISTERS_HERE(), frames, NULL, MOST);
	assert_true(sc_self.stack_end > (uint64_t)&array[sizeof(array) - 1]);
	assert_true(sc_unwind_learn((uint64_t)&array[0]));
	assert_true(sc_self.stack_end > (uint64_t)&array[sizeof(array) - 1]);
	assert_true(sc_self.stack_start <= (uint64_t)&array[0]);
}

static void test_garbage_registers_end_quietly(void **state)
{
	uint64_t frames[MOST];
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sc_registers wild[] = {
		{.rip = 1, .rsp = 8, .rbp = 16},
		{.rip = (uint64_t)&test_ordinary_frames, .rsp = (uint64_t)hole, .rbp = 8},
		{.rip = (uint64_t)&test_ordinary_frames + 40, .rsp = UINT64_MAX - 7, .rbp = 1},
		{.rip = (uint64_t)hole, .rsp = (uint64_t)frames, .rbp = (uint64_t)hole},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		unsigned n = sc_unwind(wild[i], frames, NULL, MOST);

		assert_true(n >= 1 && n <= MOST);
	}
	munmap(hole, 4096);
}

static int scan(void **state)
{
	(void)state;
	/* no trace is open: MAP ops go nowhere, the ranges are filled all the same */
	atomic_store(&sc_session.state, SC_CLOSED);
	sc_range_scan();
	return sc_session.ranges.count > 2 ? 0 : -1;
}

/* ---- what is taken from recent stacks, against all unwound anew ---- */

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
	struct sc_recent_words words;
	uint64_t at = from->rsp;

	if (!sc_recent_words_of(from, &words))
		return;
	for (uint32_t i = 0; i < words.count; i++) {
		at += 8 * (words.word[i] >> 48);
		assert_true(*(uint64_t *)at == (words.word[i] & ~(UINT64_C(0xffff) << 48)));
	}
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
	size_t bytes = (64 << 10) + 4096 * draw(4);
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

static void test_recent_stacks_are_what_unwinding_gives(void **state)
{
	struct sigaction action = {.sa_handler = signalled}, old;

	(void)state;
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

/* Two frames whose sizes change, and their sum does not: all but the word of rbp is as it was. */
static void test_another_frame_pointer_at_the_same_place(void **state)
{
	(void)state;
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
static void test_another_caller_of_an_aligned_frame(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++)
		above_aligned(draw(8));
}

/* A frame is found by rbp: another rbp is another stack. */
static void test_a_stack_is_known_by_its_registers(void **state)
{
	struct sc_registers from = SC_REGISTERS_HERE();
	struct sc_recent *r = sc_recent_open(MOST);

	(void)state;
	sc_recent_unwind(r, &from, MOST);
	sc_recent_name(r, (struct sc_stack){.id = 5});
	assert_int_equal(sc_recent_unwind(r, &from, MOST).id, 5);
	from.rbp += 8;
	assert_int_equal(sc_recent_unwind(r, &from, MOST).id, 0);
	from.rbp -= 8;
	sc_recent_unwind(r, &from, MOST);
	sc_recent_name(r, (struct sc_stack){.id = 6});
	assert_int_equal(sc_recent_unwind(r, &from, MOST / 2).id, 0);
	sc_recent_unwind(r, &from, MOST);
	sc_recent_name(r, (struct sc_stack){.id = 7});
	sc_unwind_forget(); /* other code may lie there now */
	assert_int_equal(sc_recent_unwind(r, &from, MOST).id, 0);
	sc_recent_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recent_stacks_are_what_unwinding_gives),
		cmocka_unit_test(test_another_frame_pointer_at_the_same_place),
		cmocka_unit_test(test_another_caller_of_an_aligned_frame),
		cmocka_unit_test(test_a_stack_is_known_by_its_registers),
		cmocka_unit_test(test_ordinary_frames),
		cmocka_unit_test(test_realigned_stacks_and_alloca),
		cmocka_unit_test(test_signal_frames),
		cmocka_unit_test(test_a_large_frame_does_not_part_the_stack),
		cmocka_unit_test(test_garbage_registers_end_quietly),
	};

	return cmocka_run_group_tests(tests, scan, NULL);
}
