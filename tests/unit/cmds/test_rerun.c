/* Reruns: the group of a child is ended while its number is the child's, not when it may be that of
 * another group. */
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "cmds/check/rerun.h"

static char folder[64];
static unsigned groups, strangers; /* that signals were sent to */

/* In place of libc's: the number of a child that was waited for is anybody's. */
int kill(pid_t process, int number)
{
	siginfo_t end;

	if (process < -1) {
		groups++;
		strangers += waitid(P_PID, (id_t)-process, &end, WEXITED | WNOHANG | WNOWAIT) != 0;
	}
	return (int)syscall(SYS_kill, process, number);
}

static int make_folder(void **unused)
{
	(void)unused;
	strcpy(folder, "/tmp/streamcheck-rerun-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
	(void)unused;
	return rmdir(folder);
}

static void run(const char *command, struct sc_rerun_end *end)
{
	char shell[] = "sh", option[] = "-c", script[64];
	char *words[] = {shell, option, script, NULL};
	struct sc_rerun r = {.path = "/bin/sh", .argv = words, .simulator = folder};
	struct sc_sim_notes first;

	strcpy(script, command);
	groups = strangers = 0;
	sc_rerun_begin(&r, folder);
	sc_rerun_measure(&r, &first);
	sc_sim_notes_fini(&first);
	sc_rerun_run(&r, "", end);
	sc_rerun_fini(&r);
}

EACH_TEST(make_folder, remove_folder)

TEST(a_group_is_ended_before_its_number_is_free)
{
	struct sc_rerun_end end;

	run("exit 7", &end);
	assert_true(WIFEXITED(end.status));
	assert_int_equal(WEXITSTATUS(end.status), 7);
	assert_false(end.is_late);
	assert_int_equal(groups, 1);
	assert_int_equal(strangers, 0);
	sc_rerun_end_fini(&end);
}

/* What it left has a pipe open, as long as it runs. */
TEST(what_the_program_left_running_is_ended)
{
	struct sc_rerun_end end;
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	run("sleep 1000 & exit 0", &end);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	assert_int_equal(strangers, 0);
	sc_rerun_end_fini(&end);
}
