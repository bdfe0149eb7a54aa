/* The clock of the calls: the counter, and when to look at the real clock again. */
#include "interposer/core/clock.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "interposer/arch/processor.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"
#include "base/sys.h"

struct sc_clock_base sc_clock_base;

#define LEARNING_NS 2000000u /* before that the rate is not exact enough: 25 in a million */
#define RENEWAL_NS  1000000u /* as long as a reading is used */
#define WRONG_NS    10000u   /* further off, and by a thousandth: the counter is not even */
#define FAR_TICKS   10000u   /* between two readings of the counter: the thread was interrupted */
#define FIRST_TRIES 8

/* Calls the real function, not our own of that name, which would look at what the call writes. */
uint64_t sc_clock_exact(void)
{
	typeof(&clock_gettime) real = SC_REAL(clock_gettime);
	struct timespec t = {0};

	(real ? real : clock_gettime)(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* Not on every virtual machine, nor where processors were stopped or came late. */
static bool is_trusted(void)
{
	char name[8] = "";
	int fd = sc_sys_open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			     O_RDONLY | O_CLOEXEC, 0);
	ssize_t n;

	if (fd < 0)
		return false;
	n = sc_sys_read(fd, name, sizeof(name) - 1);
	sc_sys_close(fd);
	return n > 0 && !strcmp(name, SC_COUNTER_SOURCE);
}

/* Both clocks at one moment; false if they were read too far apart. */
static bool read_both(struct sc_clock_reading *m)
{
	uint64_t before = sc_counter_read(), after;

	m->ns = sc_clock_exact();
	after = sc_counter_read();
	m->ticks = before + (after - before) / 2;
	return after - before < FAR_TICKS;
}

void sc_clock_init(void)
{
	struct sc_clock_base *base = &sc_clock_base;

	base->is_counted = false;
	if (!is_trusted())
		return;
	/* The first reading also looks the real function up, which takes longer than readings of
	 * the counter may be apart; others may be interrupted. */
	(void)sc_clock_exact();
	for (unsigned i = 0; i < FIRST_TRIES && !base->is_counted; i++)
		base->is_counted = read_both(&base->first);
}

static uint32_t rate_between(const struct sc_clock_reading *a, const struct sc_clock_reading *b)
{
	uint64_t ticks = b->ticks - a->ticks, ns = b->ns - a->ns;
	__extension__ unsigned __int128 rate;

	if (b->ticks <= a->ticks || ns < LEARNING_NS)
		return 0;
	rate = ((__extension__(unsigned __int128) ns) << 32) / ticks;
	return rate <= UINT32_MAX ? (uint32_t)rate : 0; /* slower than 1 GHz: done without */
}

/* The time of a moment by the counter. */
static uint64_t predict(const struct sc_call_clock *c, uint64_t ticks)
{
	return c->last.ns + ((ticks - c->last.ticks) * c->rate >> 32);
}

/* The counter of a machine that was stopped, or moved elsewhere, cannot be trusted any more. */
static bool is_off(const struct sc_call_clock *c, const struct sc_clock_reading *now)
{
	uint64_t predicted = predict(c, now->ticks), gone = now->ns - c->last.ns;

	return c->rate && gone < 100 * RENEWAL_NS &&
	       (predicted > now->ns ? predicted - now->ns : now->ns - predicted) >
		       WRONG_NS + gone / 1000;
}

/* Looks at the clock itself. */
static uint64_t renew(struct sc_call_clock *c, struct sc_clock_base *base)
{
	struct sc_clock_reading now;

	if (!read_both(&now))
		return now.ns;
	if (is_off(c, &now))
		__atomic_store_n(&base->is_counted, false, __ATOMIC_RELAXED);
	c->version++;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->last = now;
	c->rate = rate_between(&base->first, &now);
	c->most = c->rate ? ((uint64_t)RENEWAL_NS << 32) / c->rate : 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	c->version++;
	return now.ns;
}

uint64_t sc_clock_now(void)
{
	struct sc_clock_base *base = &sc_clock_base;
	struct sc_call_clock *c = &sc_self.clock;
	uint64_t ns;

	if (!__atomic_load_n(&base->is_counted, __ATOMIC_RELAXED))
		return sc_clock_exact();
	ns = sc_clock_count(c);
	if (!ns)
		ns = c->version & 1 ? sc_clock_exact() : renew(c, base);
	if (ns < c->given_ns)
		return c->given_ns;
	c->given_ns = ns;
	return ns;
}
