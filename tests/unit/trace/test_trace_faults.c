/* Faults of a trace's files: whichever system call of the writer, the giver or the reader fails, or
 * does a part or nothing, what is missing is said. The tests run in a child that this process
 * traces. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
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
#include "tests/unit/unit.h"
#include "trace/follow.h"
#include "trace/giver.h"
#include "trace/reader.h"
#include "trace/writer.h"

#define MEGABYTE   ((uint64_t)1 << 20)
#define RECORDS	   33000 /* more than one step of room */
#define KERNELS	   1998
#define LONG	   ((uint32_t)SC_RECORD_SLOTS * SC_SLOT_DATA + 1000)
#define CALLS_MAX  4096
#define NOT_TRACED 77 /* exit code: this is not allowed here */
#define SUCCESS	   1  /* of a fault: the call is not failed */
#define HALF	   2  /* half of the bytes are done */
#define PATH	   "faults.sct"
#define CHECK(x)   check(x, #x, __LINE__)

static const int faults[] = {0, HALF, -EINTR, -EIO, -ENOSPC, -EOPNOTSUPP};

struct scenario {
	void (*prepare)(void); /* without faults, or NULL */
	void (*act)(void);
	void (*judge)(void);
	unsigned of_one; /* calls of one number that fail, one after the other: the first ones */
};

static void check(bool is_true, const char *what, int line)
{
	if (is_true)
		return;
	fprintf(stderr, "line %d: %s\n", line, what);
	exit(1);
}

/* ---- the tracer ---- */

static const int traced[] = {SYS_read,	    SYS_pread64, SYS_pwrite64, SYS_fallocate,
			     SYS_ftruncate, SYS_openat,	 SYS_fstat,    SYS_newfstatat,
			     SYS_getcwd,    SYS_fcntl,	 SYS_mmap,     SYS_prlimit64,
			     SYS_flock};
#define TRACED (sizeof(traced) / sizeof(*traced))

static void trace_me(void)
{
	struct sock_filter code[TRACED + 3];
	struct sock_fprog program = {TRACED + 3, code};

	code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < TRACED; i++)
		code[1 + i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)traced[i], (uint8_t)(TRACED - i), 0);
	code[1 + TRACED] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[2 + TRACED] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		exit(NOT_TRACED);
	raise(SIGSTOP);
	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static void run_child(const struct scenario *s)
{
	if (s->prepare)
		s->prepare();
	trace_me();
	s->act();
	raise(SIGSTOP); /* faults end */
	s->judge();
	exit(0);
}

/* Memory that is no file's is the heap's. */
static bool can_fail(const struct user_regs_struct *regs)
{
	return regs->orig_rax != SYS_mmap || (int)regs->r8 >= 0;
}

static bool is_of_bytes(int number)
{
	return number == SYS_read || number == SYS_pread64 || number == SYS_pwrite64;
}

static void fail_call(pid_t child, struct user_regs_struct *regs, int fault)
{
	if (fault == HALF) {
		regs->rdx -= regs->rdx / 2;
	} else {
		regs->orig_rax = ~0ull;
		regs->rax = (uint64_t)fault;
	}
	assert_int_equal(ptrace(PTRACE_SETREGS, child, NULL, regs), 0);
}

struct run {
	int fault;
	unsigned first, count; /* the calls that fail; count 0: all from it on */
	unsigned calls;
	int numbers[CALLS_MAX]; /* of the calls */
};

static void take_call(pid_t child, struct run *r)
{
	struct user_regs_struct regs;

	assert_int_equal(ptrace(PTRACE_GETREGS, child, NULL, &regs), 0);
	if (!can_fail(&regs))
		return;
	r->calls++;
	if (r->calls < CALLS_MAX)
		r->numbers[r->calls] = (int)regs.orig_rax;
	if (r->fault == SUCCESS || (r->fault >= 0 && !is_of_bytes((int)regs.orig_rax)))
		return;
	if (r->calls >= r->first && (!r->count || r->calls < r->first + r->count))
		fail_call(child, &regs, r->fault);
}

