/* Reports of a run that goes on: the ordinary check, in a child, of what the follower found where
 * the traces have holes. */
#include "extensions/live/live_reports.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/message.h"
#include "cmds/check/check.h"
#include "cmds/process/collect.h"
#include "cmds/files/folder.h"
#include "reports/output.h"

#define SECOND	    UINT64_C(1000000000)
#define PAUSE_LEAST (2 * SECOND)
#define PAUSE_TIMES 50 /* of what a page took: 2 % */
#define REFRESH_MAX 60 /* seconds: a page that is late is not looked for every second */

/* Handlers have no context of their own. */
static volatile sig_atomic_t asked;

static void ask(int number)
{
	(void)number;
	asked = 1;
}

void sc_live_reports_init(struct sc_live_reports *l, const struct sc_options *o, const char *folder,
			  struct sc_live *live)
{
	struct sigaction action = {.sa_handler = ask, .sa_flags = SA_RESTART};

	*l = (struct sc_live_reports){.options = o,
				      .folder = folder,
				      .live = o->live_disk ? live : NULL,
				      .page = -1,
				      .refresh_s = PAUSE_LEAST / SECOND,
				      .run = getppid()};
	sigaction(SIGUSR1, &action, NULL);
}

/* ---- in the child ---- */

/* What the check says of suppressions and sources is for the end of the run. */
static int silence(void)
{
	int said = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nothing >= 0) {
		dup2(nothing, STDOUT_FILENO);
		dup2(nothing, STDERR_FILENO);
	}
	return said;
}

/* Checks all traces as they are; true if everything was written. */
static bool check(const struct sc_live_reports *l, const struct sc_options *o, unsigned refresh_s)
{
	struct sc_collect traces = {0};
	struct sc_check check;
	char path[PATH_MAX];

	snprintf(traces.folder, sizeof(traces.folder), "%s", l->folder);
	sc_collect_list(&traces);
	sc_check_init(&check, o);
	check.is_own = 1;
	check.live = l->live;
	if (l->live)
		sc_live_freeze(l->live);
	sc_check_begin(&check, (unsigned)traces.count);
	check.sinks.refresh_s = refresh_s;
	for (int i = 0; i < traces.count; i++) {
		if (sc_collect_is_empty(&traces, i))
			continue;
		sc_collect_path(&traces, i, path);
		sc_check_trace(&check, path, NULL);
	}
	sc_check_end(&check);
	return traces.count && !check.has_failed && !check.sinks.has_failed;
}

/* Options that leave one thing in the world: the reports named here. */
static struct sc_options *only_reports(const struct sc_options *o)
{
	struct sc_options *own = sc_heap_xcalloc(1, sizeof(*own));

	*own = *o;
	own->report.count = 0;
	own->html = SC_HTML_NO;
	own->debuginfod = 0;
	*own->summary = *own->trace = *own->live_html = '\0';
	strcpy(own->gen_suppressions, "no");
	strcpy(own->output, "/dev/null");
	return own;
}

static void make_page(const struct sc_live_reports *l)
{
	struct sc_options *o = only_reports(l->options);

	o->format = SC_FORMAT_TEXT;
	snprintf(o->live_html, sizeof(o->live_html), "/proc/self/fd/%d", l->page);
	silence();
	_exit(!check(l, o, l->refresh_s));
}

static void make_report(const struct sc_live_reports *l)
{
	struct sc_options *o = only_reports(l->options);
	int err = sc_folder_make(), said = silence();
	const char *format = sc_report_at(o->format)->name;
	char *page = o->report.text[o->report.count++];

	/* named after the run, so that it goes when the run's reports go (cmds/files/folder.h) */
	snprintf(o->output, sizeof(o->output), SC_FOLDER "/report.%d.%u.%s", (int)l->run, l->number,
		 strcmp(format, "text") ? format : "txt");
	snprintf(page, sizeof(o->report.text[0]), "html:" SC_FOLDER "/report.%d.%u.html",
		 (int)l->run, l->number);
	o->text = 1; /* all of it */
	if (!err && !check(l, o, 0))
		err = -EIO;
	dup2(said, STDERR_FILENO);
	if (err)
		sc_warn("SIGUSR1: no report was written: %s",
			err == -EIO ? "nothing was recorded so far, or a file could not be written"
				    : strerror(-err));
	else
		sc_warn("SIGUSR1: %s and %s have what was seen so far", o->output,
			page + strlen("html:"));
	_exit(err != 0);
}

