/* Fails system calls of a program and of all processes that it starts, from outside of them.
 *
 * usage: calls LOG WHO KIND FIRST COUNT PROGRAM [ARGUMENT...]
 *
 * WHO  lib:NAME   calls whose instruction is in a library of that name, in any process
 *      exe:NAME   calls of processes that execute a file of that name, wherever they stand
 * KIND a row of `kinds` below. The calls that it can fail are counted from 1; those from FIRST on
 *      fail, COUNT of them (0: all). With FIRST 0 none fails, and all are listed.
 *
 * What is tested is what is shipped: nothing in it knows of this. LOG has a line for each call that
 * was failed or listed, "call N NUMBER PID PLACE", with the place in its file, and one for each
 * process that ended, "end PID NAME exit|signal VALUE". Exits as the program did.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define TASKS_MAX  1024
#define RANGES_MAX 12 /* files with code that make system calls, of one process */
#define NAME_BYTES 64
#define OPTIONS                                                                                 \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
	 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC)
#define MADE_BY(event)                                                    \
	((event) == PTRACE_EVENT_FORK || (event) == PTRACE_EVENT_VFORK || \
	 (event) == PTRACE_EVENT_CLONE)

struct range {
	uint64_t start, end, base;
	bool is_it;
};

struct task {
	pid_t id;
	bool is_thread;
	bool is_known;	 /* who made it is known */
	bool is_stopped; /* and waits for that */
	bool is_it;	 /* executes the file of WHO */
	char name[NAME_BYTES];
	struct range ranges[RANGES_MAX];
	unsigned count;
};

struct kind {
	const char *name;
	int error; /* 0: half of the bytes are done */
	bool (*takes)(const struct user_regs_struct *regs);
};

static struct task tasks[TASKS_MAX];
static FILE *out;
static const char *who;
static bool is_library;
static const struct kind *kind;
static long first, count, calls;

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(125);
}

/* ---- which calls ---- */

static bool is_no_space(const struct user_regs_struct *regs)
{
	switch (regs->orig_rax) {
	case SYS_write:
	case SYS_pwrite64:
	case SYS_writev:
	case SYS_fallocate:
	case SYS_ftruncate:
	case SYS_mkdir:
	case SYS_mkdirat:
	case SYS_mknod:
	case SYS_sendfile:
	case SYS_rename:
	case SYS_renameat:
	case SYS_linkat:
	case SYS_symlink:
	case SYS_msync: return true;
	case SYS_open: return regs->rsi & O_CREAT;
	case SYS_openat: return regs->rdx & O_CREAT;
	default: return false;
	}
}

static bool is_descriptor(const struct user_regs_struct *regs)
{
	switch (regs->orig_rax) {
	case SYS_open:
	case SYS_openat:
	case SYS_dup:
	case SYS_pipe2:
	case SYS_socket:
	case SYS_accept4:
	case SYS_memfd_create:
	case SYS_eventfd2:
	case SYS_signalfd4:
	case SYS_pidfd_open:
	case SYS_inotify_init1: return true;
	case SYS_fcntl: return regs->rsi == F_DUPFD || regs->rsi == F_DUPFD_CLOEXEC;
	default: return false;
	}
}

/* A futex that wakes others is never interrupted; glibc ends the program then. */
static bool is_wait(uint64_t operation)
{
	return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
}

static bool is_interrupted(const struct user_regs_struct *regs)
{
	switch (regs->orig_rax) {
	case SYS_futex: return is_wait(regs->rsi & FUTEX_CMD_MASK);
	case SYS_read:
	case SYS_write:
	case SYS_pread64:
	case SYS_pwrite64:
	case SYS_readv:
	case SYS_writev:
	case SYS_open:
	case SYS_openat:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_poll:
	case SYS_ppoll:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_fallocate:
	case SYS_ftruncate:
	case SYS_flock:
	case SYS_connect:
	case SYS_accept4:
	case SYS_recvmsg:
	case SYS_sendmsg:
	case SYS_rt_sigtimedwait: return true;
	default: return false;
	}
}

static bool is_halved(const struct user_regs_struct *regs)
{
	switch (regs->orig_rax) {
	case SYS_read:
	case SYS_write:
	case SYS_pread64:
	case SYS_pwrite64:
	case SYS_readv:
	case SYS_writev: return regs->rdx > 1;
	default: return false;
	}
}

/* No room for one more piece of a mapping. Giving rights back to a whole mapping needs none. */
static bool is_split(const struct user_regs_struct *regs)
{
	return regs->orig_rax == SYS_mprotect && regs->rdx == (PROT_READ | PROT_WRITE);
}

