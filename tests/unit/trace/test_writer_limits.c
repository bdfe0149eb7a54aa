/* Writer: it takes little of what the program has little of. */
#include "trace/writer.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/unit/unit.h"

#define MEGABYTE ((uint64_t)1 << 20)

static char path[64];

static int choose_path(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/streamcheck-writer-%d.sct", (int)getpid());
	return 0;
}

static int remove_path(void **state)
{
	(void)state;
	unlink(path); /* there is none where the test was skipped */
	return 0;
}

EACH_TEST(choose_path, remove_path)

/* A program may begin without its standard streams, and with few descriptors: what it writes there
 * must not be our file. */
TEST(standard_streams_are_left_alone)
{
	int saved = dup(STDERR_FILENO), fd;
	struct rlimit old, limit;
	struct sc_writer w;

	getrlimit(RLIMIT_NOFILE, &old);
	limit = old;
	limit.rlim_cur = 32;
	setrlimit(RLIMIT_NOFILE, &limit);
	close(STDERR_FILENO);
	assert_int_equal(sc_writer_open(&w, path, 64 * MEGABYTE), 0);
	fd = w.fd;
	dup2(saved, STDERR_FILENO);
	close(saved);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_true(fd > STDERR_FILENO);
	sc_writer_close(&w);
}

/* Most of the address space stays the program's. */
TEST(limited_address_space_is_left)
{
	struct rlimit old, limit;
	struct sc_writer w;
	void *p;

	getrlimit(RLIMIT_AS, &old);
	limit = old;
	limit.rlim_cur = 4096 * MEGABYTE;
	setrlimit(RLIMIT_AS, &limit);
	p = mmap(NULL, 3500 * MEGABYTE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) { /* a sanitizer has taken it all */
		setrlimit(RLIMIT_AS, &old);
		skip();
	}
	munmap(p, 3500 * MEGABYTE);
	assert_int_equal(sc_writer_open(&w, path, 16384 * MEGABYTE), 0);
	p = mmap(NULL, 3000 * MEGABYTE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	setrlimit(RLIMIT_AS, &old);
	assert_true(p != MAP_FAILED);
	munmap(p, 3000 * MEGABYTE);
	sc_writer_close(&w);
}

TEST(limited_files_are_small)
{
	struct rlimit old, limit;
	struct sc_writer w;

	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 2 * MEGABYTE;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(sc_writer_open(&w, path, UINT64_MAX), 0);
	assert_true(w.max_slots <= 2 * MEGABYTE / SC_SLOT_SIZE);
	setrlimit(RLIMIT_FSIZE, &old);
	sc_writer_close(&w);
}
