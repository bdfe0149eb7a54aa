/* streamcheck window: opens or closes a window of a process that runs with option window. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/message.h"
#include "cmds/arguments.h"
#include "cmds/command.h"
#include "extensions/live/process_number.h"
#include "cmds/process/running.h"
#include "trace/control.h"

#define WAIT_S 5 /* until a process that does not answer is said to have not */

static uint32_t request_of(const char *word)
{
	if (!strcmp(word, "on"))
		return SC_CONTROL_WINDOW_ON;
	if (!strcmp(word, "off"))
		return SC_CONTROL_WINDOW_OFF;
	sc_die("window: \"%s\" is neither on nor off", word);
}

/* The header page of the trace, shared with the process. */
static struct sc_trace_header *map_header(int process, const char *path)
{
	struct sc_trace_header *head = MAP_FAILED;
	struct stat status;
	int fd;

	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 &&
	    (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size < SC_TRACE_HEADER))
		sc_die("window: %s is no trace", path);
	if (fd >= 0)
		head = mmap(NULL, SC_TRACE_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		sc_die("window: cannot open %s: %s", path, strerror(errno));
	close(fd);
	if (memcmp(head->magic, SC_TRACE_MAGIC, sizeof(head->magic)) != 0 ||
	    head->process != (uint32_t)process)
		sc_die("window: %s is no trace of process %d", path, process);
	return head;
}

/* True once the process has followed. */
static bool ask(struct sc_trace_control *control, uint32_t request)
{
	uint32_t old = __atomic_load_n(&control->wanted, __ATOMIC_RELAXED), wanted;
	struct timespec most = {.tv_sec = WAIT_S};

	do
		wanted = (old & ~(SC_CONTROL_STEP - 1)) + SC_CONTROL_STEP + request;
	while (!__atomic_compare_exchange_n(&control->wanted, &old, wanted, 0, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
	syscall(SYS_futex, &control->wanted, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	for (;;) {
		uint32_t done = __atomic_load_n(&control->done, __ATOMIC_ACQUIRE);

		/* a later request of another command counts too */
		if ((int32_t)(done - wanted) >= 0)
			return true;
		if (syscall(SYS_futex, &control->done, FUTEX_WAIT, done, &most, NULL, 0) &&
		    errno == ETIMEDOUT)
			return false;
	}
}

static void open_or_close(int process, const char *path, uint32_t request)
{
	struct sc_trace_control *control = sc_trace_control(map_header(process, path));

	if (!__atomic_load_n(&control->is_served, __ATOMIC_ACQUIRE))
		sc_die("window: process %d runs without option window, so that all of it is "
		       "recorded in full, or made no CUDA call yet",
		       process);
	if (!ask(control, request))
		sc_die("window: process %d did not answer within %d s", process, WAIT_S);
}

int sc_cmd_window(int argc, char **argv)
{
	struct sc_options options;
	int first = sc_arguments_read(&options, sc_command_find("window"), argc, argv);
	struct sc_process_traces t = {0};
	uint32_t request;

	if (first != argc - 2)
		sc_die("window: usage: streamcheck window PID on|off");
	request = request_of(argv[first + 1]);
	sc_process_traces_take(&t, "window", argv[first]);
	for (size_t i = 0; i < t.paths.count; i++)
		open_or_close(t.numbers.items[i], t.paths.items[i], request);
	sc_process_traces_fini(&t);
	return SC_EXIT_CLEAN;
}
