/* Status row: never where it does not belong, one write a time, given back in the end. */
#include "extensions/live/status_row.h"

#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include "tests/unit/unit.h"

#define SECOND UINT64_C(1000000000)

static int master, slave;
static struct sc_status_row row;
static char seen[4096];

static int begin(void **state)
{
	struct winsize size = {.ws_row = 10, .ws_col = 20};

	(void)state;
	setenv("TERM", "xterm", 1);
	if (openpty(&master, &slave, NULL, NULL, &size))
		return -1;
	fcntl(master, F_SETFL, O_NONBLOCK);
	sc_status_row_init(&row, slave);
	return 0;
}

static int end(void **state)
{
	(void)state;
	close(slave);
	close(master);
	return 0;
}

/* What was written since the last time. */
static const char *written(void)
{
	ssize_t got = read(master, seen, sizeof(seen) - 1);

	seen[got > 0 ? got : 0] = '\0';
	return seen;
}

static void set_size(unsigned short rows, unsigned short columns)
{
	struct winsize size = {.ws_row = rows, .ws_col = columns};

	ioctl(slave, TIOCSWINSZ, &size);
}

EACH_TEST(begin, end)

TEST(takes_the_last_row_and_gives_it_back)
{
	sc_status_row_draw(&row, "all well", SECOND);
	assert_string_equal(written(), "\033D\033M\0337\033[1;9r\0338"
				       "\0337\033[10;1H\033[2K\033[7mall well\033[0m\0338");
	sc_status_row_draw(&row, "all well", 2 * SECOND);
	assert_string_equal(written(), "\0337\033[10;1H\033[2K\033[7mall well\033[0m\0338");
	sc_status_row_fini(&row);
	assert_string_equal(written(), "\0337\033[r\033[10;1H\033[2K\0338");
	sc_status_row_fini(&row);
	assert_string_equal(written(), "");
	sc_status_row_reset(slave); /* for a process that was killed */
	assert_string_equal(written(), "\0337\033[r\033[10;1H\033[2K\0338");
}

TEST(is_not_drawn_too_often)
{
	sc_status_row_draw(&row, "one", SECOND);
	written();
	sc_status_row_draw(&row, "two", SECOND + 1000);
	assert_string_equal(written(), "");
}

TEST(is_cut_and_cleaned)
{
	sc_status_row_draw(&row, "\033[2Jfar too long for twenty columns", SECOND);
	assert_non_null(strstr(written(), "\033[7m?[2Jfar too long f…\033[0m"));
}

TEST(follows_the_size)
{
	sc_status_row_draw(&row, "x", SECOND);
	written();
	set_size(6, 20);
	sc_status_row_draw(&row, "x", 2 * SECOND);
	assert_string_equal(written(), "\0337\033[r\033[10;1H\033[2K\0338"
				       "\033D\033M\0337\033[1;5r\0338"
				       "\0337\033[6;1H\033[2K\033[7mx\033[0m\0338");
	set_size(2, 20); /* no room for a row beside what is printed */
	sc_status_row_draw(&row, "x", 3 * SECOND);
	assert_string_equal(written(), "\0337\033[r\033[6;1H\033[2K\0338");
	sc_status_row_draw(&row, "x", 4 * SECOND);
	assert_string_equal(written(), "");
}

TEST(no_terminal)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	sc_status_row_init(&row, ends[1]);
	sc_status_row_draw(&row, "x", SECOND);
	sc_status_row_fini(&row);
	assert_int_equal(read(ends[0], seen, 1), -1);
	sc_status_row_init(&row, -1);
	sc_status_row_draw(&row, "x", SECOND);
	setenv("TERM", "dumb", 1);
	sc_status_row_init(&row, slave);
	sc_status_row_draw(&row, "x", SECOND);
	assert_string_equal(written(), "");
	close(ends[0]);
	close(ends[1]);
}
