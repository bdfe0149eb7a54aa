/* Rerun: a child in a process group of its own, which is ended with all that it started. */
#include "cmds/check/rerun.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/message.h"
#include "cmds/process/child.h"

#define LEAST_NS   UINT64_C(10000000000) /* that a rerun may take, however fast the first run was */
#define TIMES	   5
#define LOOK_NS	   2000000
#define OUTPUT_MAX ((size_t)16 << 20) /* bytes of standard output that are compared */
#define FAILED	   127

static uint64_t now_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void sc_rerun_begin(struct sc_rerun *r, const char *folder)
{
	struct stat st = {0};

	if (snprintf(r->folder, sizeof(r->folder), "%s/notes", folder) >= (int)sizeof(r->folder))
		sc_die("TMPDIR is too long: %s", folder);
	if (mkdir(r->folder, 0700))
		sc_die("cannot make %s: %s", r->folder, strerror(errno));
	r->input = !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode)
			   ? lseek(STDIN_FILENO, 0, SEEK_CUR)
			   : -1;
	if (r->input < 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		sc_warn("standard input is a pipe; the program gets none of it when it "
			"runs again");
	r->begun_ns = now_ns();
}

void sc_rerun_prepare_first(const struct sc_rerun *r)
{
	unsetenv("STREAMCHECK_SIM_PAIR");
	sc_child_set("STREAMCHECK_SIM_NOTES", r->folder);
}

void sc_rerun_measure(struct sc_rerun *r, struct sc_sim_notes *first)
{
	uint64_t taken = now_ns() - r->begun_ns;

	r->limit_ns = taken * TIMES > LEAST_NS ? taken * TIMES : LEAST_NS;
	sc_sim_notes_take(first, r->folder);
}

/* Puts a new file in the place of a standard stream. */
static void redirect(const char *path, int flags, int to)
{
	int fd = open(path, flags, 0600);

	if (fd < 0 || dup2(fd, to) < 0)
		_exit(FAILED);
	if (fd != to)
		close(fd);
}

static void give_input(const struct sc_rerun *r)
{
	if (r->input < 0) {
		redirect("/dev/null", O_RDONLY, STDIN_FILENO);
		return;
	}
	redirect("/proc/self/fd/0", O_RDONLY, STDIN_FILENO); /* an offset of its own */
	if (lseek(STDIN_FILENO, r->input, SEEK_SET) < 0)
		_exit(FAILED);
}

static _Noreturn void become(const struct sc_rerun *r, const char *pairs, const char *output)
{
	signal(SIGPIPE, SIG_DFL); /* ours are not the program's */
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	give_input(r);
	redirect(output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
	redirect("/dev/null", O_WRONLY, STDERR_FILENO);
	unsetenv("STREAMCHECK_OPTIONS");
	sc_child_set("STREAMCHECK_SIM_NOTES", r->folder);
	sc_child_set("STREAMCHECK_SIM_PAIR", pairs);
	sc_child_prepend("LD_LIBRARY_PATH", r->simulator, ':');
	if (r->prepare)
		r->prepare(r->context);
	execvp(r->path, r->argv);
	_exit(FAILED);
}

/* The child stays what it is, so that its number, which is its group's, is nobody else's. */
static bool has_ended(pid_t child)
{
	siginfo_t end = {0};

	if (waitid(P_PID, (id_t)child, &end, WEXITED | WNOHANG | WNOWAIT))
		return errno != EINTR;
	return end.si_pid != 0;
}

/* Waits for the end of the child, and no longer than it may take. */
static void await(const struct sc_rerun *r, pid_t child, struct sc_rerun_end *end)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};
	uint64_t last = now_ns() + r->limit_ns;

	while (!has_ended(child) && now_ns() < last && !(r->is_stopped && *r->is_stopped))
		nanosleep(&look, NULL);
	end->is_late = !has_ended(child);
	kill(-child, SIGKILL); /* also what it left running */
	while (waitpid(child, &end->status, 0) < 0 && errno == EINTR)
		;
}

static void read_output(struct sc_rerun_end *end, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = {0};
	ssize_t got = 1;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size > 0) {
		end->output_all = (uint64_t)st.st_size;
		end->output = sc_heap_xcalloc(OUTPUT_MAX, 1);
		while (end->output_bytes < OUTPUT_MAX && got > 0) {
			got = read(fd, end->output + end->output_bytes,
				   OUTPUT_MAX - end->output_bytes);
			end->output_bytes += got > 0 ? (size_t)got : 0;
		}
	}
	if (fd >= 0)
		close(fd);
	unlink(path);
}

void sc_rerun_run(const struct sc_rerun *r, const char *pairs, struct sc_rerun_end *end)
{
	char output[PATH_MAX + 8];
	pid_t child;

	*end = (struct sc_rerun_end){0};
	snprintf(output, sizeof(output), "%s/output", r->folder);
	child = fork();
	if (!child)
		become(r, pairs, output);
	if (child < 0) {
		end->has_failed = 1;
		return;
	}
	setpgid(child, child);
	end->process = child;
	await(r, child, end);
	read_output(end, output);
	sc_sim_notes_take(&end->notes, r->folder);
}

void sc_rerun_end_fini(struct sc_rerun_end *end)
{
	sc_sim_notes_fini(&end->notes);
	free(end->output);
	*end = (struct sc_rerun_end){0};
}

void sc_rerun_fini(struct sc_rerun *r)
{
	struct sc_sim_notes left;

	sc_sim_notes_take(&left, r->folder);
	sc_sim_notes_fini(&left);
	if (rmdir(r->folder))
		sc_warn("cannot remove %s: %s", r->folder, strerror(errno));
}
