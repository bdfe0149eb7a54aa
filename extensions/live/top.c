/* streamcheck top: streams, threads and memory of a process that goes on. */
#include <time.h>
#include <unistd.h>
#include "base/message.h"
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "cmds/standard_output.h"
#include "extensions/live/screen.h"
#include "extensions/live/top_shown.h"

#define EVERY_MS 500

static uint64_t now_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void watch(struct sc_top_all *all, struct sc_screen *screen, struct sc_buf *text)
{
	enum sc_screen_event event = SC_SCREEN_TIME;
	bool is_over = false;

	while (event != SC_SCREEN_END && !is_over) {
		sc_buf_clear(text);
		is_over = sc_top_all_add(all, text, now_ns(), screen->rows);
		sc_screen_draw(screen, text);
		if (!is_over)
			event = sc_screen_wait(screen, EVERY_MS);
	}
	sc_screen_close(screen);
	if (!is_over)
		sc_buf_clear(text);
}

int sc_cmd_top(int argc, char **argv)
{
	struct sc_options options;
	struct sc_top_all all;
	struct sc_screen screen;
	struct sc_buf text = {0};
	int first = sc_arguments_read(&options, sc_command_find("top"), argc, argv);

	if (first == argc)
		sc_die("top: no process id given; usage: streamcheck top [options] PID...");
	sc_top_all_init(&all, &options, argv + first, (size_t)(argc - first));
	sc_top_all_add(&all, &text, now_ns(), 0);
	if (!all.failed.bytes && sc_screen_open(&screen, STDIN_FILENO, STDOUT_FILENO))
		watch(&all, &screen, &text); /* what it had last stays to be read */
	if (all.failed.bytes)
		sc_die("top: %s", all.failed.text);
	sc_top_all_fini(&all);
	return sc_print_and_free(&text);
}
