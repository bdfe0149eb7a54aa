/* Process numbers: read, and looked up. */
#include "extensions/live/process_number.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/message.h"
#include "cmds/process/running.h"

int sc_process_number_read(const char *command, const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (number < 1 || number > INT_MAX || *end)
		sc_die("%s: %s is no process id", command, text);
	return (int)number;
}

void sc_process_number_find(const char *command, int process, char path[PATH_MAX])
{
	int err = sc_running_trace(process, path);

	if (err == -ESRCH)
		sc_die("%s: there is no process %d", command, process);
	if (err == -ENOENT)
		sc_die("%s: process %d writes no trace: streamcheck is not loaded there, or it "
		       "made no CUDA call yet",
		       command, process);
	if (err)
		sc_die("%s: cannot look at process %d: %s", command, process, strerror(-err));
}

static bool has_process(const struct sc_process_traces *t, int process)
{
	for (size_t i = 0; i < t->numbers.count; i++)
		if (t->numbers.items[i] == process)
			return true;
	return false;
}

static void add(struct sc_process_traces *t, int process, const char *path)
{
	if (has_process(t, process))
		return;
	sc_vector_push(&t->numbers, process);
	sc_vector_push(&t->paths, sc_heap_xcopy(path, strlen(path)));
}

static bool add_started(void *data, int process)
{
	char path[PATH_MAX];

	if (sc_running_own_trace(process, path))
		add(data, process, path);
	return true;
}

void sc_process_traces_take(struct sc_process_traces *t, const char *command, const char *text)
{
	int process = sc_process_number_read(command, text);
	size_t before = t->numbers.count;
	char path[PATH_MAX];

	if (!sc_running_trace(process, path)) {
		add(t, process, path);
		return;
	}
	sc_running_each_started(process, add_started, t);
	if (t->numbers.count > before)
		return;
	sc_process_number_find(command, process, path);
	add(t, process, path); /* the first look failed */
}

void sc_process_traces_fini(struct sc_process_traces *t)
{
	for (size_t i = 0; i < t->paths.count; i++)
		free(t->paths.items[i]);
	sc_vector_fini(&t->paths);
	sc_vector_fini(&t->numbers);
}
