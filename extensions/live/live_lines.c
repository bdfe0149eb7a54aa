/* Lines: made in memory, written whole. */
#include "extensions/live/live_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/message.h"
#include "reports/output.h"
#include "reports/fingerprint.h"
#include "reports/json_report.h"
#include "reports/words/words.h"

#define SECOND	    UINT64_C(1000000000)
#define PATIENCE_MS 1000 /* with a reader that is too slow */

static int open_file(const char *path)
{
	if (!strcmp(path, "-"))
		return STDOUT_FILENO;
	/* a FIFO without a reader is an error, not a wait */
	return sc_output_open_in_place(path, O_APPEND | O_NONBLOCK);
}

static void close_file(int fd)
{
	if (fd >= 0 && fd != STDOUT_FILENO)
		close(fd);
}

void sc_live_lines_init(struct sc_live_lines *l, const struct sc_options *o)
{
	*l = (struct sc_live_lines){.fd = -1};
	if (!*o->live_output)
		return;
	l->fd = open_file(o->live_output);
	if (l->fd < 0)
		sc_die("option live-output: cannot write %s: %s", o->live_output, strerror(-l->fd));
	/* what another run wrote is not mixed with this one; a pipe cannot be emptied */
	if (l->fd != STDOUT_FILENO && ftruncate(l->fd, 0) && errno != EINVAL)
		sc_die("option live-output: cannot empty %s: %s", o->live_output, strerror(errno));
}

void sc_live_lines_fini(struct sc_live_lines *l)
{
	close_file(l->fd);
	l->fd = -1;
	sc_buf_fini(&l->text);
}

/* Waits, whatever signals come (SIGUSR1 asks for a report); if in vain, errno is EAGAIN. */
static bool has_room(int fd)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};
	int got;

	do
		got = poll(&room, 1, PATIENCE_MS);
	while (got < 0 && errno == EINTR);
	if (!got)
		errno = EAGAIN;
	return got > 0;
}

/* A line longer than PIPE_BUF may need several writes to a pipe that is nearly full. Returns how
 * many bytes were written; errno says why they are not all. */
static size_t write_all(int fd, const struct sc_buf *text)
{
	size_t at = 0;

	do {
		ssize_t done = write(fd, text->text + at, text->bytes - at);

		if (done < 0 && errno != EAGAIN && errno != EINTR)
			break;
		at += done > 0 ? (size_t)done : 0;
	} while (at < text->bytes && has_room(fd));
	return at;
}

/* Where this ends in the middle of a line (a full disk), nothing more is written. */
static void write_line(struct sc_live_lines *l)
{
	size_t done;

	done = write_all(l->fd, &l->text);
	if (done == l->text.bytes ||
	    (!done && errno == EAGAIN)) /* a full pipe: without this line */
		return;
	sc_warn("option live-output: %s; no more lines are written", strerror(errno));
	close_file(l->fd);
	l->fd = -1;
}

static void put_time(struct sc_json *w)
{
	struct timespec now = {0};
	struct tm utc = {0};
	char day[32], text[64];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, sizeof(text), "%s.%03ldZ", day, now.tv_nsec / 1000000);
	sc_json_text(w, "time", text);
}

static void begin(struct sc_live_lines *l, const char *kind)
{
	sc_buf_clear(&l->text);
	l->w = (struct sc_json){.out = &l->text, .is_line = 1};
	sc_json_open(&l->w, NULL, '{');
	sc_json_text(&l->w, "kind", kind);
	put_time(&l->w);
}

static void end(struct sc_live_lines *l)
{
	sc_json_close(&l->w, '}');
	write_line(l);
}

void sc_live_lines_finding(struct sc_live_lines *l, int process, const struct sc_report *r,
			   const struct sc_finding *f, uint64_t fingerprint)
{
	if (l->fd < 0)
		return;
	begin(l, "finding");
	sc_json_number(&l->w, "process", (uint64_t)process);
	sc_json_finding(&l->w, "finding", r, f, fingerprint);
	end(l);
}

static void put_totals(struct sc_json *w, const struct sc_live_totals *t)
{
	sc_json_number(w, "processes", t->processes);
	sc_json_number(w, "operations", t->operations);
	sc_json_number(w, "errors", t->errors);
	sc_json_number(w, "warnings", t->warnings);
	sc_json_number(w, "trace_bytes", t->trace_bytes);
}

void sc_live_lines_status(struct sc_live_lines *l, const struct sc_live_totals *t, uint64_t now_ns)
{
	if (l->fd < 0 || now_ns - l->status_ns < SECOND)
		return;
	l->status_ns = now_ns;
	begin(l, "status");
	put_totals(&l->w, t);
	sc_json_number(&l->w, "behind", t->behind);
	end(l);
}

void sc_live_lines_begin_summary(struct sc_live_lines *l, const struct sc_live_totals *t)
{
	begin(l, "summary");
	put_totals(&l->w, t);
	sc_json_open(&l->w, "findings", '[');
}

void sc_live_lines_count(struct sc_live_lines *l, int process, const struct sc_finding *f,
			 uint64_t fingerprint)
{
	char text[SC_FINGERPRINT_SIZE], rule[16];

	sc_fingerprint_text(text, fingerprint);
	snprintf(rule, sizeof(rule), "SC-%u", f->rule);
	sc_json_open(&l->w, NULL, '{');
	sc_json_number(&l->w, "process", (uint64_t)process);
	sc_json_text(&l->w, "rule", rule);
	sc_json_text(&l->w, "severity", sc_severity_text(f->severity));
	sc_json_text(&l->w, "confidence", sc_words_confidence(f->confidence));
	sc_json_text(&l->w, "fingerprint", text);
	sc_json_number(&l->w, "count", f->count);
	sc_json_close(&l->w, '}');
}

void sc_live_lines_end_summary(struct sc_live_lines *l)
{
	sc_json_close(&l->w, ']');
	if (l->fd >= 0)
		end(l);
}
