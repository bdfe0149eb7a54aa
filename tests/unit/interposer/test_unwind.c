/* Unwinding against libc's own, through ordinary frames, realigned stacks and signal frames. */
#include <alloca.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/unit/unit.h"
#include "interposer/core/code_range.h"
#include "interposer/core/session.h"
#include "interposer/stack/unwind.h"
#include "interposer/core/thread.h"

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

TEST(ordinary_frames)
{
	struct pair p;

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

TEST(realigned_stacks_and_alloca)
{
	struct pair p;

	realigned(&p, 333);
	expect_equal(&p);
}

static struct pair from_handler;

static void handler(int number)
{
	(void)number;
	take(&from_handler);
}

TEST(signal_frames)
{
	struct sigaction action = {.sa_handler = handler}, old;

	sigaction(SIGUSR1, &action, &old);
	raise(SIGUSR1);
	sigaction(SIGUSR1, &old, NULL);
	assert_true(from_handler.our_count > 5);
	/* above the signal frame the callers are found again, the test's among them */
	assert_true(from_handler.our_count + 2 >= (unsigned)from_handler.their_count);
	assert_int_equal(from_handler.ours[from_handler.our_count - 1],
			 (uint64_t)from_handler.theirs[from_handler.their_count - 1]);
}

/* What was found readable stays so, however far the return addresses are apart. */
TEST(a_large_frame_does_not_part_the_stack)
{
	volatile char array[9 * 4096];
	uint64_t frames[MOST];

	array[0] = 1;
	sc_self.stack_start = sc_self.stack_end = 0;
	sc_unwind(SC_REGISTERS_HERE(), frames, NULL, MOST);
	assert_true(sc_self.stack_end > (uint64_t)&array[sizeof(array) - 1]);
	assert_true(sc_unwind_learn((uint64_t)&array[0]));
	assert_true(sc_self.stack_end > (uint64_t)&array[sizeof(array) - 1]);
	assert_true(sc_self.stack_start <= (uint64_t)&array[0]);
}

TEST(garbage_registers_end_quietly)
{
	uint64_t frames[MOST];
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sc_registers wild[] = {
		{.pc = 1, .sp = 8, .base = 16},
		{.pc = (uint64_t)&test_ordinary_frames, .sp = (uint64_t)hole, .base = 8},
		{.pc = (uint64_t)&test_ordinary_frames + 40, .sp = UINT64_MAX - 7, .base = 1},
		{.pc = (uint64_t)hole, .sp = (uint64_t)frames, .base = (uint64_t)hole},
	};

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
	sc_code_range_scan();
	return sc_code_ranges.count > 2 ? 0 : -1;
}
ALL_TESTS(scan, NULL)