/* Returns the exit code of the child, or -1: a signal ended it. */
static int run_once(const struct scenario *s, struct run *r)
{
	unsigned stops = 0;
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child)
		run_child(s);
	r->calls = 0;
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int signal = WSTOPSIG(status);

		if (signal == SIGSTOP && !stops++)
			ptrace(PTRACE_SETOPTIONS, child, NULL,
			       PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL);
		else if (status >> 16 == PTRACE_EVENT_SECCOMP && stops == 1)
			take_call(child, r);
		ptrace(PTRACE_CONT, child, NULL,
		       signal == SIGSTOP || signal == SIGTRAP ? 0 : signal);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static unsigned count_before(const struct run *r, unsigned at)
{
	unsigned count = 0;

	for (unsigned i = 1; i < at; i++)
		count += r->numbers[i] == r->numbers[at];
	return count;
}

/* One of the first calls of each number fails, then all from it on. */
static void run_faults(const struct scenario *s)
{
	static struct run all, r;
	int code;

	all.fault = SUCCESS;
	code = run_once(s, &all);
	if (code == NOT_TRACED)
		skip();
	assert_int_equal(code, 0);
	assert_in_range(all.calls, 3, CALLS_MAX - 1);
	for (r.first = 1; r.first <= all.calls; r.first++) {
		if (count_before(&all, r.first) >= s->of_one)
			continue;
		for (unsigned i = 0; i < 2 * sizeof(faults) / sizeof(*faults); i++) {
			r.fault = faults[i / 2];
			r.count = i % 2;
			if ((r.fault == -EINTR && !r.count) || /* would be for ever */
			    (r.fault >= 0 && !is_of_bytes(all.numbers[r.first])))
				continue;
			if (run_once(s, &r))
				fail_msg("call %u (%d), %s, with %d", r.first, all.numbers[r.first],
					 r.count ? "alone" : "and all later", r.fault);
		}
	}
}

/* ---- writing ---- */

static struct sc_writer writer;
static int opened;

static void put(struct sc_writer *w, enum sc_op_kind kind, uint64_t value, const char *text,
		uint32_t bytes)
{
	struct sc_op op = {.kind = (uint16_t)kind, .value = value, .object = 1};
	struct sc_attachment part = {SC_ATTACH_TEXT, bytes, text};

	sc_writer_put(w, &op, &part, text ? 1 : 0);
}

static void act_write(void)
{
	opened = sc_writer_open(&writer, PATH, 64 * MEGABYTE);
	for (uint64_t i = 0; !opened && i < RECORDS; i++)
		put(&writer, SC_OP_KERNEL, i, NULL, 0);
	sc_writer_flush(&writer);
	sc_writer_close(&writer);
}

/* No file is left where it could not be opened; else each record is there, or counted. */
static void judge_write(void)
{
	struct sc_record record;
	uint64_t next = 0;
	struct sc_reader *r;

	if (opened) {
		CHECK(opened < 0 && writer.fd == -1 && access(PATH, F_OK));
		return;
	}
	CHECK(!sc_reader_open(&r, PATH, NULL, 0));
	while (sc_reader_next(r, &record)) {
		CHECK(record.op.value >= next);
		next = record.op.value + 1;
	}
	CHECK(sc_reader_stats(r)->records + sc_reader_stats(r)->lost == RECORDS);
	CHECK(sc_reader_stats(r)->closed && !sc_reader_stats(r)->damaged);
	sc_reader_free(r);
}

/* ---- giving back, following and reading ---- */

static struct {
	int opened, taken, punched, followed, read;
	bool has_record;
	struct sc_reader_stats stats, later; /* after the walk; after what was looked up then */
	uint64_t visited, settled, short_texts, long_texts;
} seen;

static void prepare_trace(void)
{
	static char text[LONG];

	memset(text, 'x', sizeof(text));
	CHECK(!sc_writer_open(&writer, PATH, 64 * MEGABYTE));
	put(&writer, SC_OP_STRING, 0, "first", 5);
	put(&writer, SC_OP_STRING, 1, text, LONG);
	for (uint64_t i = 2; i < KERNELS + 2; i++)
		put(&writer, SC_OP_KERNEL, i, NULL, 0);
	put(&writer, SC_OP_STRING, 2000, text, LONG);
	sc_writer_close(&writer);
}

