/* Live: traces followed one beside the other, and what is said of them. */
#include "extensions/live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
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
#include "cmds/process/collect.h"
#include "cmds/judge/judge.h"
#include "extensions/live/live_asked.h"
#include "extensions/live/live_reports.h"
#include "extensions/live/live_trace.h"
#include "cmds/check/loaded.h"
#include "extensions/live/shares.h"
#include "extensions/live/status_row.h"
#include "reports/fingerprint.h"
#include "reports/output.h"
#include "reports/words/words.h"
#include "analyzer/parts.h"

#define STEP_MS	     50
#define SETTLE_NS    UINT64_C(500000000)
#define HALT_MS	     2000 /* until a program that goes on is killed */
#define HALTED	     7	  /* exit code of the process */
#define STOP	     2	  /* of option halt-on-error */
#define TRACES_MOST  4096
#define NOTICES_MOST 100 /* lines for people, of a trace: the report has the rest */

/* When a finding was met first; these times never are. */
#define DROPPED UINT64_C(1) /* nothing is said of it */
#define TOLD	UINT64_C(2)

struct sc_live_watcher {
	const struct sc_options *options;
	struct sc_live_source source;
	struct sc_judge judge;
	SC_VECTOR(struct sc_live_trace *) traces;
	struct sc_live_trace *by_name; /* the same, hashed */
	bool is_full;		       /* there are more, which are not followed */
	uint64_t begun_ns;
	bool is_over; /* the program has ended: what it did has settled */
	bool is_halted;
	bool is_frozen;		     /* a copy, for a report meanwhile */
	struct sc_live_lines *lines; /* borrowed */
	struct sc_status_row row;
	struct sc_live_reports reports;
	struct sc_live_asked asked;
	struct sc_shares shares;
};

static uint64_t now_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static bool is_live(const struct sc_options *o)
{
	return o->live || o->live_disk;
}

/* ---- traces ---- */

static struct sc_live_trace *find_trace(const struct sc_live_watcher *w, const char *name)
{
	struct sc_live_trace *t;

	HASH_FIND_STR(w->by_name, name, t);
	return t;
}

static bool is_cut(const struct sc_live_trace *t)
{
	return t->follow.has_failed || sc_reader_stats(t->reader)->is_cut;
}

static void warn_unread(const struct sc_live_trace *t)
{
	sc_warn("option live: the trace of process %d could not be read to its end; the report at "
		"the end is whole",
		t->number);
}

static void take(struct sc_live_watcher *w, const struct sc_collect *folder, int index)
{
	struct sc_live_trace *t = sc_heap_xcalloc(1, sizeof(*t));

	snprintf(t->name, sizeof(t->name), "%s", folder->names[index]);
	t->number = sc_collect_process(folder, index);
	if (!sc_live_trace_open(t, &w->source)) {
		if (w->is_over && !sc_collect_is_empty(folder, index))
			warn_unread(t);
		free(t);
		return;
	}
	sc_vector_push(&w->traces, t);
	HASH_ADD_STR(w->by_name, name, t);
}

/* A trace that has no header yet is taken the next time. */
static void take_new(struct sc_live_watcher *w)
{
	struct sc_collect folder = {0};

	snprintf(folder.folder, sizeof(folder.folder), "%s", w->source.folder);
	sc_collect_list(&folder);
	for (int i = 0; i < folder.count && !w->is_full; i++) {
		if (find_trace(w, folder.names[i]))
			continue;
		w->is_full = w->traces.count == TRACES_MOST;
		if (w->is_full)
			sc_warn("option live: %d processes are followed, and no others; the report "
				"at the end has all",
				TRACES_MOST);
		else
			take(w, &folder, i);
	}
	sc_collect_forget(&folder);
}

/* ---- findings ---- */

static bool is_sure(const struct sc_finding *f)
{
	return f->severity != SC_ADVICE && f->confidence != SC_POSSIBLE;
}

/* A finding that becomes surer is told again. */
static uint64_t key_of(const struct sc_finding *f)
{
	return sc_hash_add(f->identity, f->confidence);
}

/* One of its operations is about to be given back: later no report would have the finding. */
static bool is_leaving(const struct sc_live_trace *t, const struct sc_finding *f)
{
	for (unsigned i = 0; i < f->sides && i < 2; i++)
		if (f->side[i].op < t->disk.leaving)
			return true;
	return false;
}

