/* The life of the session, from first use to the end. */
#include "interposer/core/session.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/assert.h"
#include "base/run_id.h"
#include "base/run_start.h"
#include "interposer/core/arena.h"
#include "interposer/core/background.h"
#include "interposer/core/clock.h"
#include "interposer/core/command_line.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/refused.h"
#include "interposer/core/code_range.h"
#include "interposer/core/raw.h"
#include "interposer/core/slab.h"
#include "interposer/core/message.h"
#include "interposer/arch/valgrind.h"
#include "interposer/core/environment.h"
#include "base/sys.h"

#define OPTIONS_BYTES 2048 /* of those that a trace names; the window's name may be 512 */

struct sc_session sc_session = {.writer = {.fd = -1}};

static void *make_room(void *unused)
{
	(void)unused;
	sc_writer_serve(&sc_session.writer);
	return NULL;
}

/* Without the thread the writers make room themselves. */
void sc_session_start_server(void)
{
	sc_background_start(make_room, NULL);
}

static void print_option(void *unused, const char *text)
{
	(void)unused;
	sc_message("%s", text);
}

/* Options that only `streamcheck run` can carry out, each with the value that asks for nothing. */
static const struct {
	const char *name, *idle;
} command_options[] = {
	{"allocators", "own"}, {"confirm", "no"},  {"device", "auto"}, {"halt-on-error", "no"},
	{"live", "no"},	       {"live-disk", "0"}, {"live-html", ""},  {"live-output", ""},
	{"sim-kernels", ""},   {"sim-memory", ""},
};

/* The name, and what stands in the options for it: "device=sim". */
static bool is_idle(int index, size_t name, const char *idle)
{
	char text[SC_OPTION_TEXT_BYTES + 32];

	if (sc_options_print_one(&sc_session.options, index, text, sizeof(text)))
		return false;
	return !strcmp(text + name + 1, idle) || !strcmp(text, "device=gpu");
}

static void warn_of_command_options(void)
{
	for (unsigned i = 0; i < sizeof(command_options) / sizeof(command_options[0]); i++) {
		const char *name = command_options[i].name;
		int index = sc_options_find(name, strlen(name));

		if (sc_session.options.is_given[index] &&
		    !is_idle(index, strlen(name), command_options[i].idle))
			sc_message("option %s has no effect with LD_PRELOAD alone: use streamcheck "
				   "run",
				   name);
	}
}

static void read_options(void)
{
	char message[512] = "";

	if (sc_environment_read_options(&sc_session.options, message, sizeof(message)))
		sc_session.due = SC_STATUS_UNUSABLE;
	if (*message)
		sc_message("%s", message);
	if (sc_session.options.help)
		sc_options_help(print_option, NULL);
	sc_session.options.help = 0; /* the analyzer shall not print it again */
	if (!sc_environment_value(SC_VARIABLE_COLLECT)) {
		warn_of_command_options();
		sc_session.options.allocators = SC_ALLOCATORS_OWN;
	}
	if (sc_valgrind_runs() && sc_session.options.max_trace > SC_VALGRIND_MOST)
		sc_session.options.max_trace = SC_VALGRIND_MOST;
}

/* A name for the trace that no other session of this process or another one uses. */
static int choose_path(unsigned session)
{
	const char *collect = sc_environment_value(SC_VARIABLE_COLLECT);
	const char *dir = sc_environment_value(SC_VARIABLE_TMPDIR);
	char *path = sc_session.trace_path;
	int n;

	sc_session.collected = collect && *collect;
	sc_session.kept = !sc_session.collected && sc_session.options.trace[0];
	if (sc_session.kept)
		return sc_options_expand(sc_session.options.trace, getpid(), path, SC_PATH_BYTES);
	if (sc_session.collected)
		n = snprintf(path, SC_PATH_BYTES, "%s/%d.%u.sct", collect, getpid(), session);
	else
		n = snprintf(path, SC_PATH_BYTES, "%s/streamcheck.%d.%08x.sct",
			     dir && *dir ? dir : "/tmp", getpid(), (unsigned)sc_clock_exact());
	return n < SC_PATH_BYTES ? 0 : -ENAMETOOLONG;
}

