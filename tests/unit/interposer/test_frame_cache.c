/* Stacks of Python lines known again by their frames: found if all is as it was, else not. */
#define UNIT_OWN_MAIN
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/unit/unit.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/python/code_cache.h"
#include "interposer/python/frame_cache.h"
#include "interposer/python/python_thread.h"

#define FRAMES 60

struct frame {
	uint64_t code, previous, unused[5], instruction;
};

static struct frame frames[FRAMES]; /* innermost first */
static uint64_t type[8];	    /* of code objects; the last but one word frees one */
static struct sc_safe_read memory;
static const struct sc_python_layout layout = {.frame_code = offsetof(struct frame, code),
					       .frame_previous = offsetof(struct frame, previous),
					       .frame_instruction =
						       offsetof(struct frame, instruction)};
static const struct sc_python_reader reader = {&layout, &memory};

static void free_code(void *object)
{
	(void)object;
}

static int make_frames(void **state)
{
	(void)state;
	sc_python_thread()->frames = NULL; /* an empty one is made */
	memset((void *)&sc_python_codes, 0, sizeof(sc_python_codes));
	type[6] = (uint64_t)free_code;
	sc_python_codes_watch((uint64_t)type, (void *)free_code);
	for (uint64_t i = 0; i < FRAMES; i++)
		frames[i] = (struct frame){
			.code = 0x10000 + i,
			.previous = i + 1 < FRAMES ? (uint64_t)&frames[i + 1] : 0,
			.instruction = 0x20000 + i,
		};
	return 0;
}

static void keep(unsigned first, unsigned steps, uint32_t below, uint32_t id)
{
	sc_safe_read_begin(&memory);
	sc_python_frame_cache_keep(&reader, (uint64_t)&frames[first], steps, below, id);
	sc_safe_read_end(&memory);
}

/* The id of the lines, 0 if they are not known. */
static uint32_t find(unsigned first, uint32_t below)
{
	uint32_t id = 0;
	bool is_known;

	sc_safe_read_begin(&memory);
	is_known = sc_python_frame_cache_find(&reader, (uint64_t)&frames[first], below, &id);
	sc_safe_read_end(&memory);
	assert_int_equal(is_known, id != 0);
	return id;
}

EACH_TEST(make_frames, NULL)

TEST(the_same_stack)
{
	assert_int_equal(find(50, 7), 0);
	keep(50, 10, 7, 3);
	assert_int_equal(find(50, 7), 3);
	assert_int_equal(find(50, 8), 0);
	assert_int_equal(find(51, 7), 0);
}

/* Each word of each frame counts. */
TEST(any_change)
{
	keep(50, 10, 7, 3);
	for (unsigned i = 50; i < FRAMES; i++) {
		uint64_t *const words[] = {&frames[i].code, &frames[i].instruction,
					   &frames[i].previous};

		for (size_t w = 0; w < 3; w++) {
			uint64_t before = *words[w];

			*words[w] += 8;
			assert_int_equal(find(50, 7), 0);
			*words[w] = before;
			assert_int_equal(find(50, 7), 3);
		}
	}
}

/* What was not read for the lines does not count. */
TEST(frames_beyond_the_last_line)
{
	keep(10, 32, 7, 3);
	frames[42].instruction++;
	assert_int_equal(find(10, 7), 3);
	frames[41].instruction++;
	assert_int_equal(find(10, 7), 0);
}

TEST(a_code_object_dies)
{
	keep(50, 10, 7, 3);
	((void (*)(void *))type[6])((void *)frames);
	assert_int_equal(find(50, 7), 0);
	keep(50, 10, 7, 4);
	assert_int_equal(find(50, 7), 4);
}

TEST(deaths_that_are_not_heeded)
{
	memset((void *)&sc_python_codes, 0, sizeof(sc_python_codes));
	keep(50, 10, 9, 3);
	assert_int_equal(find(50, 9), 0);
}

TEST(a_stack_that_is_too_deep)
{
	keep(0, FRAMES, 11, 3);
	assert_int_equal(find(0, 11), 0);
}

/* One call from loops that differ in an outer line, and more of them than are kept. */
TEST(several_stacks_of_one_place)
{
	unsigned found = 0;

	for (uint32_t line = 1; line <= 6; line++) {
		frames[FRAMES - 1].instruction = line;
		assert_int_equal(find(50, 7), 0);
		keep(50, 10, 7, line);
	}
	for (uint32_t line = 1; line <= 6; line++) {
		uint32_t id;

		frames[FRAMES - 1].instruction = line;
		id = find(50, 7);
		assert_true(id == 0 || id == line);
		found += id != 0;
	}
	assert_in_range(found, 2, 5);
}

TEST(many_stacks)
{
	unsigned found = 0;

	for (uint32_t below = 1; below <= 400; below++)
		keep(40 + below % 10, 5, below, below);
	for (uint32_t below = 1; below <= 400; below++) {
		uint32_t id = find(40 + below % 10, below);

		assert_true(id == 0 || id == below);
		found += id != 0;
	}
	assert_true(found > 350);
}

/* ---- memory that is gone ---- */

static void take(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	if (!sc_safe_read_takes(info, context))
		abort();
}

TEST(frames_that_are_gone)
{
	struct sigaction now = {.sa_sigaction = take, .sa_flags = SA_SIGINFO}, before;
	struct frame *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(sigaction(SIGSEGV, &now, &before), 0);
	*page = frames[FRAMES - 1];
	frames[50].previous = (uint64_t)page;
	keep(50, 2, 7, 3);
	assert_int_equal(find(50, 7), 3);
	assert_int_equal(munmap(page, 4096), 0);
	assert_int_equal(find(50, 7), 0);
	frames[50].previous = UINT64_C(1) << 62; /* no address at all */
	keep(50, 2, 13, 4);
	assert_int_equal(find(50, 13), 0);
	assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
}

/* Where faults do not come back to us, nothing is read unasked. */
TEST(without_a_handler)
{
	keep(50, 10, 7, 3);
	sc_session.catches_faults = false;
	assert_int_equal(find(50, 7), 0);
	keep(50, 10, 15, 3);
	sc_session.catches_faults = true;
	assert_int_equal(find(50, 15), 0);
}

int main(void)
{
	sc_session.catches_faults = true;
	return unit_run();
}