/* Whether it is time to say something of a finding. */
static bool is_due(struct sc_live_trace *t, const struct sc_finding *f, uint64_t now, bool is_over)
{
	uint64_t *when;

	if (!is_sure(f))
		return false;
	when = sc_u64_map_get(&t->seen, key_of(f));
	if (!*when)
		*when = now;
	if (*when <= TOLD || (!is_over && now - *when < SETTLE_NS && !is_leaving(t, f)))
		return false;
	*when = DROPPED;
	return true;
}

/* What reports need to name things, as far as the trace goes now. */
struct naming {
	struct sc_sources sources;
	struct sc_report report;
};

static void begin_naming(const struct sc_live_watcher *w, const struct sc_live_trace *t,
			 struct naming *n)
{
	*n = (struct naming){0};
	n->report = t->top.report;
	n->report.symbols = sc_symbols_new(t->reader);
	n->report.sources = &n->sources;
	if (!n->report.symbols)
		sc_die("out of memory");
	sc_sources_init(&n->sources, w->options, 1);
}

static void end_naming(struct naming *n)
{
	sc_symbols_free(n->report.symbols);
}

static _Noreturn void end_halted(struct sc_live_watcher *w);

static void halt(struct sc_live_watcher *w, const struct sc_live_trace *t)
{
	const struct sc_traced *traced = &t->top.traced;
	int process = t->number;

	if (t->follow.is_closed) /* it has ended by itself */
		return;
	if (traced->descriptor < 0) {
		sc_warn("halt-on-error: process %d goes on: it is not seen from here (another PID "
			"namespace, or another user's)",
			process);
		return;
	}
	if (w->options->halt_on_error == STOP) {
		process = traced->here;
		sc_warn("halt-on-error: process %d is stopped: gdb -p %d looks at it, and "
			"kill -CONT %d lets it go on",
			process, process, process);
		sc_traced_signal(traced, SIGSTOP);
		return;
	}
	sc_warn("halt-on-error: process %d is ended here", process);
	sc_traced_signal(traced, SIGTERM);
	for (unsigned waited = 0; waited < HALT_MS && sc_traced_may_live(traced); waited += STEP_MS)
		poll(NULL, 0, STEP_MS);
	sc_traced_signal(traced, SIGKILL);
	if (!w->options->live_disk)
		end_halted(w);
	w->is_halted = true;
}

static void print_line(const struct sc_live_watcher *w, struct sc_live_trace *t,
		       const struct sc_report *r, const struct sc_finding *f)
{
	struct sc_buf line = {0};
	char directory[PATH_MAX];

	if (t->notices == NOTICES_MOST || (!is_live(w->options) && !w->options->halt_on_error))
		return;
	sc_report_line(&line, r, f, getcwd(directory, sizeof(directory)));
	sc_warn("after %.1f s, process %d: %s%.*s", (double)(now_ns() - w->begun_ns) / 1e9,
		t->number, f->confidence == SC_PROVEN ? "" : "likely: ", (int)line.bytes - 1,
		line.text);
	sc_buf_fini(&line);
	if (++t->notices == NOTICES_MOST)
		sc_warn("process %d: further findings are in the report at the end", t->number);
}

/* Of one pair of lines there is one fingerprint. */
static uint64_t print_of(struct sc_live_trace *t, const struct sc_report *r,
			 const struct sc_finding *f)
{
	uint64_t lines = sc_fingerprint_lines(r, f).key;
	uint64_t *print = sc_u64_map_get(&t->lines, lines);

	if (!lines)
		return sc_fingerprint_next(&t->ordinals, r, f);
	if (!*print)
		*print = sc_fingerprint_next(&t->ordinals, r, f);
	return *print;
}

static void print_object(const struct sc_live_watcher *w, struct sc_live_trace *t,
			 const struct sc_report *r, const struct sc_finding *f)
{
	uint64_t print;

	if (w->lines->fd < 0 && !w->options->live_disk)
		return;
	print = print_of(t, r, f);
	*sc_u64_map_get(&t->prints, key_of(f)) = print;
	if (w->options->live_disk)
		sc_found_add(&t->found, r, f);
	sc_live_lines_finding(w->lines, t->number, r, f, print);
}

/* Errors end the program however many findings came before them. */
static bool is_fatal(const struct sc_live_watcher *w, const struct sc_finding *f)
{
	return w->options->halt_on_error && !w->is_over && f->confidence == SC_PROVEN &&
	       f->severity == SC_ERROR;
}

