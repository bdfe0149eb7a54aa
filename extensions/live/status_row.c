/* Status row: scrolling region, cursor saved and put back. */
#include "extensions/live/status_row.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/buf.h"
#include "reports/output.h"
#include "reports/utf8.h"

#define EVERY_NS    UINT64_C(250000000)
#define ROWS_LEAST  4
#define COLUMNS_MAX 400

void sc_status_row_init(struct sc_status_row *s, int fd)
{
	const char *term = getenv("TERM");

	*s = (struct sc_status_row){.fd = -1};
	if (isatty(fd) && term && *term && strcmp(term, "dumb") != 0)
		s->fd = fd;
}

/* The terminal belongs to another job: a shell, since the program was stopped or is in the
 * background. What cannot be known (it is nobody's own terminal) counts as ours. */
static bool is_foreground(int fd)
{
	pid_t group = tcgetpgrp(fd);

	return group < 0 || group == getpgrp();
}

/* A row of its own below the cursor: scrolls by one line where the cursor is at the bottom. */
static void take(struct sc_buf *out, unsigned rows)
{
	sc_buf_add(out, "\033D\033M"); /* down, up: column and place stay */
	sc_buf_printf(out, "\0337\033[1;%ur\0338", rows - 1);
}

static void give_back(struct sc_buf *out, unsigned rows)
{
	sc_buf_printf(out, "\0337\033[r\033[%u;1H\033[2K\0338", rows);
}

static void write_out(struct sc_status_row *s, struct sc_buf *out)
{
	if (out->bytes && sc_output_write_fd(s->fd, out)) {
		s->fd = -1;
		s->rows = 0;
	}
	sc_buf_fini(out);
}

static void add_text(struct sc_buf *out, const struct sc_status_row *s, const char *text)
{
	sc_buf_printf(out, "\0337\033[%u;1H\033[2K\033[7m", s->rows);
	sc_utf8_add_cut(out, text, s->columns - 1);
	sc_buf_add(out, "\033[0m\0338");
}

void sc_status_row_draw(struct sc_status_row *s, const char *text, uint64_t now_ns)
{
	struct sc_buf out = {0};
	struct winsize size = {0};
	bool fits;

	if (s->fd < 0 || (s->drawn_ns && now_ns - s->drawn_ns < EVERY_NS))
		return;
	s->drawn_ns = now_ns;
	fits = is_foreground(s->fd) && !ioctl(s->fd, TIOCGWINSZ, &size) &&
	       size.ws_row >= ROWS_LEAST && size.ws_col > 1;
	if (s->rows && (!fits || s->rows != size.ws_row)) {
		/* a terminal that has shrunk has no such row; the cursor then goes to its last */
		give_back(&out, s->rows);
		s->rows = 0;
	}
	if (fits) {
		if (!s->rows)
			take(&out, size.ws_row);
		s->rows = size.ws_row;
		s->columns = size.ws_col < COLUMNS_MAX ? size.ws_col : COLUMNS_MAX;
		add_text(&out, s, text);
	}
	write_out(s, &out);
}

void sc_status_row_fini(struct sc_status_row *s)
{
	struct sc_buf out = {0};

	if (s->fd < 0 || !s->rows)
		return;
	give_back(&out, s->rows);
	s->rows = 0;
	write_out(s, &out);
}

void sc_status_row_reset(int fd)
{
	struct sc_status_row s;
	struct winsize size = {0};

	sc_status_row_init(&s, fd);
	if (s.fd >= 0 && !ioctl(fd, TIOCGWINSZ, &size))
		s.rows = size.ws_row;
	sc_status_row_fini(&s);
}