static bool is_memory(const struct user_regs_struct *regs)
{
	if (regs->orig_rax == SYS_mprotect)
		return !is_split(regs);
	switch (regs->orig_rax) {
	case SYS_mmap:
	case SYS_mremap:
	case SYS_munmap:
	case SYS_clone:
	case SYS_clone3:
	case SYS_vfork:
	case SYS_fork: return true;
	default: return false;
	}
}

/* A disk that is broken, a /proc that is not there, no permission. */
static bool is_file(const struct user_regs_struct *regs)
{
	switch (regs->orig_rax) {
	case SYS_open:
	case SYS_openat:
	case SYS_read:
	case SYS_pread64:
	case SYS_write:
	case SYS_pwrite64:
	case SYS_writev:
	case SYS_lseek:
	case SYS_stat:
	case SYS_fstat:
	case SYS_lstat:
	case SYS_newfstatat:
	case SYS_fstatfs:
	case SYS_access:
	case SYS_faccessat:
	case SYS_readlink:
	case SYS_readlinkat:
	case SYS_getcwd:
	case SYS_getdents64:
	case SYS_unlink:
	case SYS_unlinkat:
	case SYS_rmdir:
	case SYS_mkdir:
	case SYS_mknod:
	case SYS_rename:
	case SYS_renameat:
	case SYS_linkat:
	case SYS_fchmod:
	case SYS_fallocate:
	case SYS_ftruncate:
	case SYS_msync:
	case SYS_madvise:
	case SYS_flock:
	case SYS_fcntl:
	case SYS_ioctl:
	case SYS_sendfile:
	case SYS_prlimit64:
	case SYS_process_vm_readv: return true;
	default: return false;
	}
}

static const struct kind kinds[] = {
	{"ENOSPC", ENOSPC, is_no_space},
	{"EMFILE", EMFILE, is_descriptor},
	{"EINTR", EINTR, is_interrupted},
	{"short", 0, is_halved},
	{"ENOMEM", ENOMEM, is_memory},
	{"split", ENOMEM, is_split},
	{"EIO", EIO, is_file},
};

/* ---- processes ---- */

static struct task *find_task(pid_t id)
{
	struct task *empty = NULL;

	for (unsigned i = 0; i < TASKS_MAX; i++) {
		if (tasks[i].id == id)
			return &tasks[i];
		if (!tasks[i].id && !empty)
			empty = &tasks[i];
	}
	if (!empty)
		fail("too many processes");
	*empty = (struct task){.id = id};
	return empty;
}

/* The file that the process has begun to execute. */
static void take_name(struct task *t)
{
	char link[64], path[4096];
	const char *slash;
	ssize_t bytes;

	snprintf(link, sizeof(link), "/proc/%d/exe", t->id);
	bytes = readlink(link, path, sizeof(path) - 1);
	path[bytes > 0 ? bytes : 0] = '\0';
	slash = strrchr(path, '/');
	snprintf(t->name, sizeof(t->name), "%.63s", slash ? slash + 1 : path);
	t->is_it = !is_library && !strcmp(t->name, who);
	t->count = 0;
}

/* The loader's calls are its own: what it does when one fails is not ours to judge. */
static bool is_subject(const char *file)
{
	return is_library ? !strcmp(file, who) : strncmp(file, "ld-linux", 8) != 0;
}

static const struct range *find_range(struct task *t, uint64_t at)
{
	char path[64], line[4400], file[4200];
	struct range r;
	FILE *maps;

	for (unsigned i = 0; i < t->count; i++)
		if (at >= t->ranges[i].start && at < t->ranges[i].end)
			return &t->ranges[i];
	snprintf(path, sizeof(path), "/proc/%d/maps", t->id);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		file[0] = '\0';
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %4199s", &r.start, &r.end, &r.base,
			   file) < 3 ||
		    at < r.start || at >= r.end)
			continue;
		r.base = r.start - r.base;
		r.is_it = strrchr(file, '/') && is_subject(strrchr(file, '/') + 1);
		fclose(maps);
		t->count -= t->count == RANGES_MAX;
		t->ranges[t->count] = r;
		return &t->ranges[t->count++];
	}
	if (maps)
		fclose(maps);
	return NULL;
}

static void log_call(struct task *t, long number, uint64_t at)
{
	const struct range *r = find_range(t, at);

	fprintf(out, "call %ld %ld %d %lx\n", calls, number, t->id, r ? at - r->base : at);
}

/* At the entry of a system call. */
static void take_call(struct task *t)
{
	struct user_regs_struct regs;
	const struct range *r;
	long number;

	if ((!is_library && !t->is_it) || ptrace(PTRACE_GETREGS, t->id, NULL, &regs) ||
	    !kind->takes(&regs))
		return;
	r = find_range(t, regs.rip - 2);
	if (!r || !r->is_it)
		return;
	calls++;
	number = (long)regs.orig_rax;
	if (first && (calls < first || (count && calls >= first + count)))
		return;
	log_call(t, number, regs.rip - 2);
	if (!first)
		return;
	if (kind->error) {
		regs.orig_rax = ~0ull;
		regs.rax = (uint64_t)-kind->error;
	} else {
		regs.rdx /= 2;
	}
	if (ptrace(PTRACE_SETREGS, t->id, NULL, &regs) && errno != ESRCH)
		fail("PTRACE_SETREGS");
}

