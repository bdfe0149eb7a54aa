/* The line on the terminal while a trace is analyzed: it names the program and says how far it is.
 */
#include "cmds/check/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* A terminal in place of standard error: the end that reads what is written there. */
static int open_terminal(int *kept)
{
	int reader = posix_openpt(O_RDWR | O_NOCTTY), end;

	assert_true(reader >= 0 && !grantpt(reader) && !unlockpt(reader));
	end = open(ptsname(reader), O_RDWR | O_NOCTTY);
	assert_true(end >= 0);
	*kept = dup(STDERR_FILENO);
	assert_int_equal(dup2(end, STDERR_FILENO), STDERR_FILENO);
	close(end);
	return reader;
}

/* What the line says at the start of a trace, or at its end. */
static void line_is(const char *head, bool is_read, const char *expected)
{
	char script[256], line[256] = "";
	struct sc_record record;
	struct sc_reader *r;
	int kept, terminal;

	snprintf(script, sizeof(script), "%salloc a 8\nalloc b 8\nexit 0\n", head);
	assert_int_equal(sc_reader_open_memory(&r, script, strlen(script), NULL, 0), 0);
	terminal = open_terminal(&kept);
	sc_progress_begin(r, "/tmp/streamcheck.x/4711.1.sct");
	while (is_read && sc_reader_next(r, &record) > 0)
		continue;
	raise(SIGALRM);
	sc_progress_end();
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_true(read(terminal, line, sizeof(line) - 1) > 0);
	close(terminal);
	sc_reader_free(r);
	if (!strstr(line, expected))
		fail_msg("%s is not in %s", expected, line);
}

TEST(the_program_is_named)
{
	line_is("process 4711 \"./train --fast\"\n", false,
		"streamcheck: ./train --fast: 0 % read");
	line_is("process 4711 \"./train --fast\"\n", true,
		"streamcheck: ./train --fast: 100 % read");
}

TEST(a_trace_of_no_known_program_is_named_itself)
{
	line_is("", true, "streamcheck: /tmp/streamcheck.x/4711.1.sct: 100 % read");
}
