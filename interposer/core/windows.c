/* Windows: what holds one open, and the ops in the trace. */
#include "interposer/core/windows.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "interposer/core/background.h"
#include "interposer/core/clock.h"
#include "interposer/core/lock.h"
#include "interposer/core/message.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "trace/control.h"

#define SECOND_NS UINT64_C(1000000000)

struct sc_windows sc_windows;

static struct {
	struct sc_lock lock; /* of what follows */
	uint64_t holds;	     /* parts of the run that are windows, and go on */
	uint64_t met;	     /* such parts, those included that were passed over */
	uint64_t calls;	     /* beginnings by calls without their end */
	bool is_call_open;   /* they hold a window open */
	bool is_time_open;   /* the plan's times do */
	uint32_t wanted;     /* of the last request: SC_CONTROL_WINDOW_*, 0: none came */
	uint64_t begun_ns;
} state;

/* ---- open and closed ---- */

static bool is_open_now(void)
{
	if (!atomic_load_explicit(&sc_windows.is_planned, memory_order_relaxed))
		return true;
	if (state.wanted)
		return state.wanted == SC_CONTROL_WINDOW_ON;
	return state.holds || state.is_call_open || state.is_time_open;
}

/* Kept calls hold what is recorded inside, or outside (hook/site.c). What is between the two ops is
 * recorded in full. */
static void set_open(bool is_open)
{
	struct sc_op op = {.kind = is_open ? SC_OP_WINDOW_BEGIN : SC_OP_WINDOW_END};

	if (is_open == !sc_windows_is_closed())
		return;
	if (is_open) {
		atomic_store(&sc_windows.is_closed, false);
		sc_session_changed();
	}
	op.time_ns = sc_clock_now();
	sc_put_op(&op, NULL, 0);
	if (!is_open) {
		atomic_store(&sc_windows.is_closed, true);
		sc_session_changed();
	}
}

static void lock(void)
{
	sc_lock_get(&state.lock);
}

static void unlock(void)
{
	set_open(is_open_now());
	sc_lock_put(&state.lock);
}

/* The first of each plan.every. */
static bool is_next(void)
{
	return state.met++ % sc_windows.plan.every == 0;
}

bool sc_windows_enter(void)
{
	bool counts;

	lock();
	counts = is_next();
	state.holds += counts;
	unlock();
	return counts;
}

void sc_windows_leave(void)
{
	lock();
	state.holds -= state.holds > 0; /* a fork may have forgotten the beginning */
	unlock();
}

static bool is_source(enum sc_window_source source)
{
	return atomic_load_explicit(&sc_windows.is_planned, memory_order_relaxed) &&
	       sc_windows.plan.source == source;
}

void sc_windows_begin_call(enum sc_window_source source)
{
	if (!is_source(source))
		return;
	lock();
	/* the profiler is on or off */
	if (!state.calls || source != SC_WINDOW_PROFILER)
		state.calls++;
	if (state.calls == 1 && !state.is_call_open)
		state.is_call_open = is_next();
	unlock();
}

void sc_windows_end_call(enum sc_window_source source)
{
	if (!is_source(source))
		return;
	lock();
	state.calls -= state.calls > 0;
	state.is_call_open &= state.calls > 0;
	unlock();
}

/* ---- times and requests ---- */

/* Returns how long nothing will change by itself. */
static uint64_t keep_time(void)
{
	uint64_t elapsed = sc_clock_now() - state.begun_ns, next = UINT64_MAX;

	if (sc_windows.plan.source != SC_WINDOW_TIMES)
		return next;
	lock();
	state.is_time_open = sc_window_plan_is_open(&sc_windows.plan, elapsed, &next);
	unlock();
	return next == UINT64_MAX ? next : next - elapsed;
}

static void follow(struct sc_trace_control *control, uint32_t wanted)
{
	lock();
	if (SC_CONTROL_WHAT(wanted))
		state.wanted = SC_CONTROL_WHAT(wanted);
	unlock();
	__atomic_store_n(&control->done, wanted, __ATOMIC_RELEASE);
	sc_raw(SYS_futex, (uint64_t)&control->done, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

static void *serve(void *data)
{
	struct sc_trace_control *control = data;
	uint32_t last = 0;

	while (sc_session_is_live()) {
		uint32_t wanted = __atomic_load_n(&control->wanted, __ATOMIC_ACQUIRE);
		uint64_t left;
		struct timespec time;

		if (wanted != last)
			follow(control, wanted);
		last = wanted;
		left = keep_time();
		time = (struct timespec){(time_t)(left / SECOND_NS), (long)(left % SECOND_NS)};
		sc_raw(SYS_futex, (uint64_t)&control->wanted, FUTEX_WAIT, wanted,
		       left == UINT64_MAX ? 0 : (uint64_t)&time, 0, 0);
	}
	return NULL;
}

void sc_windows_start_server(void)
{
	struct sc_trace_control *control = sc_trace_control(sc_session.writer.head);

	if (atomic_exchange(&sc_windows.is_served, true))
		return;
	if (sc_background_start(serve, control))
		__atomic_store_n(&control->is_served, 1, __ATOMIC_RELEASE);
	else
		sc_put_source("windows by times and requests", false);
}

/* ---- the module ---- */

/* The trace begins inside a window, as one without the option. */
static void begin(void)
{
	char message[512] = "";
	uint64_t next;

	if (sc_window_plan_read(&sc_windows.plan, sc_session.options.window, message,
				sizeof(message))) {
		sc_message("%s", message);
		sc_session.due = SC_STATUS_UNUSABLE;
		return;
	}
	if (sc_windows.plan.source == SC_WINDOW_ALWAYS)
		return;
	state.begun_ns = sc_clock_now();
	state.is_time_open = sc_windows.plan.source == SC_WINDOW_TIMES &&
			     sc_window_plan_is_open(&sc_windows.plan, 0, &next);
	atomic_store(&sc_windows.is_planned, true);
	set_open(is_open_now());
}

static void profiler_started(void)
{
	sc_windows_begin_call(SC_WINDOW_PROFILER);
}

static void profiler_stopped(void)
{
	sc_windows_end_call(SC_WINDOW_PROFILER);
}

/* The thread holds on to the mapping, which stays. */
static void close_windows(void)
{
	struct sc_trace_control *control = sc_trace_control(sc_session.writer.head);

	if (!atomic_load_explicit(&sc_windows.is_planned, memory_order_relaxed))
		return;
	__atomic_store_n(&control->is_served, 0, __ATOMIC_RELEASE);
}

static void forget(void)
{
	memset(&state, 0, sizeof(state));
}

const struct sc_module sc_module_windows = {.begin = begin,
					    .profiler_started = profiler_started,
					    .profiler_stopped = profiler_stopped,
					    .close = close_windows,
					    .forget = forget,
					    SC_MODULE_STATE(sc_windows)};