int sc_live_reports_check(struct sc_live *live, const struct sc_options *o, char (*paths)[PATH_MAX],
			  size_t count)
{
	struct sc_check check;

	sc_check_init(&check, o);
	check.is_own = 1; /* the trace is removed when the run ends */
	check.live = live;
	sc_live_freeze(live);
	sc_check_begin(&check, (unsigned)count);
	for (size_t i = 0; i < count; i++)
		sc_check_trace(&check, paths[i], NULL);
	return sc_check_end(&check);
}

/* ---- in the follower ---- */

static void close_page(struct sc_live_reports *l)
{
	if (l->page >= 0)
		close(l->page);
	l->page = -1;
}

static void begin_child(struct sc_live_reports *l, bool is_page, uint64_t now_ns)
{
	l->is_page = is_page;
	if (is_page)
		l->page = memfd_create("page", MFD_CLOEXEC);
	l->child = fork();
	if (!l->child) {
		signal(SIGUSR1, SIG_IGN);
		if (is_page)
			make_page(l);
		else
			make_report(l);
	}
	if (l->child > 0)
		return;
	sc_warn("cannot make a report now: %s", strerror(errno));
	l->child = 0;
	l->page_ns = now_ns + PAUSE_LEAST;
	close_page(l);
}

static void put_page(const struct sc_live_reports *l)
{
	struct stat status;
	struct sc_buf text = {0};
	void *bytes;
	int err;

	if (fstat(l->page, &status) || !status.st_size) /* nothing was recorded so far */
		return;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, l->page, 0);
	if (bytes == MAP_FAILED)
		return;
	sc_buf_add_bytes(&text, bytes, (size_t)status.st_size);
	munmap(bytes, (size_t)status.st_size);
	err = sc_output_write_file(l->options->live_html, &text, NULL);
	sc_buf_fini(&text);
	if (err)
		sc_warn("option live-html: cannot write %s: %s", l->options->live_html,
			strerror(-err));
}

static uint64_t nanoseconds(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_usec * 1000;
}

/* The next page comes when this one has been paid for. */
static void set_pause(struct sc_live_reports *l, uint64_t took_ns, uint64_t now_ns)
{
	uint64_t pause = took_ns * PAUSE_TIMES, seconds;

	if (pause < PAUSE_LEAST)
		pause = PAUSE_LEAST;
	l->page_ns = now_ns + pause;
	seconds = pause / SECOND;
	l->refresh_s = seconds < REFRESH_MAX ? (unsigned)seconds : REFRESH_MAX;
}

static void take_ended(struct sc_live_reports *l, int how, uint64_t now_ns)
{
	struct rusage usage = {0};
	int status = -1;
	pid_t ended;

	if (!l->child)
		return;
	while ((ended = wait4(l->child, &status, how, &usage)) < 0 && errno == EINTR)
		;
	if (!ended)
		return;
	l->child = 0;
	if (!l->is_page)
		return;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		put_page(l);
	close_page(l);
	set_pause(l, nanoseconds(&usage.ru_utime) + nanoseconds(&usage.ru_stime), now_ns);
}

void sc_live_reports_step(struct sc_live_reports *l, uint64_t now_ns)
{
	if (asked) {
		asked = 0;
		l->asked++;
	}
	take_ended(l, WNOHANG, now_ns);
	if (l->child)
		return;
	if (l->asked) {
		l->asked = 0; /* those that came meanwhile are answered by this one */
		l->number++;
		begin_child(l, 0, now_ns);
	} else if (*l->options->live_html && now_ns >= l->page_ns) {
		begin_child(l, 1, now_ns);
	}
}

void sc_live_reports_fini(struct sc_live_reports *l)
{
	if (l->child && l->is_page)
		kill(l->child, SIGKILL); /* it must not come after the final one */
	take_ended(l, 0, 0);
	if (!l->asked && !asked)
		return;
	l->number++;
	begin_child(l, 0, 0);
	take_ended(l, 0, 0);
}