/* True if a finding of the same pair of lines was told that is as sure. */
static bool is_told(struct sc_live_trace *t, const struct sc_report *r, const struct sc_finding *f)
{
	struct sc_finding_key key = sc_fingerprint_lines(r, f);
	uint64_t *told;

	if (!key.key)
		return false;
	told = sc_u64_map_get(&t->told, key.key);
	if (*told > f->confidence)
		return true;
	*told = f->confidence + 1u;
	return false;
}

/* Counts a finding once, however sure it becomes. */
static void count(struct sc_live_trace *t, const struct sc_finding *f)
{
	uint64_t *before = sc_u64_map_get(&t->seen, f->identity);

	t->errors += !*before && f->severity == SC_ERROR;
	t->warnings += !*before && f->severity == SC_WARNING;
	*before = TOLD;
}

static void say(struct sc_live_watcher *w, struct sc_live_trace *t, struct naming *n,
		const struct sc_finding *f)
{
	sc_loaded_want(&n->report, f);
	if (sc_judge_hides(&w->judge, &n->report, f))
		return;
	if (is_told(t, &n->report, f)) {
		if (w->options->live_disk)
			sc_found_add(&t->found, &n->report, f);
		return;
	}
	*sc_u64_map_get(&t->seen, key_of(f)) = TOLD;
	count(t, f);
	print_object(w, t, &n->report, f);
	print_line(w, t, &n->report, f);
	if (is_fatal(w, f))
		halt(w, t);
}

/* True if it should read on at once. */
static bool read_on(const struct sc_live_watcher *w, struct sc_live_trace *t, uint64_t now)
{
	if (w->options->live_disk && !w->is_over) {
		t->disk.is_lent = w->reports.child > 0 || sc_live_asked_lends(&w->asked);
		return sc_disk_look(&t->disk, now);
	}
	if (w->options->live_disk) {
		sc_disk_settle(&t->disk);
		return false;
	}
	if (!sc_follow_look(&t->follow, now) && !sc_reader_stats(t->reader)->is_cut)
		return false;
	sc_reader_set_end(t->reader, t->follow.settled);
	sc_analysis_read_on(t->analysis);
	return false;
}

/* True if there is more to do at once. */
static bool look_at(struct sc_live_watcher *w, struct sc_live_trace *t, uint64_t now)
{
	struct naming naming;
	bool is_more = read_on(w, t, now), is_begun = false;
	size_t left;
	const struct sc_finding *f;

	f = sc_analysis_findings(t->analysis, &left);
	for (; left; left--, f++) {
		if (!is_due(t, f, now, w->is_over))
			continue;
		if (!is_begun)
			begin_naming(w, t, &naming);
		is_begun = true;
		sc_analysis_fetch(t->analysis, f);
		say(w, t, &naming, f);
	}
	if (is_begun)
		end_naming(&naming);
	sc_top_process_measure(&t->top, now);
	return is_more;
}

/* All traces together have the space of option live-disk. */
static void share_disk(struct sc_live_watcher *w)
{
	sc_shares_begin(&w->shares, w->options->live_disk);
	for (size_t i = 0; i < w->traces.count; i++) {
		struct sc_live_trace *t = w->traces.items[i];

		sc_shares_add(&w->shares, &t->disk,
			      !t->follow.is_closed && sc_traced_may_live(&t->top.traced));
	}
	sc_shares_give_out(&w->shares);
}

/* ---- what was seen so far ---- */

static struct sc_live_totals totals_of(const struct sc_live_watcher *w)
{
	struct sc_live_totals sum = {0};

	for (size_t i = 0; i < w->traces.count; i++)
		sc_live_trace_add_totals(w->traces.items[i], &sum);
	return sum;
}

static void show_totals(struct sc_live_watcher *w, uint64_t now)
{
	struct sc_buf text = {0};
	struct sc_live_totals t;

	if (w->lines->fd < 0 && w->row.fd < 0)
		return;
	t = totals_of(w);
	sc_live_lines_status(w->lines, &t, now);
	sc_buf_add(&text, "streamcheck: ");
	sc_words_count(&text, t.operations, "operation");
	sc_buf_add(&text, ", ");
	sc_words_count(&text, t.errors, "error");
	sc_buf_add(&text, ", ");
	sc_words_count(&text, t.warnings, "warning");
	sc_buf_printf(&text, ", trace %.1f MiB, ", (double)t.trace_bytes / (1 << 20));
	sc_words_count(&text, t.behind, "operation");
	sc_buf_add(&text, " behind");
	sc_status_row_draw(&w->row, text.text, now);
	sc_buf_fini(&text);
}

