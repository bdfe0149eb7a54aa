/* Interrupt: one handler, which needs nothing but what was prepared for it. */
#include "cmds/process/interrupt.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/* Handlers have no context of their own. */
static volatile sig_atomic_t may_come_again[_NSIG];
static char text[PATH_MAX + 128];
static pid_t owner; /* children look up names, and say nothing */

static void handle(int number)
{
	if (may_come_again[number]) {
		may_come_again[number] = 0;
		return;
	}
	if (getpid() == owner && write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(128 + number);
	signal(number, SIG_DFL);
	raise(number); /* when this returns */
}

/* A signal that was ignored when we were started stays ignored (nohup). */
static void install(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;

	if (!sigaction(number, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

void sc_interrupt_begin(const struct sc_child_end *end, const char *folder)
{
	owner = getpid();
	snprintf(text, sizeof(text),
		 "streamcheck: interrupted: the traces are kept; streamcheck merge %s reports "
		 "them\n",
		 folder);
	for (int i = 1; i < _NSIG; i++)
		may_come_again[i] = sigismember(&end->again, i) == 1;
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		install(ending[i], handle);
	install(SIGUSR1, SIG_IGN); /* these two were the program's */
	install(SIGUSR2, SIG_IGN);
	sigprocmask(SIG_SETMASK, &end->mask, NULL);
}