static bool want_all(void *data, const struct sc_op *head, uint64_t sequence)
{
	(void)data;
	(void)sequence;
	return head->kind == SC_OP_KERNEL;
}

static void count_visited(void *data, const struct sc_record *record)
{
	(void)record;
	++*(uint64_t *)data;
}

static void act_follow(void)
{
	struct sc_follow f;

	seen.followed = sc_follow_open(&f, PATH);
	if (!seen.followed) {
		sc_follow_look(&f, 1);
		sc_follow_look(&f, 2);
		seen.settled = f.settled;
		sc_follow_close(&f);
	}
}

static void act_give(void)
{
	struct sc_giver g;

	seen.taken = seen.punched = -1;
	seen.opened = sc_giver_open(&g, PATH, MEGABYTE);
	if (!seen.opened) {
		seen.taken = sc_giver_take(&g, 3000);
		if (!seen.taken)
			seen.punched = sc_giver_punch(&g);
		sc_giver_used(&g);
		sc_giver_close(&g);
	}
}

static void act_read(void)
{
	struct sc_visit visit = {
		.is_wanted = want_all, .take = count_visited, .data = &seen.visited};
	struct sc_record record;
	struct sc_reader *r;

	seen.read = sc_reader_open(&r, PATH, NULL, 0);
	if (seen.read)
		return;
	while (sc_reader_next(r, &record))
		;
	seen.stats = *sc_reader_stats(r);
	seen.visited = 0;
	sc_reader_visit(r, &visit);
	seen.has_record = sc_reader_record(r, 3200, &record);
	seen.later = *sc_reader_stats(r);
	sc_reader_finish(r);
	sc_reader_free(r);
}

static void judge_follow(void)
{
	CHECK(seen.followed <= 0 && seen.settled <= writer.head->slots);
}

/* Nothing is given back that was not taken up. */
static void judge_give(void)
{
	CHECK(seen.opened <= 0 && seen.taken <= 0 && seen.punched <= 0);
	CHECK(!seen.punched || !sc_trace_given(writer.head)->bytes);
	CHECK(!seen.taken || !sc_trace_given(writer.head)->slots);
}

static bool is_whole(const struct sc_reader_stats *s)
{
	return !s->damaged && !s->uncommitted && !s->gaps[SC_GAP_given_back];
}

/* Each record is read, or said to be missing, also where it is looked up once more. */
static void judge_read(void)
{
	CHECK(seen.read < 0 || !is_whole(&seen.stats) || seen.stats.records == 2001);
	CHECK(seen.read < 0 || !is_whole(&seen.later) ||
	      (seen.has_record && seen.visited == KERNELS));
}

static int change_directory(void **state)
{
	static char directory[] = "/tmp/streamcheck-faults-XXXXXX";

	if (mkdtemp(directory) && !chdir(directory))
		*state = directory;
	return !*state;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(PATH);
	unlink(PATH SC_REMAINS_ENDING);
	return 0;
}

static int remove_directory(void **state)
{
	return chdir("/") || rmdir(*state);
}

static void prepare_write(void)
{
	remove_files(NULL);
}

static void prepare_anew(void)
{
	remove_files(NULL);
	prepare_trace();
}

static void prepare_given(void)
{
	prepare_anew();
	act_give();
	CHECK(!seen.punched);
}

EACH_TEST(NULL, remove_files)
ALL_TESTS(change_directory, remove_directory)

TEST(writer)
{
	run_faults(&(struct scenario){prepare_write, act_write, judge_write, 2});
}

TEST(readers)
{
	run_faults(&(struct scenario){prepare_anew, act_follow, judge_follow, 9});
	run_faults(&(struct scenario){prepare_anew, act_give, judge_give, 9});
	run_faults(&(struct scenario){prepare_anew, act_read, judge_read, 99});
	run_faults(&(struct scenario){prepare_given, act_read, judge_read, 99});
}