/* The user named this file: it is written anew, but not what another process of this run wrote. */
static int clear_path(const struct sc_run_start *run)
{
	char *path = sc_session.trace_path, other[SC_PATH_BYTES];
	struct stat old;
	bool is_ours;
	int err, fd;

	if (sc_sys_lstat(path, &old) || (!S_ISREG(old.st_mode) && !S_ISLNK(old.st_mode)))
		return 0;
	fd = sc_sys_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	is_ours = run->began && sc_run_wrote(run, fd, &old);
	if (fd >= 0)
		sc_sys_close(fd);
	if (is_ours) {
		err = sc_options_number(path, getpid(), other, sizeof(other));
		if (err)
			return err;
		sc_message("another process of this run wrote %s; the trace of process %d is %s",
			   path, getpid(), other);
		strcpy(path, other);
	}
	sc_sys_unlink(path);
	return 0;
}

/* An empty trace, for which there may be room: `streamcheck run` then reports that this process is
 * missing; or else that some process is. */
static void leave_mark(void)
{
	const char *collect = sc_environment_value(SC_VARIABLE_COLLECT);
	long err;

	/* no descriptor may be left */
	err = sc_raw(SYS_mknod, (uint64_t)sc_session.trace_path, S_IFREG | 0600, 0, 0, 0, 0);
	if (err && err != -EEXIST)
		sc_raw(SYS_chmod, (uint64_t)collect, SC_COLLECT_LACKS, 0, 0, 0, 0);
}

static int open_trace(unsigned session)
{
	struct sc_run_start run = {0};
	int err = choose_path(session);

	if (!err && sc_session.kept) {
		sc_run_find(getpid(), &run);
		err = clear_path(&run);
	}
	if (!err)
		err = sc_writer_open(&sc_session.writer, sc_session.trace_path,
				     sc_session.options.live_disk && sc_session.collected
					     ? UINT64_MAX
					     : sc_session.options.max_trace);
	if (!err && run.began)
		sc_run_sign(sc_session.writer.fd, &run);
	if (err)
		sc_message("cannot write the trace %s: %s; nothing is recorded",
			   sc_session.trace_path, strerror(-err));
	if (err && sc_session.collected)
		leave_mark();
	else if (!err &&
		 sc_session.writer.path[0]) /* absolute: the program may change its folder */
		strcpy(sc_session.trace_path, sc_session.writer.path);
	return err;
}

/* True if `streamcheck run` started another process than this one. */
static bool is_child(void)
{
	const char *root = sc_environment_value(SC_VARIABLE_ROOT);

	return root && strtol(root, NULL, 10) != (long)getpid();
}

static void write_process(void)
{
	int rank = sc_options_rank();
	struct sc_op op = {.kind = SC_OP_PROCESS,
			   .object = (uint32_t)(rank + 1), /* 0: none */
			   .peer = is_child(),
			   .value = (uint64_t)getpid()};
	struct sc_attachment parts[] = {{.type = SC_ATTACH_TEXT}, {.type = SC_ATTACH_RUN}};
	char line[2048], run[SC_RUN_ID_BYTES];

	sc_run_id(run, rank);
	parts[0].bytes = (uint32_t)sc_command_line_read(line, sizeof(line));
	parts[0].data = line;
	parts[1].bytes = (uint32_t)strlen(run);
	parts[1].data = run;
	sc_put_op(&op, parts, *run ? 2 : 1);
}

/* Settings with which the driver runs things one after the other (SC-220). */
static void write_settings(void)
{
	static const char *const settings[] = {"CUDA_LAUNCH_BLOCKING=1",
					       "CUDA_DEVICE_MAX_CONNECTIONS=1"};
	struct sc_op op = {.kind = SC_OP_SETTING};

	for (unsigned i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct sc_attachment part = {SC_ATTACH_TEXT, (uint32_t)strlen(settings[i]),
					     settings[i]};
		char name[32];
		const char *value;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(settings[i], "="), settings[i]);
		value = getenv(name);
		if (value && strtol(value, NULL, 10) == 1)
			sc_put_op(&op, &part, 1);
	}
}

/* What decided what is recorded, for the command that runs the program again. */
static void write_options(void)
{
	char text[OPTIONS_BYTES];
	struct sc_op op = {.kind = SC_OP_OPTIONS};
	struct sc_attachment part = {.type = SC_ATTACH_TEXT, .data = text};

	if (sc_options_print_recorded(&sc_session.options, text, sizeof(text)))
		return;
	part.bytes = (uint32_t)strlen(text);
	sc_put_op(&op, &part, 1);
}

static void find_own_path(void)
{
	Dl_info info;

	if (dladdr(&sc_session, &info) && info.dli_fname)
		snprintf(sc_session.own_path, SC_PATH_BYTES, "%s", info.dli_fname);
}

