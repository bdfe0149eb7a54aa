/* Calls that come again from the same place: the same records as by the ordinary way, and only
 * while all is as it was. */
#include "interposer/call/row_functions.h"
#include "tests/unit/interposer/site_fixture.h"
#include "interposer/core/windows.h"
#include "interposer/call/launch.h"

#define EVENT	RAW(0x300)
#define KERNELS 6
#define KERNEL	RAW(0x400) /* and the following ones */
#define SIZED	100	   /* kernels with one parameter of 0, 1, … bytes begin here */
#define MOST	16

/* ---- a driver ---- */

static const struct {
	uint32_t count;
	struct sc_param param[MOST];
} kernels[KERNELS] = {
	{3, {{0, 8}, {8, 8}, {16, 4}}},					    /* as most are */
	{0, {{0, 0}}},							    /* nothing */
	{3, {{0, 4}, {8, 8}, {16, 1}}},					    /* gaps, and a byte */
	{2, {{0, 100}, {104, 8}}},					    /* a structure */
	{7, {{0, 8}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 8}, {48, 4}}}, /* a full slot */
	{14,
	 {{0, 4},
	  {4, 4},
	  {8, 4},
	  {12, 4},
	  {16, 4},
	  {20, 4},
	  {24, 4},
	  {28, 4},
	  {32, 4},
	  {36, 4},
	  {40, 4},
	  {44, 4},
	  {48, 4},
	  {52, 4}}}, /* more than a site holds */
};

static unsigned launches;

static CUresult param_info(CUfunction f, size_t index, size_t *offset, size_t *bytes)
{
	unsigned number = (unsigned)((uintptr_t)f - (uintptr_t)KERNEL);

	if (number >= SIZED) {
		*offset = 0;
		*bytes = number - SIZED;
		return index || number == SIZED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	}
	if (index >= kernels[number].count)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = kernels[number].param[index].offset;
	*bytes = kernels[number].param[index].bytes;
	return CUDA_SUCCESS;
}

static CUresult real_launch(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned bx,
			    unsigned by, unsigned bz, unsigned shared, CUstream stream,
			    void **params, void **extra)
{
	(void)f, (void)x, (void)y, (void)z, (void)bx, (void)by, (void)bz, (void)shared;
	(void)stream, (void)params, (void)extra;
	launches++;
	return answer;
}

static CUresult real_launch_ex(const CUlaunchConfig *config, CUfunction f, void **params,
			       void **extra)
{
	(void)config, (void)f, (void)params, (void)extra;
	launches++;
	return answer;
}

static CUresult real_record(CUevent event, CUstream stream)
{
	(void)event, (void)stream;
	return answer;
}

static CUresult real_wait(CUstream stream, CUevent event, unsigned flags)
{
	(void)stream, (void)event, (void)flags;
	return answer;
}

/* ---- a session ---- */

static char values[MOST][4200];
static void *params[MOST];

/* ---- calls, each from one place ---- */

static CUresult launch_here(unsigned kernel, void *stream, void **from)
{
	CUresult result = cuLaunchKernel((CUfunction)((uintptr_t)KERNEL + kernel), 3, 2, 1, 64, 1,
					 1, 96, stream, from, NULL);

	__asm__ volatile("" : : : "memory"); /* no tail call: the stack is looked at */
	return result;
}

/* Neither inlined nor copied for some callers. */
static CUresult (*volatile launch)(unsigned kernel, void *stream, void **from) = launch_here;

static __attribute__((noinline)) CUresult deeper(unsigned kernel)
{
	CUresult result = launch(kernel, STREAM, params);

	__asm__ volatile("" : : : "memory");
	return result;
}

enum kind {
	LAUNCH,
	LAUNCH_BY_CONFIG,
	LAUNCH_WITH_PRIORITY,
	LAUNCH_EARLY,
	LAUNCH_NOT_EARLY,
	LAUNCH_WITH_EVENT,
	RECORD,
	WAIT
};

