/* Lines for machines: one a second at most, whole ones only, and a reader that is gone ends them.
 */
#include "extensions/live/live_lines.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include "tests/unit/unit.h"

#define SECOND UINT64_C(1000000000)

static const struct sc_live_totals totals = {2, 1000, 3, 4, 4096, 5};
static char path[64], seen[1 << 17];
static struct sc_options options;
static struct sc_live_lines lines;

static int begin(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/streamcheck-test-lines.%d", getpid());
	unlink(path);
	sc_options_init(&options);
	snprintf(options.live_output, sizeof(options.live_output), "%s", path);
	return 0;
}

static int end(void **state)
{
	(void)state;
	sc_live_lines_fini(&lines);
	unlink(path);
	return 0;
}

static const char *read_all(int fd)
{
	ssize_t got = read(fd, seen, sizeof(seen) - 1);

	seen[got > 0 ? got : 0] = '\0';
	return seen;
}

static const char *content(void)
{
	int fd = open(path, O_RDONLY);

	read_all(fd);
	close(fd);
	return seen;
}

static unsigned count_lines(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

EACH_TEST(begin, end)

TEST(status_comes_once_a_second)
{
	sc_live_lines_init(&lines, &options);
	sc_live_lines_status(&lines, &totals, 5 * SECOND);
	sc_live_lines_status(&lines, &totals, 6 * SECOND - 1);
	assert_int_equal(count_lines(content()), 1);
	sc_live_lines_status(&lines, &totals, 6 * SECOND);
	assert_int_equal(count_lines(content()), 2);
	assert_non_null(strstr(seen, "\"processes\": 2, \"operations\": 1000, \"errors\": 3, "
				     "\"warnings\": 4, \"trace_bytes\": 4096, \"behind\": 5}\n"));
	assert_int_equal(strncmp(seen, "{\"kind\": \"status\", \"time\": \"", 28), 0);
}

TEST(summary_is_one_line)
{
	struct sc_finding f = {.rule = 102, .severity = SC_ERROR, .count = 7};

	sc_live_lines_init(&lines, &options);
	sc_live_lines_begin_summary(&lines, &totals);
	sc_live_lines_count(&lines, 41, &f, 0xABC);
	sc_live_lines_count(&lines, 42, &f, 0xDEF);
	sc_live_lines_end_summary(&lines);
	assert_int_equal(count_lines(content()), 1);
	assert_non_null(strstr(seen, "{\"process\": 42, \"rule\": \"SC-102\", \"severity\": "
				     "\"error\", "));
	assert_non_null(strstr(seen, "\"fingerprint\": \"0000000000000def\", \"count\": 7}]}\n"));
}

TEST(older_lines_go)
{
	FILE *file = fopen(path, "w");

	fputs("of another run\n", file);
	fclose(file);
	sc_live_lines_init(&lines, &options);
	assert_string_equal(content(), "");
}

TEST(nothing_is_wanted)
{
	*options.live_output = '\0';
	sc_live_lines_init(&lines, &options);
	sc_live_lines_status(&lines, &totals, SECOND);
	assert_int_equal(lines.fd, -1);
	assert_int_equal(access(path, F_OK), -1);
}

/* A reader that takes nothing loses lines, not parts of them. */
TEST(full_pipe)
{
	char byte = '\n';
	int reader;

	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	sc_live_lines_init(&lines, &options);
	while (write(lines.fd, &byte, 1) == 1)
		;
	sc_live_lines_status(&lines, &totals, 5 * SECOND);
	assert_true(lines.fd >= 0);
	assert_null(strchr(read_all(reader), '{'));
	sc_live_lines_status(&lines, &totals, 6 * SECOND);
	assert_int_equal(count_lines(read_all(reader)), 1);
	assert_int_equal(*seen, '{');
	close(reader);
}

#define INTERRUPTIONS 3

static volatile sig_atomic_t interruptions, late_reader;

/* The last one makes room. */
static void interrupt(int number)
{
	static char taken[1 << 16];

	(void)number;
	if (++interruptions == INTERRUPTIONS)
		interruptions += read(late_reader, taken, sizeof(taken)) < 0;
}

/* A signal is no reason to write no more: SIGUSR1 asks the same process for a report. */
TEST(signals_come_while_the_pipe_is_full)
{
	struct sigaction act = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	char byte = '\n';

	assert_int_equal(mkfifo(path, 0600), 0);
	interruptions = 0;
	late_reader = open(path, O_RDONLY | O_NONBLOCK);
	sc_live_lines_init(&lines, &options);
	while (write(lines.fd, &byte, 1) == 1)
		;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	sc_live_lines_status(&lines, &totals, 5 * SECOND);
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
	assert_true(interruptions >= INTERRUPTIONS);
	assert_true(lines.fd >= 0);
	assert_int_equal(count_lines(strchr(read_all(late_reader), '{')), 1);
	close(late_reader);
}

TEST(reader_is_gone)
{
	int reader;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	sc_live_lines_init(&lines, &options);
	close(reader);
	sc_live_lines_status(&lines, &totals, 5 * SECOND);
	assert_int_equal(lines.fd, -1);
	sc_live_lines_status(&lines, &totals, 6 * SECOND);
}
