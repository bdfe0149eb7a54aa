/* Behind: threads that wait for space. */
#include "interposer/hook/behind.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include "interposer/core/clock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/sync/sync.h"
#include "trace/given.h"

#define LOOK_NS	 100000000 /* how often a thread that waits looks whether the reader lives */
#define FIRST_NS (UINT64_C(10) * 1000000000) /* until there must have been a reader */

/* Kept calls (hook/site.h) go the ordinary way from here on, where they wait. */
static void fall_behind(void)
{
	sc_session_changed();
}

static bool holds_lock(void)
{
	return sc_self.sync && sc_self.sync->held_count;
}

/* What is written from here on has the space up to the bound, and no more. */
static void give_up(struct sc_writer *w)
{
	sc_put_source("space given back while the program runs", false);
	__atomic_store_n(&w->fall_behind, NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&w->is_behind, 0, __ATOMIC_RELAXED);
}

/* True if there is, or may yet be, a reader. */
static bool may_come(struct sc_writer *w, const struct sc_trace_given *given, uint64_t since)
{
	if (__atomic_load_n(&given->was_followed, __ATOMIC_ACQUIRE))
		return sc_writer_is_followed(w);
	return sc_clock_exact() - since < FIRST_NS;
}

static void wait_for_room(struct sc_writer *w, struct sc_trace_given *given)
{
	const struct timespec most = {.tv_nsec = LOOK_NS};
	uint64_t since = sc_clock_exact();

	while (sc_session_is_live() && sc_behind_is_now()) {
		uint32_t turn = __atomic_load_n(&given->turn, __ATOMIC_ACQUIRE);

		if (sc_writer_has_room(w)) {
			__atomic_store_n(&w->is_behind, 0, __ATOMIC_RELAXED);
			return;
		}
		if (sc_raw(SYS_futex, (uint64_t)&given->turn, FUTEX_WAIT, turn, (uint64_t)&most, 0,
			   0) == -ETIMEDOUT &&
		    !may_come(w, given, since)) {
			give_up(w);
			return;
		}
	}
}

/* The reader has less patience with others meanwhile. */
static void wait(struct sc_writer *w)
{
	struct sc_trace_given *given = sc_trace_given(w->head);

	__atomic_fetch_add(&given->waiting, 1, __ATOMIC_RELAXED);
	wait_for_room(w, given);
	__atomic_fetch_sub(&given->waiting, 1, __ATOMIC_RELAXED);
}

void sc_behind_wait(void)
{
	struct sc_writer *w = &sc_session.writer;
	int saved = errno;

	if (!__atomic_load_n(&w->fall_behind, __ATOMIC_RELAXED) || !sc_session_is_live())
		return;
	sc_self.busy++;
	if (holds_lock())
		sc_put_gap(SC_GAP_unpaced, 1);
	else
		wait(w);
	sc_self.busy--;
	errno = saved;
}

/* ---- the module ---- */

static void begin(void)
{
	if (sc_session.options.live_disk && sc_session.collected)
		sc_writer_bound(&sc_session.writer, sc_session.options.live_disk, fall_behind);
}

const struct sc_module sc_module_behind = {.begin = begin};
