/* Progress: a timer's signal looks at the reader, so that the analysis need not know of it. */
#include "cmds/check/progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "reports/sources/names.h"
#include "reports/utf8.h"

#define NAME_COLUMNS 40

/* Shared with the signal handler, which runs in this thread only; set while no timer runs. */
static struct {
	const struct sc_reader *reader;
	char name[64]; /* of the program, or of the trace: its end */
	struct sigaction before;
	bool is_on;
	volatile sig_atomic_t has_line;
} progress;

/* Digits with the text after them, without stdio: this runs in a signal handler. */
static size_t put_number(char *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits), bytes;

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	bytes = sizeof(digits) - at;
	memcpy(out, digits + at, bytes);
	return bytes;
}

static size_t put_text(char *out, const char *text)
{
	size_t bytes = strlen(text);

	memcpy(out, text, bytes);
	return bytes;
}

static void show(int signal)
{
	char line[160];
	size_t bytes = put_text(line, "\r\033[Kstreamcheck: ");

	(void)signal;
	bytes += put_text(line + bytes, progress.name);
	bytes += put_text(line + bytes, ": ");
	bytes += put_number(line + bytes, sc_reader_percent(progress.reader));
	bytes += put_text(line + bytes, " % read");
	if (write(STDERR_FILENO, line, bytes) > 0)
		progress.has_line = 1;
}

static void set_timer(time_t seconds)
{
	struct itimerval every = {{seconds, 0}, {seconds, 0}};

	setitimer(ITIMER_REAL, &every, NULL);
}

/* The program's name is known once the trace's head was read. */
static void set_name(struct sc_reader *r, const char *path)
{
	size_t bytes = strlen(path), room = sizeof(progress.name) - 1;
	struct sc_buf clean = {0};
	struct sc_names names;

	sc_names_init(&names, r, 1);
	sc_reader_rewind(r);
	sc_utf8_add_cut(&clean, names.command, NAME_COLUMNS);
	if (!clean.bytes || clean.bytes > room) {
		sc_buf_clear(&clean);
		sc_utf8_add_clean(&clean, bytes > room ? path + bytes - room : path);
	}
	snprintf(progress.name, sizeof(progress.name), "%s", sc_buf_text(&clean));
	sc_buf_fini(&clean);
	sc_names_fini(&names);
}

void sc_progress_begin(struct sc_reader *r, const char *path)
{
	struct sigaction action = {.sa_handler = show, .sa_flags = SA_RESTART};

	if (!isatty(STDERR_FILENO))
		return;
	progress.reader = r;
	set_name(r, path);
	progress.has_line = 0;
	progress.is_on = !sigaction(SIGALRM, &action, &progress.before);
	if (progress.is_on)
		set_timer(1);
}

void sc_progress_end(void)
{
	static const char erase[] = "\r\033[K";

	if (!progress.is_on)
		return;
	set_timer(0);
	sigaction(SIGALRM, &progress.before, NULL);
	progress.is_on = 0;
	if (progress.has_line && write(STDERR_FILENO, erase, strlen(erase)) < 0)
		progress.has_line = 0;
}
