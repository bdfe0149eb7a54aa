/* The process that writes a trace, by its number and the file that it maps. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "extensions/live/traced.h"

struct writer {
	char path[64];
	pid_t process; /* as seen from here */
};

/* A process that maps the file until it is ended; in a namespace of its own it is number 1. */
static bool start(struct writer *w, bool is_apart)
{
	int file, ready[2];
	char byte;

	snprintf(w->path, sizeof(w->path), "/tmp/traced.XXXXXX");
	file = mkstemp(w->path);
	assert_true(file >= 0 && !ftruncate(file, 4096) && !pipe(ready));
	if (is_apart && unshare(CLONE_NEWPID))
		return false;
	w->process = fork();
	assert_true(w->process >= 0);
	if (!w->process) {
		void *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);

		signal(SIGTERM, SIG_DFL);
		if (at == MAP_FAILED || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	close(file);
	return true;
}

static void stop(struct writer *w)
{
	kill(w->process, SIGKILL);
	waitpid(w->process, NULL, 0);
	unlink(w->path);
}

TEST(by_its_number)
{
	struct writer w;
	struct sc_traced t;
	int status;

	assert_true(start(&w, false));
	sc_traced_open(&t, w.process, w.path);
	assert_int_equal(t.here, w.process);
	assert_true(sc_traced_may_live(&t));
	assert_true(sc_traced_signal(&t, SIGKILL));
	assert_int_equal(waitpid(w.process, &status, 0), w.process);
	assert_false(sc_traced_may_live(&t));
	assert_false(sc_traced_signal(&t, SIGTERM));
	sc_traced_close(&t);
	unlink(w.path);
}

/* A process of that number that does not write the trace gets nothing. */
TEST(stranger)
{
	struct writer w, other;
	struct sc_traced t;

	assert_true(start(&w, false));
	assert_true(start(&other, false));
	sc_traced_open(&t, other.process, w.path);
	assert_int_equal(t.descriptor, -1);
	assert_false(sc_traced_signal(&t, SIGKILL));
	sc_traced_open(&t, getpid(), w.path);
	assert_int_equal(t.descriptor, -1);
	assert_int_equal(waitpid(other.process, NULL, WNOHANG), 0);
	stop(&other);
	stop(&w);
}

/* In a container it is number 1, as another process is here. In a process of its own: what it
 * forks stays in the new namespace. */
static void in_another_namespace(void)
{
	struct writer w;
	struct sc_traced t;

	if (!start(&w, true)) {
		unlink(w.path);
		_exit(77);
	}
	sc_traced_open(&t, 1, w.path);
	if (t.here != w.process || !sc_traced_signal(&t, SIGKILL))
		_exit(1);
	_exit(waitpid(w.process, NULL, 0) == w.process && !unlink(w.path) ? 0 : 1);
}

TEST(namespace)
{
	pid_t child = fork();
	int status;

	if (!child)
		in_another_namespace();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}
