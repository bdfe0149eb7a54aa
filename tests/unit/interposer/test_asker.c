/* Askers: functions with the names of a runtime that is linked into the program, and of PyTorch's
 * allocator, ask, and callers look at the answer or not. */
#include <stdatomic.h>
#include "tests/unit/unit.h"
#include "interposer/core/code_range.h"
#include "interposer/core/session.h"
#include "interposer/stack/asker.h"

#define APART __attribute__((noinline, noipa))
/* Without optimization, or with checks, an answer is stored and counts as looked at. */
#define PROGRAM                                                  \
	APART __attribute__((section("asking"), optimize("O2"))) \
	__attribute__((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))

/* Where the program is; the rest stands for the recorder. */
extern const uint8_t __start_asking[], __stop_asking[];

/* As the runtime's public function is: it looks at what it returns. */
int cudaEventQuery(int stack);
int _ZN3c104cuda20CUDACachingAllocator6Native22DeviceCachingAllocator14process_eventsEv(int stack);

static enum sc_asker asker;
static volatile int count;

APART static int driver(int stack)
{
	asker = sc_asker_of((uint32_t)stack);
	return stack & 1;
}

PROGRAM int cudaEventQuery(int stack)
{
	int answer = driver(stack);

	if (answer == 600)
		count++;
	return answer;
}

PROGRAM int
_ZN3c104cuda20CUDACachingAllocator6Native22DeviceCachingAllocator14process_eventsEv(int s)
{
	return cudaEventQuery(s) == 0;
}

PROGRAM static void drop(int stack)
{
	cudaEventQuery(stack);
	count++;
}

PROGRAM static int look(int stack)
{
	int answer = cudaEventQuery(stack);

	if (!answer)
		count++;
	return answer;
}

PROGRAM static int hand_on(int stack)
{
	int answer = cudaEventQuery(stack);

	count = 5;
	return answer;
}

PROGRAM TEST(linked_runtime)
{
	drop(1);
	assert_int_equal(asker, SC_ASKER_UNREAD);
	count += look(2);
	assert_int_equal(asker, SC_ASKER_PROGRAM);
	hand_on(3);
	assert_int_equal(asker, SC_ASKER_UNREAD);
	count += hand_on(5);
	assert_int_equal(asker, SC_ASKER_PROGRAM);
	_ZN3c104cuda20CUDACachingAllocator6Native22DeviceCachingAllocator14process_eventsEv(4);
	assert_int_equal(asker, SC_ASKER_POOL);
}

/* What was found out of a stack is known again; of no stack nothing is said. */
PROGRAM TEST(stack_is_known)
{
	look(1);
	assert_int_equal(asker, SC_ASKER_UNREAD);
	drop(0);
	assert_int_equal(asker, SC_ASKER_PROGRAM);
}

static int scan(void **state)
{
	(void)state;
	/* no trace is open: MAP ops go nowhere, the ranges are filled all the same */
	atomic_store(&sc_session.state, SC_CLOSED);
	sc_code_range_scan();
	for (unsigned i = 0; i < sc_code_ranges.count; i++)
		if (sc_code_range_find((uint64_t)driver) == &sc_code_ranges.range[i])
			sc_code_ranges.range[i].code = SC_CODE_OWN;
	sc_code_ranges.range[sc_code_ranges.count++] = (struct sc_code_range){
		.start = (uint64_t)__start_asking,
		.bytes = (uint64_t)(__stop_asking - __start_asking),
		.eh_frame_hdr = sc_code_range_find((uint64_t)driver)->eh_frame_hdr,
		.code = SC_CODE_PROGRAM};
	return 0;
}

ALL_TESTS(scan, NULL)