/* Begins the trace, with the process that it is of. */
static bool begin_trace(void)
{
	unsigned session = atomic_fetch_add(&sc_session.sessions, 1);

	sc_session.process = getpid();
	read_options();
	sc_clock_init();
	if (open_trace(session)) {
		if (!sc_session.due && !sc_session.collected)
			sc_session.due = SC_STATUS_INCOMPLETE;
		return false;
	}
	find_own_path();
	write_process();
	write_settings();
	write_options();
	return true;
}

static void count_refused(uint64_t count)
{
	sc_put_gap(SC_GAP_own_memory, count);
}

static bool begin(void)
{
	if (!begin_trace())
		return false;
	sc_refused_tell(count_refused);
	sc_thread_note_lost(); /* this thread may have been before the trace */
	sc_put_source("driver hook", true);
	sc_put_source("libc hook", true);
	sc_modules_begin();
	return true;
}

void sc_session_start(void)
{
	int saved = errno, idle = SC_IDLE;

	if (atomic_compare_exchange_strong(&sc_session.state, &idle, SC_STARTING)) {
		bool ok;

		sc_self.busy++;
		ok = begin();
		sc_assert(atomic_load(&sc_session.state) == SC_STARTING);
		/* release: pairs with the acquire in sc_session_is_live */
		atomic_store_explicit(&sc_session.state, ok ? SC_LIVE : SC_CLOSED,
				      memory_order_release);
		if (ok)
			sc_modules_live();
		sc_self.busy--;
	} else if (idle == SC_STARTING && !sc_self.busy) {
		while (atomic_load(&sc_session.state) == SC_STARTING)
			sched_yield();
	}
	errno = saved;
}

bool sc_session_is_ours(void)
{
	const struct sc_trace_header *head = sc_session.writer.head;

	return head && head->process == (uint32_t)getpid();
}

/* Valgrind reads all that is mapped when it looks for leaks, and faults at each page of the trace
 * after the end of the file: other memory covers these pages now. */
static void cover_end_of_trace(void)
{
	const struct sc_writer *w = &sc_session.writer;
	uint64_t end = (uint64_t)(w->slots + w->max_slots);
	uint64_t used = w->head->slots < w->max_slots ? w->head->slots : w->max_slots;
	uint64_t start = ((uint64_t)(w->slots + used) + SC_PAGE - 1) & ~(uint64_t)(SC_PAGE - 1);

	if (start < end)
		sc_raw(SYS_mmap, start, end - start, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, ~UINT64_C(0), 0);
}

bool sc_session_note_process(void)
{
	int idle = SC_IDLE;
	bool ok;

	if (!atomic_compare_exchange_strong(&sc_session.state, &idle, SC_STARTING))
		return false;
	sc_self.busy++;
	ok = begin_trace();
	if (ok)
		sc_writer_close(&sc_session.writer);
	atomic_store(&sc_session.state, SC_CLOSED);
	sc_self.busy--;
	return ok;
}

bool sc_session_close(int status)
{
	struct sc_op op;

	if (!sc_session_is_live())
		return false;
	sc_assert(sc_session.writer.head);
	sc_self.busy++;
	sc_modules_flush();
	op = sc_put_new(SC_OP_EXIT);
	op.value = (uint64_t)(uint32_t)status;
	op.object = sc_session.fatal;
	op.link = sc_session.fatal ? sc_self.current : 0;
	sc_put_op(&op, NULL, 0);
	sc_modules_close();
	atomic_store(&sc_session.state, SC_CLOSED);
	sc_writer_close(&sc_session.writer);
	if (sc_valgrind_runs())
		cover_end_of_trace();
	sc_self.busy--;
	return true;
}

void sc_session_hold(void)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	struct sc_thread *ender;

	while ((ender = atomic_load(&sc_session.ending_thread)) && ender != &sc_self &&
	       sc_session_is_ours())
		sc_raw(SYS_nanosleep, (uint64_t)&moment, 0, 0, 0, 0, 0);
}

/* In place: a copy is larger than the smallest stacks, and threads that have such a one fork. How
 * often the process began stays. */
static void clear(void)
{
	memset(&sc_session, 0, offsetof(struct sc_session, sessions));
	sc_session.writer.fd = -1;
}

/* Libraries and threads are followed before the session, too: then a thread that is not there in
 * the child may have held a lock. */
static bool is_used(void)
{
	return atomic_load(&sc_session.state) != SC_IDLE || sc_arena_used() || sc_slab_is_used();
}

void sc_session_forget(void)
{
	if (!is_used())
		return;
	/* nothing is recorded until all is forgotten */
	atomic_store(&sc_session.state, SC_CLOSED);
	sc_modules_forget();
	sc_writer_abandon(&sc_session.writer);
	clear();
	memset(&sc_self, 0, sizeof(sc_self));
}