static CUlaunchAttribute attribute_of(enum kind kind)
{
	if (kind == LAUNCH_WITH_PRIORITY)
		return (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value.priority = 1};
	if (kind == LAUNCH_WITH_EVENT)
		return (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
					   .value.programmaticEvent.event = EVENT};
	return (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
				   .value.programmaticStreamSerializationAllowed =
					   kind == LAUNCH_EARLY};
}

static void launch_by_config(enum kind kind, unsigned kernel)
{
	CUlaunchAttribute attribute = attribute_of(kind);
	CUlaunchConfig config = {.gridDimX = 3,
				 .gridDimY = 2,
				 .gridDimZ = 1,
				 .blockDimX = 64,
				 .blockDimY = 1,
				 .blockDimZ = 1,
				 .sharedMemBytes = 96,
				 .hStream = STREAM,
				 .attrs = &attribute,
				 .numAttrs = kind != LAUNCH_BY_CONFIG};

	cuLaunchKernelEx(&config, (CUfunction)((uintptr_t)KERNEL + kernel), params, NULL);
}

static void call_here(int kind, unsigned kernel)
{
	if (kind == LAUNCH)
		launch(kernel, STREAM, params);
	else if (kind < RECORD)
		launch_by_config(kind, kernel);
	else if (kind == RECORD)
		cuEventRecord(EVENT, STREAM);
	else
		cuStreamWaitEvent(STREAM, EVENT, 0);
	__asm__ volatile("" : : : "memory");
}

/* The same launch until its site is kept; in the test's own frame, where it goes on launching. */
static inline __attribute__((always_inline)) void settle(void *stream)
{
	for (unsigned i = 0; i < 3; i++)
		launch(0, stream, params);
	was_found();
}

static int set_up(void **state)
{
	(void)state;
	open_session(&(struct sc_driver){.FuncGetParamInfo = param_info});
	sc_entry_learn(SC_API_cuLaunchKernel, false, (void *)real_launch);
	sc_entry_learn(SC_API_cuLaunchKernelEx, false, (void *)real_launch_ex);
	sc_entry_learn(SC_API_cuEventRecord, false, (void *)real_record);
	sc_entry_learn(SC_API_cuStreamWaitEvent, false, (void *)real_wait);
	call = call_here;
	launches = 0;
	sc_handle_make(SC_HANDLE_EVENT, EVENT, 0, 1);
	for (unsigned i = 0; i < MOST; i++) {
		memset(values[i], (int)(0x11 * (i + 1)), sizeof(values[i]));
		params[i] = values[i];
	}
	return 0;
}

EACH_TEST(set_up, tear_down)

/* ---- records ---- */

TEST(a_call_is_kept_at_once)
{
	sc_session.options.stack_depth = 32;
	call(RECORD, 0); /* the first one of a session looks which code is loaded */
	expect_kept_at_once(LAUNCH, 0);
	expect_kept_at_once(LAUNCH_BY_CONFIG, 1);
	expect_kept_at_once(RECORD, 0);
	expect_kept_at_once(WAIT, 0);
}

TEST(a_launch_is_the_same_record)
{
	for (unsigned i = 0; i < KERNELS; i++)
		compare_ways(LAUNCH, i, i != 5);
}

/* Outside of windows: neither parameters nor stack; inside again both, whatever was kept outside.
 */
TEST(outside_of_windows)
{
	struct sc_slot record[SLOTS];
	unsigned inside;

	settle(STREAM);
	inside = last_record(record);
	atomic_store(&sc_windows.is_closed, true);
	sc_session_changed();
	compare_ways(LAUNCH, 0, true);
	compare_ways(RECORD, 0, true);
	settle(STREAM);
	launch(0, STREAM, params);
	assert_true(was_found());
	assert_true(last_record(record) < inside);
	atomic_store(&sc_windows.is_closed, false);
	sc_session_changed();
	launch(0, STREAM, params);
	assert_false(was_found());
	assert_int_equal(last_record(record), inside);
}

