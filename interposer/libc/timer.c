/* Timers that run a function in a thread of libc's making, which has all signals blocked: those of
 * the guard are let through there. */
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include "interposer/core/arena.h"
#include "interposer/libc/side_effect.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/libc/signals.h"
#include "interposer/guard/guard.h"
#include "interposer/core/real.h"

#define EXPORT __attribute__((visibility("default")))
/* None is given back: a timer may fire until it is deleted, or later. */
#define MOST_NOTICES 65536

struct notice {
	void (*function)(union sigval);
	union sigval value;
};

static void notify(union sigval value)
{
	const struct notice *notice = value.sival_ptr;
	uint64_t ours = SC_SIGNALS_KEPT;

	sc_raw(SYS_rt_sigprocmask, SIG_UNBLOCK, (uint64_t)&ours, 0, sizeof(ours), 0, 0);
	notice->function(notice->value);
}

/* What libc gets for the program's event. */
static struct sigevent instead(const struct sigevent *event)
{
	static atomic_uint notices;
	struct sigevent ours = *event;
	struct notice *notice = NULL;

	if (atomic_fetch_add_explicit(&notices, 1, memory_order_relaxed) < MOST_NOTICES)
		notice = sc_arena_get(sizeof(*notice));
	if (!notice) {
		sc_guard_stand_down("page guard: too many timers that run in threads of their own");
		return ours;
	}
	*notice = (struct notice){event->sigev_notify_function, event->sigev_value};
	ours.sigev_notify_function = notify;
	ours.sigev_value.sival_ptr = notice;
	return ours;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
	struct sigevent ours;
	struct sc_side_effects e;

	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	e.is_brief = true;
	if (sc_session_is_live())
		sc_side_effect_open(&e, (uint64_t)event, sizeof(*event));
	if (event && event->sigev_notify == SIGEV_THREAD) {
		ours = instead(event);
		event = &ours;
	}
	return SC_REAL(timer_create)(clock, event, timer);
}
