/* Reading memory that may not be there: with the signal handler and without, and inside it. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/unit/unit.h"
#include "interposer/core/safe_read.h"
#include "interposer/core/session.h"
#include "interposer/libc/signals.h"
#include "interposer/core/thread.h"

#define PAGE 4096

/* Three pages: readable, protected, gone. */
static char *make_pages(void)
{
	char *pages =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	memset(pages, 'a', PAGE);
	memset(pages + PAGE, 'b', PAGE);
	assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
	assert_int_equal(munmap(pages + 2 * PAGE, PAGE), 0);
	return pages;
}

static void expect_pages(struct sc_safe_read *p)
{
	char *pages = make_pages(), to[32];
	uint64_t at = (uint64_t)pages;

	assert_true(sc_safe_read_bytes(p, to, at + 1, 21));
	assert_memory_equal(to, "aaaaaaaaaaaaaaaaaaaaa", 21);
	assert_true(sc_safe_read_bytes(p, to, at + PAGE - 3, 7));
	assert_memory_equal(to, "aaabbbb", 7);
	assert_false(sc_safe_read_bytes(p, to, at + 2 * PAGE - 3, 7));
	assert_false(sc_safe_read_bytes(p, to, at + 2 * PAGE, 1));
	assert_true(sc_safe_read_bytes(p, to, at, 0));
	munmap(pages, 2 * PAGE);
}

TEST(without_a_handler)
{
	struct sc_safe_read p;

	sc_safe_read_begin(&p);
	expect_pages(&p);
	sc_safe_read_end(&p);
}

TEST(addresses_that_nobody_has)
{
	static const uint64_t addresses[] = {
		0, 8, UINT64_C(1) << 47, UINT64_C(0xdead) << 48, UINT64_MAX - 3, UINT64_MAX};
	struct sc_safe_read p;
	char to[8];

	sc_safe_read_begin(&p);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		assert_false(sc_safe_read_bytes(&p, to, addresses[i], sizeof(to)));
	assert_false(sc_safe_read_bytes(&p, to, PAGE, SIZE_MAX));
	sc_safe_read_end(&p);
}

TEST(with_the_handler)
{
	struct sc_safe_read p;

	sc_signals_install();
	sc_safe_read_begin(&p);
	assert_true(p.is_direct);
	expect_pages(&p);
	sc_safe_read_end(&p);
	assert_null(sc_more()->safe_read);
}

static volatile sig_atomic_t sent;

static void count(int number)
{
	(void)number;
	sent++;
}

TEST(inside_the_handler)
{
	struct sigaction action = {.sa_handler = count};
	sigset_t all, before;
	struct sc_safe_read p;

	sc_signals_exchange(sc_signals_index(SIGSEGV), SIGSEGV, &action, NULL);
	sigfillset(&all);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
	sc_safe_read_begin_in_handler(&p);
	expect_pages(&p);
	raise(SIGSEGV); /* somebody sends one at this moment */
	expect_pages(&p);
	assert_int_equal(sent, 0);
	sc_safe_read_end(&p);
	assert_int_equal(sent, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(sent, 1);
}