TEST(a_launch_by_a_configuration)
{
	for (unsigned i = 0; i < KERNELS; i++)
		for (enum kind kind = LAUNCH_BY_CONFIG; kind <= LAUNCH_WITH_EVENT; kind++)
			compare_ways(kind, i, i != 5 && kind != LAUNCH_WITH_EVENT);
}

/* Libraries ask for the function of a kernel before each launch. */
TEST(a_function_that_is_asked_for_again)
{
	CUfunction function = (CUfunction)((uintptr_t)KERNEL + SIZED);
	cuKernelGetFunction_params p = {.pFunc = &function, .kernel = (CUkernel)KERNEL};
	struct sc_call asked = {.params = &p};

	settle(STREAM);
	sc_launch_function_of_kernel(&asked);
	launch(0, STREAM, params);
	assert_false(was_found());
	settle(STREAM);
	sc_launch_function_of_kernel(&asked);
	launch(0, STREAM, params);
	assert_true(was_found());
}

TEST(a_launch_with_parameters_of_any_size)
{
	for (unsigned i = 0; i < 250; i++)
		compare_ways(LAUNCH, SIZED + i, true);
	for (unsigned i = 4080; i < 4110; i++)
		compare_ways(LAUNCH, SIZED + i, i <= 4096);
}

TEST(events_are_the_same_record)
{
	compare_ways(RECORD, 0, true);
	compare_ways(WAIT, 0, true);
}

