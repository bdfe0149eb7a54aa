/* Runs a program as a debugger does: traced, every trap taken for the debugger's own.
 *
 * Usage: traced PROGRAM [ARGUMENT]... Its exit code is the program's.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS (PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE)

/* What a stopped thread is given when it goes on: its signal, but no trap and no stop of ours. */
static int passed_on(int status)
{
	int number = WSTOPSIG(status);

	return number == SIGTRAP || number == SIGSTOP ? 0 : number;
}

static int trace(pid_t program)
{
	int status = 0;
	pid_t stopped;

	if (waitpid(program, &status, 0) != program || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, program, 0, (void *)OPTIONS))
		return 2;
	ptrace(PTRACE_CONT, program, 0, 0);
	while ((stopped = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status))
			ptrace(PTRACE_CONT, stopped, 0, (void *)(long)passed_on(status));
		else if (stopped == program)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	return 2;
}

int main(int argc, char **argv)
{
	pid_t program;

	if (argc < 2) {
		fprintf(stderr, "usage: traced PROGRAM [ARGUMENT]...\n");
		return 2;
	}
	program = fork();
	if (!program) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[1], argv + 1);
		return 2;
	}
	return trace(program);
}