/* How often each finding was met. */
static void count_findings(const struct sc_live_watcher *w, struct sc_live_trace *t)
{
	size_t left;
	const struct sc_finding *f = sc_analysis_findings(t->analysis, &left);

	for (; left; left--, f++) {
		const uint64_t *when = sc_u64_map_find(&t->seen, key_of(f));
		const uint64_t *print = sc_u64_map_find(&t->prints, key_of(f));

		if (when && *when == TOLD && print)
			sc_live_lines_count(w->lines, t->number, f, *print);
	}
}

/* Calls that have not returned by now hold nothing up. A look that fails is tried again. */
static void look_for_the_last_time(struct sc_live_watcher *w, struct sc_live_trace *t)
{
	t->follow.is_over |= !w->options->live_disk; /* else once it has settled */
	look_at(w, t, now_ns());
	if (is_cut(t))
		look_at(w, t, now_ns());
	if (is_cut(t))
		warn_unread(t);
}

/* What came just before the program's end; the report for people has it anyway. */
static void finish_lines(struct sc_live_watcher *w)
{
	struct sc_live_totals sum;

	if (w->lines->fd < 0)
		return;
	w->is_over = true;
	take_new(w);
	for (size_t i = 0; i < w->traces.count; i++)
		look_for_the_last_time(w, w->traces.items[i]);
	sum = totals_of(w);
	sc_live_lines_begin_summary(w->lines, &sum);
	for (size_t i = 0; i < w->traces.count; i++)
		count_findings(w, w->traces.items[i]);
	sc_live_lines_end_summary(w->lines);
}

/* ---- the process ---- */

/* Signals of the terminal are the program's; the pipe says when it is over. */
static void ignore_signals(void)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGTSTP, SIGTTOU};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		signal(numbers[i], SIG_IGN);
}

/* True once the program has ended; a signal ends the pause only, as does who asks for something. */
static bool is_program_over(const struct sc_live_watcher *w, int end, bool is_more)
{
	struct pollfd waits[SC_LIVE_ASKERS + 2] = {{.fd = end, .events = POLLIN}};
	unsigned count = 1 + sc_live_asked_polls(&w->asked, waits + 1);

	return poll(waits, count, is_more ? 0 : STEP_MS) > 0 && waits[0].revents;
}

static void finish(struct sc_live_watcher *w)
{
	sc_shares_fini(&w->shares);
	sc_status_row_fini(&w->row);
	finish_lines(w);
	sc_live_asked_fini(&w->asked);
	sc_live_reports_fini(&w->reports);
}

/* How the program ended, as the caller says it; with nothing said, the process just ends. */
struct message {
	int process;
	struct sc_child_end end;
};

static _Noreturn void leave(struct sc_live *l, int end)
{
	struct sc_live_watcher *w = l->watcher;
	struct message m;

	finish(w);
	if (!w->options->live_disk)
		_exit(0);
	if (read(end, &m, sizeof(m)) != (ssize_t)sizeof(m))
		raise(SIGKILL);		  /* an exit code would be a verdict */
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* from here on the caller's signals are ours */
	take_new(w);
	exit(l->check(l->context, m.process, &m.end, w->is_halted));
}

/* For who asks. */
static struct sc_top_process *find(void *data, int process, char path[PATH_MAX])
{
	struct sc_live_watcher *w = data;

	/* the last one, should the number have been used twice */
	for (size_t i = w->traces.count; i--;) {
		struct sc_live_trace *t = w->traces.items[i];

		if (t->number != process)
			continue;
		sc_live_trace_path(t, &w->source, path);
		return &t->top;
	}
	return NULL;
}

static int report(void *data, const struct sc_options *o, char (*paths)[PATH_MAX], size_t count)
{
	struct sc_live_watcher *w = data;

	return sc_live_reports_check(w->reports.live, o, paths, count);
}

static void begin_watching(struct sc_live *l, const struct sc_options *o, const char *folder,
			   const sigset_t *mask)
{
	struct sc_live_watcher *w = sc_heap_xcalloc(1, sizeof(*w));

	*w = (struct sc_live_watcher){.options = o, .begun_ns = now_ns(), .lines = &l->lines};
	l->watcher = w;
	ignore_signals();
	sc_live_reports_init(&w->reports, o, folder, l);
	sigprocmask(SIG_SETMASK, mask, NULL);
	sc_status_row_init(&w->row, is_live(o) ? STDERR_FILENO : -1);
	sc_judge_init(&w->judge, o);
	sc_live_source_init(&w->source, o, folder, w->reports.run);
	sc_live_asked_init(&w->asked, folder,
			   &(struct sc_live_known){find, o->live_disk ? report : NULL, w});
}