static void resume(const struct task *t, int signal)
{
	if (ptrace(PTRACE_CONT, t->id, NULL, signal) && errno != ESRCH)
		fail("PTRACE_CONT");
}

static void take_child(const struct task *parent, int event)
{
	unsigned long id;
	struct task *t;

	if (ptrace(PTRACE_GETEVENTMSG, parent->id, NULL, &id))
		return;
	t = find_task((pid_t)id);
	memcpy(t->name, parent->name, sizeof(t->name));
	memcpy(t->ranges, parent->ranges, sizeof(t->ranges));
	t->count = parent->count;
	t->is_it = parent->is_it;
	t->is_known = true;
	t->is_thread = event == PTRACE_EVENT_CLONE;
	if (t->is_stopped)
		resume(t, 0);
	t->is_stopped = false;
}

static bool is_traced(int id)
{
	for (unsigned i = 0; i < TASKS_MAX; i++)
		if (id && tasks[i].id == id)
			return true;
	return false;
}

/* A process that is killed says nothing of what it made last, which would wait for that. */
static bool has_no_maker(const struct task *t)
{
	char path[64], line[256];
	int group = t->id, parent = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", t->id);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status)) {
		sscanf(line, "Tgid: %d", &group);
		sscanf(line, "PPid: %d", &parent);
	}
	if (status)
		fclose(status);
	return !is_traced(group == t->id ? parent : group);
}

static void let_go(struct task *t)
{
	take_name(t);
	t->is_known = true;
	t->is_stopped = false;
	resume(t, 0);
}

static void take_stop(struct task *t, int status)
{
	int event = status >> 16, signal = WSTOPSIG(status);

	if (event == PTRACE_EVENT_SECCOMP)
		take_call(t);
	else if (event == PTRACE_EVENT_EXEC)
		take_name(t);
	else if (MADE_BY(event))
		take_child(t, event);
	else if (event == PTRACE_EVENT_STOP && !t->is_known) {
		t->is_stopped = true;
		if (has_no_maker(t))
			let_go(t);
		return;
	}
	resume(t, event ? 0 : signal);
}

static void take_end(struct task *t, int status)
{
	if (!t->is_thread)
		fprintf(out, "end %d %s %s %d\n", t->id, t->name,
			WIFSIGNALED(status) ? "signal" : "exit",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	*t = (struct task){0};
	for (unsigned i = 0; i < TASKS_MAX; i++)
		if (tasks[i].id && tasks[i].is_stopped && has_no_maker(&tasks[i]))
			let_go(&tasks[i]);
}

/* ---- the beginning and the end ---- */

/* Every call stops; the tracer looks where it stands. */
static void trace_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		fail("seccomp");
}

static pid_t start(char **command)
{
	int go[2];
	pid_t child;
	char byte;

	if (pipe2(go, O_CLOEXEC))
		fail("pipe");
	child = fork();
	if (child < 0)
		fail("fork");
	if (!child) {
		close(go[1]);
		if (read(go[0], &byte, 1) != 1)
			_exit(125);
		trace_calls();
		execvp(command[0], command);
		fail(command[0]);
	}
	if (ptrace(PTRACE_SEIZE, child, NULL, OPTIONS))
		fail("PTRACE_SEIZE");
	if (write(go[1], "", 1) != 1)
		fail("pipe");
	close(go[0]);
	close(go[1]);
	find_task(child)->is_known = true;
	return child;
}

static int follow(pid_t root)
{
	int status, result = 125;
	pid_t id;

	while ((id = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (id <= 0)
			continue;
		if (WIFSTOPPED(status)) {
			take_stop(find_task(id), status);
			continue;
		}
		if (id == root)
			result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		take_end(find_task(id), status);
	}
	return result;
}

int main(int argc, char **argv)
{
	int result;

	if (argc < 7)
		return 125;
	out = fopen(argv[1], "we");
	if (out)
		setvbuf(out, NULL, _IOLBF, BUFSIZ);
	is_library = !strncmp(argv[2], "lib:", 4);
	who = argv[2] + 4;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, argv[3]))
			kind = &kinds[i];
	if (!out || !kind)
		fail(argv[1]);
	first = atol(argv[4]);
	count = atol(argv[5]);
	result = follow(start(argv + 6));
	fprintf(out, "calls %ld\n", calls);
	fclose(out);
	return result;
}
