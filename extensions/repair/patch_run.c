/* Patch run: the interpreter of $STREAMCHECK_PYTHON, which the wheel sets, or the python3 of PATH.
 */
#include "extensions/repair/patch_run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/message.h"
#include "base/vector.h"
#include "cmds/files/install.h"

/* A file in memory: the writer may end before it has read all. */
static int plan_file(const struct sc_buf *plan)
{
	int fd = memfd_create("plan", MFD_CLOEXEC);
	size_t written = 0;

	while (fd >= 0 && written < plan->bytes) {
		ssize_t got = write(fd, plan->text + written, plan->bytes - written);

		if (got < 0)
			sc_die("repair: cannot keep the plan: %s", strerror(errno));
		written += (size_t)got;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static const char *interpreter(void)
{
	const char *named = getenv("STREAMCHECK_PYTHON");

	return named && *named ? named : "python3";
}

typedef SC_VECTOR(const char *) words;

/* How a copy is built, and how the program is run there. */
static void add_confirmation(words *w, const struct sc_patch_request *q)
{
	const char *at = sc_buf_text(q->run_options), *end = at + q->run_options->bytes;

	if (!q->program)
		return;
	sc_vector_push(w, "--build");
	sc_vector_push(w, q->options->build);
	for (; at < end; at += strlen(at) + 1) {
		sc_vector_push(w, "--run-option");
		sc_vector_push(w, at);
	}
	sc_vector_push(w, "--");
	for (char *const *word = q->program; *word; word++)
		sc_vector_push(w, *word);
}

/* In the new process. The current folder is nowhere that Python looks for modules: it may be one of
 * sources that somebody else wrote. */
static void start(int fd, const struct sc_patch_request *q)
{
	const char *python = interpreter();
	char folder[PATH_MAX];
	words w = {0};

	sc_install_patch(folder);
	sc_vector_push(&w, python);
	sc_vector_push(&w, "-B");
	sc_vector_push(&w, folder);
	for (unsigned i = 0; i < q->options->source_root.count; i++) {
		sc_vector_push(&w, "--source-root");
		sc_vector_push(&w, q->options->source_root.text[i]);
	}
	sc_vector_push(&w, "-");
	add_confirmation(&w, q);
	sc_vector_push(&w, NULL);
	if (dup2(fd, STDIN_FILENO) >= 0)
		execvp(python, (char **)(uintptr_t)w.items);
	sc_warn("repair: cannot start %s: %s; install streamcheck[patch]", python, strerror(errno));
	_exit(SC_PATCH_MISSING);
}

int sc_patch_run(const struct sc_buf *plan, const struct sc_patch_request *request)
{
	int fd = plan_file(plan), status;
	pid_t child;

	if (fd < 0)
		return -errno;
	child = fork();
	if (!child)
		start(fd, request);
	close(fd);
	if (child < 0)
		return -errno;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFSIGNALED(status))
		sc_warn("repair: the writer of the patch was ended by signal %d", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
