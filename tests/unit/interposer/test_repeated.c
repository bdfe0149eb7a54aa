/* Calls that come again: recalled while all is as it was, and never when it is not. */
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/hook/repeated.h"
#include "interposer/call/call.h"
#include "interposer/core/session.h"
#include "interposer/object/handle.h"
#include "interposer/core/thread.h"
#include "interposer/driver/entry.h"
#include "interposer/driver/driver.h"
#include "interposer/call/api.h"

#define RAW(n)	((void *)(uintptr_t)(n))
#define CONTEXT RAW(0x100)
#define STREAM	RAW(0x200)
#define EVENT	RAW(0x300)
#define KERNEL	RAW(0x400)

static CUcontext current;

static CUresult get_current(CUcontext *context)
{
	*context = current;
	return CUDA_SUCCESS;
}

static cuStreamWaitEvent_params wait;
static cuLaunchKernel_params launch;
static struct sc_call call;

static void keep(int row, void *params, struct sc_handle *object, struct sc_handle *function)
{
	struct sc_call made = {.api = &sc_apis[row], .params = params};

	made.op = (struct sc_op){.kind = sc_apis[row].kind, .stream = 7, .stack = 3};
	made.op.flags = SC_FLAG_LIBRARY | SC_FLAG_OTHER_CONTEXT;
	sc_call_set_stream(&made, sc_handle_find(SC_HANDLE_STREAM, STREAM));
	sc_call_set_object(&made, object);
	made.function = function;
	sc_repeated_keep(&made);
}

static bool recalls(int row, void *params)
{
	memset(&call, 0xff, sizeof(call));
	call.api = &sc_apis[row];
	call.params = params;
	call.per_thread = false;
	return sc_repeated_recall(&call);
}

static bool recalls_wait(void)
{
	return recalls(SC_API_cuStreamWaitEvent, &wait);
}

static bool recalls_launch(void)
{
	return recalls(SC_API_cuLaunchKernel, &launch);
}

/* A wait and a launch that were kept. */
static int set_up(void **state)
{
	(void)state;
	memset(&sc_handles, 0, sizeof(sc_handles));
	memset(&sc_handle_records, 0, sizeof(sc_handle_records));
	memset(&sc_self, 0, sizeof(sc_self));
	atomic_store(&sc_session.state, SC_CLOSED); /* ops go nowhere */
	atomic_store(&sc_session.captures, 0);
	atomic_store(&sc_session.context_ids, 0);
	sc_entries.calls = (struct sc_driver){.CtxGetCurrent = get_current};
	atomic_store(&sc_entries.driver_known, 1);
	current = CONTEXT;
	sc_context_current();
	wait = (cuStreamWaitEvent_params){.hStream = STREAM, .hEvent = EVENT};
	launch = (cuLaunchKernel_params){.hStream = STREAM, .f = KERNEL};
	sc_handle_make(SC_HANDLE_STREAM, STREAM, 0, 1);
	keep(SC_API_cuStreamWaitEvent, &wait, sc_handle_make(SC_HANDLE_EVENT, EVENT, 0, 1), NULL);
	keep(SC_API_cuLaunchKernel, &launch, NULL,
	     sc_handle_make(SC_HANDLE_FUNCTION, KERNEL, 0, 0));
	return 0;
}

EACH_TEST(set_up, NULL)

TEST(the_op_is_as_it_was_but_for_what_passes)
{
	assert_true(recalls_wait());
	assert_int_equal(call.op.kind, SC_OP_EVENT_WAIT);
	assert_int_equal(call.op.stream, 7);
	assert_int_equal(call.op.flags, SC_FLAG_OTHER_CONTEXT);
	assert_int_equal(call.op.result, SC_RESULT_PENDING);
	assert_int_equal(call.parts, 0);
	assert_null(call.cell);
	assert_null(call.facts.after);
	assert_ptr_equal(call.object, sc_handle_find(SC_HANDLE_EVENT, EVENT));
	assert_true(recalls_launch());
	assert_ptr_equal(call.function, sc_handle_find(SC_HANDLE_FUNCTION, KERNEL));
}

TEST(other_parameters_are_another_call)
{
	wait.Flags = 1;
	assert_false(recalls_wait());
	wait.Flags = 0;
	wait.hEvent = RAW(0x301);
	assert_false(recalls_wait());
	launch.hStream = RAW(0x201);
	assert_false(recalls_launch());
	assert_false(recalls(SC_API_cuStreamSynchronize, &wait));
}

TEST(a_dead_handle_is_not_recalled)
{
	sc_handle_kill(sc_handle_refer(sc_handle_find(SC_HANDLE_EVENT, EVENT)));
	assert_false(recalls_wait());
	assert_true(recalls_launch());
	sc_handle_kill(sc_handle_refer(sc_handle_find(SC_HANDLE_STREAM, STREAM)));
	assert_false(recalls_launch());
}

/* Nobody saw how the old ones ended. */
TEST(a_recycled_handle_is_not_recalled)
{
	sc_handle_make(SC_HANDLE_EVENT, EVENT, 0, 1);
	assert_false(recalls_wait());
	sc_handle_make(SC_HANDLE_STREAM, STREAM, 0, 1);
	assert_false(recalls_launch());
}

/* The event's record stands for another event, which is alive. */
TEST(a_record_that_is_used_again_is_not_recalled)
{
	struct sc_handle *event = sc_handle_find(SC_HANDLE_EVENT, EVENT);

	sc_handle_kill(sc_handle_refer(event));
	sc_handle_make(SC_HANDLE_EVENT, EVENT, 0, 1);
	assert_ptr_equal(sc_handle_make(SC_HANDLE_EVENT, RAW(0x301), 0, 1), event);
	assert_false(recalls_wait());
}

TEST(a_handle_of_another_kernel_is_not_recalled)
{
	sc_handle_make(SC_HANDLE_FUNCTION, KERNEL, 0, 0);
	assert_false(recalls_launch());
}

TEST(nothing_is_recalled_while_a_stream_captures)
{
	atomic_store(&sc_session.captures, 1);
	assert_false(recalls_wait());
}

TEST(another_context_is_another_call)
{
	current = RAW(0x101);
	sc_context_current();
	assert_false(recalls_wait());
	current = CONTEXT;
	assert_true(recalls_wait());
}

TEST(what_is_unlike_others_is_not_kept)
{
	struct sc_call made = {.api = &sc_apis[SC_API_cuStreamWaitEvent], .params = &wait};

	wait.Flags = 2;
	sc_call_set_stream(&made, sc_handle_find(SC_HANDLE_STREAM, STREAM));
	sc_call_set_object(&made, sc_handle_find(SC_HANDLE_EVENT, EVENT));
	made.op = (struct sc_op){.kind = SC_OP_EVENT_WAIT, .flags = SC_FLAG_CAPTURED};
	sc_repeated_keep(&made);
	assert_false(recalls_wait());
	made.op.flags = SC_FLAG_DEAD_HANDLE;
	sc_repeated_keep(&made);
	assert_false(recalls_wait());
	made.op.flags = 0;
	sc_repeated_keep(&made);
	assert_true(recalls_wait());
}
