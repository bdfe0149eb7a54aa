// How it ends, and what it says and reads before that.
#include "tests/e2e/scenarios/actor/actor.h"
#include <pthread.h>

int run_seven(void)
{
	racy();
	return 7;
}

int run_output(void)
{
	racy();
	puts("to stdout");
	fputs("to stderr\n", stderr);
	return 0;
}

// Takes one line of its input, and leaves the rest to the next process.
int run_reader(void)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		return EXIT_WRONG;
	racy();
	return 0;
}

// Says that it is ready, then waits for the signal that ends it.
int run_killed(void)
{
	racy();
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

int run_underscore_exit(void)
{
	racy();
	_exit(0);
}

int run_quick_exit(void)
{
	racy();
	quick_exit(0);
}

int run_abort(void)
{
	racy();
	abort();
}

int run_segv(void)
{
	racy();
	*(volatile int *)16 = 1;
	return 0;
}

int run_device_store(void)
{
	on_device(bytes)[3] = 1;
	return 0;
}

// A breakpoint without a debugger, as in assertions: the instruction is complete when its signal
// arrives.
int run_breakpoint(void)
{
	racy();
	asm volatile("int3");
	puts("gone on");
	return 0;
}

static volatile bool has_ended;

// Uses what is gone, a moment after the program has ended.
static void *use_late(void *)
{
	while (!has_ended)
		sched_yield();
	usleep(20000);
	*(volatile int *)16 = 1;
	return NULL;
}

static void end()
{
	has_ended = true;
}

// Its threads run on when it ends; nothing comes of that, because it ends at once.
int run_left_running(void)
{
	pthread_t thread;

	racy();
	pthread_create(&thread, NULL, use_late, NULL);
	atexit(end);
	return 0;
}

static void *leave_too(void *)
{
	while (!has_ended)
		sched_yield();
	exit(0);
}

// Threads call exit while it is in exit itself: one of them finds no handler left.
int run_left_at_once(void)
{
	pthread_t threads[12];

	racy();
	for (pthread_t &thread : threads)
		pthread_create(&thread, NULL, leave_too, NULL);
	atexit(end);
	return 0;
}

// Two threads end it at a time.
static void *end_too(void *)
{
	while (!has_ended)
		sched_yield();
	_exit(0);
}

int run_ended_twice(void)
{
	pthread_t thread;

	racy();
	pthread_create(&thread, NULL, end_too, NULL);
	atexit(end);
	return 0;
}