static _Noreturn void watch(struct sc_live *l, int end)
{
	struct sc_live_watcher *w = l->watcher;
	bool is_more = false;

	while (!is_program_over(w, end, is_more)) {
		is_more = false;
		take_new(w);
		if (w->options->live_disk)
			share_disk(w);
		for (size_t i = 0; i < w->traces.count; i++)
			is_more |= look_at(w, w->traces.items[i], now_ns());
		show_totals(w, now_ns());
		sc_live_reports_step(&w->reports, now_ns());
		sc_live_asked_step(&w->asked, now_ns());
	}
	leave(l, end);
}

static _Noreturn void end_halted(struct sc_live_watcher *w)
{
	finish(w);
	_exit(HALTED);
}

void sc_live_init(struct sc_live *l, const struct sc_options *o)
{
	*l = (struct sc_live){.end = -1};
	sc_live_lines_init(&l->lines, o);
}

/* A report can be asked for from the first moment on. */
static pid_t begin_process(struct sc_live *l, const struct sc_options *o, const char *folder,
			   const int ends[2])
{
	sigset_t asking, before;
	pid_t process;

	sigemptyset(&asking);
	sigaddset(&asking, SIGUSR1);
	sigprocmask(SIG_BLOCK, &asking, &before);
	process = fork();
	if (!process) {
		close(ends[1]);
		begin_watching(l, o, folder, &before);
		watch(l, ends[0]);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return process;
}

void sc_live_begin(struct sc_live *l, const struct sc_options *o, const char *folder)
{
	int ends[2];

	if (!is_live(o) && !o->halt_on_error && !*o->live_output && !*o->live_html)
		return;
	if (pipe2(ends, O_CLOEXEC)) {
		sc_warn("option live: %s; findings come at the end only", strerror(errno));
		return;
	}
	fflush(NULL); /* nothing is written twice */
	l->process = begin_process(l, o, folder, ends);
	close(ends[0]);
	sc_live_lines_fini(&l->lines); /* they are that process's */
	l->end = ends[1];
	if (l->process > 0)
		return;
	sc_warn("option live: %s; findings come at the end only", strerror(errno));
	close(l->end);
	l->process = 0;
}

static int wait_for(struct sc_live *l)
{
	int status = 0;

	close(l->end);
	while (waitpid(l->process, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		sc_status_row_reset(STDERR_FILENO);
	return status;
}

bool sc_live_end(struct sc_live *l)
{
	int status;

	if (!l->process)
		return false;
	status = wait_for(l);
	if (WIFSIGNALED(status) ||
	    (WIFEXITED(status) && WEXITSTATUS(status) && WEXITSTATUS(status) != HALTED))
		sc_warn("option live: the process that follows the traces ended early; the report "
			"at the end is whole");
	return WIFEXITED(status) && WEXITSTATUS(status) == HALTED;
}

int sc_live_check(struct sc_live *l, int process, const struct sc_child_end *end)
{
	struct message m;
	int status;

	if (!l->process)
		return -1;
	memset(&m, 0, sizeof(m));
	m.process = process;
	m.end = *end;
	if (sc_output_write_bytes(l->end, &m, sizeof(m)))
		kill(l->process, SIGKILL);
	status = wait_for(l);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	sc_warn("option live-disk: the process that judged the traces ended early; of what it had "
		"given back the report has what was found by then, proven or likely");
	return -1;
}

void sc_live_freeze(struct sc_live *l)
{
	l->watcher->is_frozen = true;
}

/* True if the analysis of the trace is to be taken; it is ended then. */
static bool end_analysis(const struct sc_live_watcher *w, struct sc_live_trace *t)
{
	if (w->is_frozen && !t->follow.is_closed) {
		sc_analysis_end(t->analysis);
		return true;
	}
	if (!w->is_frozen && sc_reader_is_whole(t->reader)) {
		sc_disk_close(&t->disk);
		return false;
	}
	sc_disk_finish(&t->disk);
	return true;
}

bool sc_live_take(struct sc_live *l, const char *path, struct sc_reader **reader,
		  struct sc_analysis **analysis)
{
	const char *name = strrchr(path, '/');
	struct sc_live_trace *t = name ? find_trace(l->watcher, name + 1) : NULL;

	if (!t)
		return false;
	sc_top_process_detach(&t->top);
	if (!end_analysis(l->watcher, t))
		return false;
	*reader = t->reader;
	*analysis = t->analysis;
	return true;
}
