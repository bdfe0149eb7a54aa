/* Screen: termios, the other buffer, a descriptor of signals. */
#include "extensions/live/screen.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "reports/output.h"
#include "reports/utf8.h"

#define ROWS_DEFAULT	24
#define COLUMNS_DEFAULT 80
#define COLUMNS_MAX	500

static void put(const struct sc_screen *s, const char *sequences)
{
	struct sc_buf text = {0};

	sc_buf_add(&text, sequences);
	sc_output_write_fd(s->out, &text);
	sc_buf_fini(&text);
}

static void measure(struct sc_screen *s)
{
	struct winsize size = {0};

	ioctl(s->out, TIOCGWINSZ, &size);
	s->rows = size.ws_row ? size.ws_row : ROWS_DEFAULT;
	s->columns = size.ws_col ? size.ws_col : COLUMNS_DEFAULT;
	if (s->columns > COLUMNS_MAX)
		s->columns = COLUMNS_MAX;
}

/* Other buffer, no cursor; lines that are too long are cut by us. */
static void take(struct sc_screen *s)
{
	struct termios raw = s->before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(s->in, TCSADRAIN, &raw);
	put(s, "\033[?1049h\033[?25l\033[H\033[J");
	measure(s);
}

static void give_back(struct sc_screen *s)
{
	put(s, "\033[?25h\033[?1049l");
	tcsetattr(s->in, TCSADRAIN, &s->before);
}

bool sc_screen_open(struct sc_screen *s, int in, int out)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};
	const char *term = getenv("TERM");
	sigset_t set;

	*s = (struct sc_screen){.in = in, .out = out, .signals = -1};
	if (!isatty(in) || !isatty(out) || !term || !strcmp(term, "dumb") ||
	    tcgetattr(in, &s->before))
		return false;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, &s->mask);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0) {
		sigprocmask(SIG_SETMASK, &s->mask, NULL);
		return false;
	}
	take(s);
	return true;
}

void sc_screen_draw(struct sc_screen *s, const struct sc_buf *lines)
{
	struct sc_buf out = {0}, line = {0};
	const char *at = sc_buf_text(lines);

	sc_buf_add(&out, "\033[H");
	for (unsigned row = 0; row < s->rows && *at; row++) {
		size_t bytes = strcspn(at, "\n");

		sc_buf_clear(&line);
		sc_buf_add_bytes(&line, at, bytes);
		sc_buf_add(&out, row ? "\r\n\033[K" : "\033[K");
		sc_utf8_add_cut(&out, sc_buf_text(&line), s->columns - 1);
		at += bytes + (at[bytes] == '\n');
	}
	sc_buf_add(&out, "\033[J");
	sc_output_write_fd(s->out, &out);
	sc_buf_fini(&line);
	sc_buf_fini(&out);
}

/* As any program does: stops, and goes on where it was. */
static void stop(struct sc_screen *s)
{
	give_back(s);
	raise(SIGSTOP);
	take(s);
}

static enum sc_screen_event take_signal(struct sc_screen *s)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return SC_SCREEN_TIME;
	if (info.ssi_signo == SIGTSTP)
		stop(s);
	else if (info.ssi_signo != SIGWINCH)
		return SC_SCREEN_END;
	measure(s);
	return SC_SCREEN_CHANGED;
}

static enum sc_screen_event take_key(const struct sc_screen *s)
{
	char key = 0;
	ssize_t got = read(s->in, &key, 1);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return SC_SCREEN_TIME;
	if (got <= 0 || key == 'q' || key == 'Q')
		return SC_SCREEN_END;
	return SC_SCREEN_CHANGED;
}

enum sc_screen_event sc_screen_wait(struct sc_screen *s, int milliseconds)
{
	struct pollfd both[] = {{.fd = s->signals, .events = POLLIN},
				{.fd = s->in, .events = POLLIN}};

	if (poll(both, 2, milliseconds) <= 0)
		return SC_SCREEN_TIME;
	if (both[0].revents)
		return take_signal(s);
	return take_key(s);
}

void sc_screen_close(struct sc_screen *s)
{
	give_back(s);
	close(s->signals);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}