TEST(the_result_is_patched)
{
	struct sc_slot record[SLOTS];
	CUresult returned;
	int32_t result;

	settle(STREAM);
	answer = CUDA_ERROR_INVALID_VALUE;
	returned = launch(0, STREAM, params);
	assert_int_equal(returned, CUDA_ERROR_INVALID_VALUE);
	assert_true(was_found());
	last_record(record);
	memcpy(&result, record->data + offsetof(struct sc_op, result), sizeof(result));
	assert_int_equal(result, CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(sc_self.depth, 0);
	assert_int_equal(sc_self.current, 0);
}

TEST(the_guard_knows_a_recorded_event)
{
	struct sc_handle *event = sc_handle_find(SC_HANDLE_EVENT, EVENT);

	for (unsigned i = 0; i < 3; i++)
		call(RECORD, 0);
	was_found();
	event->completion_of = event->id; /* nothing is watched: the record covers nothing */
	call(RECORD, 0);
	assert_true(was_found());
	assert_int_equal(event->completion_of, 0);
}

/* ---- when the call goes the ordinary way ---- */

/* The event's record stands for another event by then. */
TEST(a_record_that_is_used_again)
{
	struct sc_handle *event = sc_handle_find(SC_HANDLE_EVENT, EVENT);

	for (unsigned i = 0; i < 3; i++)
		call(RECORD, 0);
	was_found();
	sc_handle_kill(sc_handle_refer(event));
	sc_handle_make(SC_HANDLE_EVENT, EVENT, 0, 1);
	assert_ptr_equal(sc_handle_make(SC_HANDLE_EVENT, (void *)0x10, 0, 1), event);
	call(RECORD, 0);
	assert_false(was_found());
}

TEST(a_dead_handle)
{
	settle(STREAM);
	launch(0, STREAM, params);
	assert_true(was_found());
	sc_handle_make(SC_HANDLE_STREAM, STREAM, 0, 1); /* the old one's end was not seen */
	launch(0, STREAM, params);
	assert_false(was_found());
}

TEST(a_handle_that_nothing_rests_on_may_die)
{
	settle(STREAM);
	sc_handle_kill(sc_handle_refer(sc_handle_find(SC_HANDLE_EVENT, EVENT)));
	launch(0, STREAM, params);
	assert_true(was_found());
}

TEST(another_kernel_under_the_handle)
{
	settle(STREAM);
	sc_handle_make(SC_HANDLE_FUNCTION, KERNEL, 0, 0);
	launch(0, STREAM, params);
	assert_false(was_found());
}

TEST(a_capture)
{
	settle(STREAM);
	atomic_store(&sc_session.captures, 1);
	sc_session_changed();
	for (unsigned i = 0; i < 4; i++)
		launch(0, STREAM, params);
	assert_false(was_found());
}

/* The default stream is the current context's. */
TEST(another_context)
{
	settle(NULL);
	launch(0, NULL, params);
	assert_true(was_found());
	current = RAW(0x101);
	launch(0, NULL, params);
	assert_false(was_found());
	current = CONTEXT;
	settle(NULL);
	current = RAW(0x101);
	launch(0, NULL, params);
	assert_false(was_found());
}

TEST(another_stack)
{
	sc_session.options.stack_depth = 32;
	for (unsigned i = 0; i < 4; i++)
		deeper(0);
	was_found();
	launch(0, STREAM, params);
	assert_false(was_found());
}

/* Called from two places at one depth: only the outer return address differs. */
TEST(another_caller_at_the_same_depth)
{
	volatile unsigned i;

	sc_session.options.stack_depth = 32;
	for (i = 0; i < 4; i++)
		deeper(0);
	assert_true(was_found());
	deeper(0);
	assert_false(was_found());
}

/* Through one function of the program, from three places in turn: each of them is kept. */
TEST(callers_in_turn)
{
	volatile unsigned i;
	unsigned before = 0;

	sc_session.options.stack_depth = 32;
	sc_self.credit = 10;
	for (i = 0; i < 4; i++) {
		before = sc_self.found;
		deeper(0);
		deeper(0);
		deeper(0);
	}
	assert_int_equal(sc_self.found - before, 3);
}

TEST(parameters_that_are_not_there)
{
	void *some[] = {values[0], NULL, values[2]};

	settle(STREAM);
	launch(0, STREAM, some);
	assert_false(was_found());
	assert_int_equal(launches, 4);
}

TEST(host_memory_is_left_to_the_guard)
{
	struct sc_known_allocation a = {
		.start = HOST, .bytes = 4096, .object = 1, .memory = SC_MEM_PINNED};
	uint64_t address = HOST + 8;
	void *some[] = {values[0], &address, values[2]};

	assert_int_equal(sc_memory_insert(&sc_memory, &a), 0);
	settle(STREAM);
	launch(0, STREAM, some);
	assert_false(was_found());
	a = (struct sc_known_allocation){
		.start = HOST + 8192, .bytes = 4096, .object = 2, .memory = SC_MEM_PINNED};
	assert_int_equal(sc_memory_insert(&sc_memory, &a), 0);
	address = HOST + 4096; /* between the two */
	launch(0, STREAM, some);
	assert_true(was_found());
}

TEST(what_the_thread_has_to_look_after)
{
	uint32_t *const flags[] = {&sc_self.busy, &sc_self.depth, &sc_self.declared};

	settle(STREAM);
	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		*flags[i] = 1;
		launch(0, STREAM, params);
		*flags[i] = 0;
		assert_false(was_found());
	}
	launch(0, STREAM, params);
	assert_true(was_found());
}

TEST(a_closed_session)
{
	settle(STREAM);
	atomic_store(&sc_session.state, SC_CLOSED);
	assert_int_equal(launch(0, STREAM, params), CUDA_SUCCESS);
	assert_false(was_found());
	assert_int_equal(launches, 4);
}

TEST(a_full_trace)
{
	settle(STREAM);
	for (unsigned i = 0; i < 20000; i++)
		assert_int_equal(launch(0, STREAM, params), CUDA_SUCCESS);
	assert_true(sc_session.writer.head->lost > 0);
	assert_int_equal(sc_self.current, 0);
	assert_int_equal(sc_self.depth, 0);
}

/* Each launch with another stream: its place is never found again. */
TEST(what_never_comes_again_is_not_kept_for_ever)
{
	for (unsigned i = 0; i < 600; i++) {
		void *stream = RAW(0x10000 + 0x100 * i);

		sc_handle_make(SC_HANDLE_STREAM, stream, 0, 1);
		launch(0, stream, params);
		launch(0, stream, params);
	}
	assert_int_equal(sc_self.credit, 0);
	settle(STREAM);
	launch(0, STREAM, params);
	assert_false(was_found());
}
