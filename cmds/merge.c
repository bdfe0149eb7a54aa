/* streamcheck merge: the traces of all processes of a run, whole folders of them, in one report. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/heap.h"
#include "base/vector.h"
#include "cmds/arguments.h"
#include "cmds/check.h"
#include "cmds/command.h"

#define TRACE_ENDING ".sct"

struct paths {
	SC_VECTOR(char *) list; /* owned texts */
};

static int is_trace(const struct dirent *entry)
{
	size_t bytes = strlen(entry->d_name), ending = strlen(TRACE_ENDING);

	return bytes > ending && !strcmp(entry->d_name + bytes - ending, TRACE_ENDING);
}

static void add_path(struct paths *p, const char *path)
{
	sc_vector_push(&p->list, sc_heap_xcopy(path, strlen(path)));
}

/* The traces of a folder, in the order of their numbers, so that ranks come in order. */
static void add_folder(struct paths *p, const char *folder)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_trace, versionsort);

	if (count < 0)
		sc_die("merge: cannot read %s: %s", folder, strerror(errno));
	if (!count)
		sc_warn("merge: no file in %s ends in " TRACE_ENDING, folder);
	for (int i = 0; i < count; i++) {
		struct sc_buf path = {0};

		sc_buf_printf(&path, "%s/%s", folder, entries[i]->d_name);
		add_path(p, path.text);
		sc_buf_fini(&path);
		free(entries[i]);
	}
	free(entries);
}

static void add(struct paths *p, const char *path)
{
	struct stat status;

	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		add_folder(p, path);
	else
		add_path(p, path);
}

int sc_cmd_merge(int argc, char **argv)
{
	struct sc_options options;
	struct paths paths = {0};
	struct sc_check check;
	int first = sc_arguments_read(&options, sc_command_find("merge"), argc, argv);

	if (first == argc)
		sc_die("merge: no trace given; usage: streamcheck merge [options] "
		       "TRACE|FOLDER...");
	sc_arguments_print_data(&options);
	signal(SIGPIPE, SIG_IGN);
	for (int i = first; i < argc; i++)
		add(&paths, argv[i]);
	sc_check_init(&check, &options);
	sc_check_begin(&check, (unsigned)paths.list.count);
	for (size_t i = 0; i < paths.list.count; i++) {
		sc_check_trace(&check, paths.list.items[i], NULL);
		free(paths.list.items[i]);
	}
	sc_vector_fini(&paths.list);
	return sc_check_end(&check);
}
