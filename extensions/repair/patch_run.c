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

/* In the new process. The current folder is nowhere that Python looks for modules: it may be one of
 * sources that somebody else wrote. */
static void start(int fd, const struct sc_options *options)
{
	const char *words[SC_OPTION_LIST_MAX * 2 + 5], *python = interpreter();
	char folder[PATH_MAX];
	unsigned count = 0;

	sc_install_patch(folder);
	words[count++] = python;
	words[count++] = "-B";
	words[count++] = folder;
	for (unsigned i = 0; i < options->source_root.count; i++) {
		words[count++] = "--source-root";
		words[count++] = options->source_root.text[i];
	}
	words[count++] = "-";
	words[count] = NULL;
	if (dup2(fd, STDIN_FILENO) >= 0)
		execvp(python, (char **)(uintptr_t)words);
	sc_warn("repair: cannot start %s: %s; install streamcheck[patch]", python, strerror(errno));
	_exit(SC_PATCH_MISSING);
}

int sc_patch_run(const struct sc_buf *plan, const struct sc_options *options)
{
	int fd = plan_file(plan), status;
	pid_t child;

	if (fd < 0)
		return -errno;
	child = fork();
	if (!child)
		start(fd, options);
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
