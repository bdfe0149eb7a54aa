/* The clock of the calls: near CLOCK_MONOTONIC, never backwards, and itself where it must be. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "tests/unit/unit.h"
#include "interposer/core/clock.h"
#include "interposer/core/real.h"
#include "interposer/core/thread.h"

#define ROUNDS	 200000
#define NEAR_NS	 20000	  /* of the clock itself, if the thread was not interrupted */
#define QUICK_NS 5000	  /* it was not */
#define WAIT_NS	 30000000 /* long enough to learn the rate */

static int start(void **state)
{
	(void)state;
	memset(&sc_clock_base, 0, sizeof(sc_clock_base));
	memset(&sc_self.clock, 0, sizeof(sc_self.clock));
	sc_clock_init();
	return 0;
}

static void spin(uint64_t ns)
{
	uint64_t end = sc_clock_exact() + ns;

	while (sc_clock_exact() < end)
		sc_clock_now();
}

/* How many of the readings that can be judged were far from the clock. */
static unsigned count_far(unsigned *judged)
{
	unsigned far = 0;

	*judged = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t before = sc_clock_exact(), now = sc_clock_now(), after = sc_clock_exact();

		if (after - before > QUICK_NS)
			continue;
		++*judged;
		far += now + NEAR_NS < before || now > after + NEAR_NS;
	}
	return far;
}

EACH_TEST(start, NULL)

TEST(it_stays_near_the_clock)
{
	unsigned judged;

	spin(WAIT_NS);
	assert_int_equal(count_far(&judged), 0);
	assert_true(judged > 0);
}

static sc_dlsym_fn *quick_look_up;

static void *slow_look_up(void *handle, const char *name)
{
	uint64_t end = sc_clock_exact() + WAIT_NS / 100;

	while (sc_clock_exact() < end)
		continue;
	return quick_look_up(handle, name);
}

static bool is_trusted_by_the_kernel(void)
{
	FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
	char name[8] = "";
	bool is;

	is = file && fgets(name, sizeof(name), file) && !strcmp(name, "tsc\n");
	if (file)
		fclose(file);
	return is;
}

/* The first reading looks the real function up, with hundreds of libraries for much longer than two
 * readings may be apart. */
TEST(a_slow_look_up_costs_no_counter)
{
	if (!is_trusted_by_the_kernel())
		skip();
	quick_look_up = sc_real_dlsym();
	atomic_store(&sc_real.libc[SC_REAL_clock_gettime], NULL);
	atomic_store(&sc_real.dlsym, slow_look_up);
	start(state);
	atomic_store(&sc_real.dlsym, quick_look_up);
	assert_true(sc_clock_base.is_counted);
}

TEST(it_never_goes_back)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t now = sc_clock_now();

		assert_true(now >= last);
		last = now;
	}
}

/* Longer than the product of ticks and rate has bits for, if nobody looked. */
TEST(a_long_pause_is_seen)
{
	unsigned judged;

	spin(WAIT_NS);
	if (!sc_clock_base.is_counted)
		skip();
	sc_self.clock.last.ticks -= UINT64_C(1) << 45;
	sc_self.clock.last.ns -= UINT64_C(1) << 44;
	assert_int_equal(count_far(&judged), 0);
}

TEST(an_uneven_counter_is_given_up)
{
	spin(WAIT_NS);
	if (!sc_clock_base.is_counted)
		skip();
	/* again, in case that the thread was put to sleep just then, for longer than is judged */
	for (unsigned i = 0; i < 50 && sc_clock_base.is_counted; i++) {
		sc_self.clock.rate /= 2;
		spin(WAIT_NS / 10);
	}
	assert_false(sc_clock_base.is_counted);
}

TEST(without_a_counter_it_is_the_clock)
{
	uint64_t before, now;

	sc_clock_base.is_counted = false;
	before = sc_clock_exact();
	now = sc_clock_now();
	assert_true(before <= now && now <= sc_clock_exact());
}

/* A handler that comes while the thread looks at the clock finds a half-written reading. */
TEST(a_half_written_reading_is_not_used)
{
	uint64_t before, now;

	spin(WAIT_NS);
	sc_self.clock.version |= 1;
	sc_self.clock.last.ns = 7;
	sc_self.clock.given_ns = 0;
	before = sc_clock_exact();
	now = sc_clock_now();
	assert_true(before <= now && now <= sc_clock_exact());
}
