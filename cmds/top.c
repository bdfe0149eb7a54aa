/* streamcheck top: streams, threads and memory of a process that goes on. */
#include <time.h>
#include <unistd.h>
#include "base/message.h"
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "cmds/print.h"
#include "cmds/process_number.h"
#include "cmds/screen.h"
#include "cmds/top_process.h"
#include "cmds/top_view.h"

#define EVERY_MS 500

static uint64_t now_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* A snapshot as text. */
static int print(struct sc_top_process *p)
{
	struct sc_buf text = {0};

	sc_top_view_add(&text, p, now_ns(), 0);
	return sc_print_and_free(&text);
}

static void watch(struct sc_top_process *p, struct sc_screen *screen)
{
	enum sc_screen_event event = SC_SCREEN_TIME;

	while (event != SC_SCREEN_END && !p->has_ended && !p->is_given) {
		struct sc_buf text = {0};

		if (event == SC_SCREEN_TIME)
			sc_top_process_look(p, now_ns());
		sc_top_view_add(&text, p, now_ns(), screen->rows);
		sc_screen_draw(screen, &text);
		sc_buf_fini(&text);
		if (!p->has_ended)
			event = sc_screen_wait(screen, EVERY_MS);
	}
	sc_screen_close(screen);
}

static void refuse_given(const struct sc_top_process *p)
{
	if (p->is_given)
		sc_die("top: process %d runs with option live-disk, so its trace is not kept",
		       p->number);
}

int sc_cmd_top(int argc, char **argv)
{
	struct sc_options options;
	struct sc_top_process process;
	struct sc_screen screen;
	int code = SC_EXIT_CLEAN;
	int first = sc_arguments_read(&options, sc_command_find("top"), argc, argv);

	if (first != argc - 1)
		sc_die("top: one process id is wanted; usage: streamcheck top [options] PID");
	sc_top_process_init(&process, sc_process_number_read("top", argv[first]), &options);
	sc_top_process_look(&process, now_ns());
	refuse_given(&process);
	if (!options.once && sc_screen_open(&screen, STDIN_FILENO, STDOUT_FILENO)) {
		watch(&process, &screen);
		refuse_given(&process);
		if (process.has_ended) /* what it had last stays to be read */
			code = print(&process);
	} else {
		code = print(&process);
	}
	sc_top_process_fini(&process);
	return code;
}
