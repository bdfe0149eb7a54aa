/* Inputs: paths sorted by what they are. */
#include "cmds/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/buf.h"
#include "base/heap.h"
#include "base/message.h"
#include "reports/many/summary.h"

#define TRACE_ENDING   ".sct"
#define SCRIPT_ENDING  ".sct.txt"
#define SUMMARY_ENDING ".scs"

static bool ends_in(const char *name, const char *ending)
{
	size_t bytes = strlen(name), wanted = strlen(ending);

	return bytes > wanted && !strcmp(name + bytes - wanted, ending);
}

static int is_trace(const struct dirent *entry)
{
	return ends_in(entry->d_name, TRACE_ENDING) || ends_in(entry->d_name, SCRIPT_ENDING);
}

static int is_summary(const struct dirent *entry)
{
	return ends_in(entry->d_name, SUMMARY_ENDING);
}

/* A summary with another name: option summary takes any. */
static bool begins_as_summary(const char *path)
{
	char head[sizeof(SC_SUMMARY_HEAD) - 1];
	struct stat status;
	FILE *file = !stat(path, &status) && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
	bool is_summary = file && fread(head, 1, sizeof(head), file) == sizeof(head) &&
			  !memcmp(head, SC_SUMMARY_HEAD, sizeof(head));

	if (file)
		fclose(file);
	return is_summary;
}

static void add(struct sc_inputs *in, const char *path, bool has_summaries)
{
	char *own = sc_heap_xcopy(path, strlen(path));

	if (has_summaries && (ends_in(path, SUMMARY_ENDING) || begins_as_summary(path)))
		sc_vector_push(&in->summaries, own);
	else
		sc_vector_push(&in->traces, own);
}

/* Adds the files of a folder that are wanted; returns how many. */
static int add_files(struct sc_inputs *in, const char *command, const char *folder,
		     int (*is_wanted)(const struct dirent *entry))
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_wanted, versionsort);

	if (count < 0)
		sc_die("%s: cannot read %s: %s", command, folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		struct sc_buf path = {0};

		sc_buf_printf(&path, "%s/%s", folder, entries[i]->d_name);
		add(in, path.text, is_wanted == is_summary);
		sc_buf_fini(&path);
		free(entries[i]);
	}
	free(entries);
	return count;
}

static void add_folder(struct sc_inputs *in, const char *command, const char *folder,
		       bool has_summaries)
{
	struct sc_inputs passed = {0};

	if (has_summaries && add_files(in, command, folder, is_summary)) {
		in->passed_over += (size_t)add_files(&passed, command, folder, is_trace);
		sc_inputs_fini(&passed);
		return;
	}
	if (!add_files(in, command, folder, is_trace))
		sc_warn("%s: no file in %s ends in " TRACE_ENDING "%s", command, folder,
			has_summaries ? " or " SUMMARY_ENDING : "");
}

static void take(struct sc_inputs *in, const char *command, char *const *paths, int count,
		 bool has_summaries)
{
	for (int i = 0; i < count; i++) {
		struct stat status;

		if (!stat(paths[i], &status) && S_ISDIR(status.st_mode))
			add_folder(in, command, paths[i], has_summaries);
		else
			add(in, paths[i], has_summaries);
	}
}

void sc_inputs_take(struct sc_inputs *in, const char *command, char *const *paths, int count)
{
	take(in, command, paths, count, 1);
}

void sc_inputs_take_traces(struct sc_inputs *in, const char *command, char *const *paths, int count)
{
	take(in, command, paths, count, 0);
}

void sc_inputs_keep_shard(struct sc_inputs *in, uint32_t index, uint32_t count)
{
	size_t from = in->traces.count * (index - 1) / count;
	size_t to = in->traces.count * index / count, kept = 0;

	for (size_t i = 0; i < in->traces.count; i++)
		if (i >= from && i < to)
			in->traces.items[kept++] = in->traces.items[i];
		else
			free(in->traces.items[i]);
	in->traces.count = kept;
}

void sc_inputs_fini(struct sc_inputs *in)
{
	for (size_t i = 0; i < in->traces.count; i++)
		free(in->traces.items[i]);
	for (size_t i = 0; i < in->summaries.count; i++)
		free(in->summaries.items[i]);
	sc_vector_fini(&in->traces);
	sc_vector_fini(&in->summaries);
}
