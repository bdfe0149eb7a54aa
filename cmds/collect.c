/* Collect: a temporary folder, listed in order, removed at the end. */
#include "cmds/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/message.h"
#include "trace/format.h"

#define TRACE_ENDING ".sct"

void sc_collect_init(struct sc_collect *c)
{
	const char *root = getenv("TMPDIR");

	*c = (struct sc_collect){0};
	if (!root || !*root)
		root = "/tmp";
	if (snprintf(c->folder, sizeof(c->folder), "%s/streamcheck.XXXXXX", root) >=
	    (int)sizeof(c->folder))
		sc_die("TMPDIR is too long: %s", root);
	if (!mkdtemp(c->folder))
		sc_die("cannot make a folder for traces in %s: %s; set TMPDIR to another", root,
		       strerror(errno));
}

static int is_trace(const struct dirent *entry)
{
	size_t bytes = strlen(entry->d_name), ending = strlen(TRACE_ENDING);

	return bytes > ending && !strcmp(entry->d_name + bytes - ending, TRACE_ENDING);
}

static void free_names(struct sc_collect *c)
{
	for (int i = 0; i < c->count; i++)
		free(c->names[i]);
	free(c->names);
	c->names = NULL;
	c->count = 0;
}

void sc_collect_list(struct sc_collect *c)
{
	struct dirent **entries = NULL;
	int count = scandir(c->folder, &entries, is_trace, versionsort);

	free_names(c);
	if (count < 0)
		sc_die("cannot read %s: %s", c->folder, strerror(errno));
	c->names = sc_heap_xcalloc((size_t)count + 1, sizeof(*c->names));
	for (int i = 0; i < count; i++) {
		c->names[i] = sc_heap_xcopy(entries[i]->d_name, strlen(entries[i]->d_name));
		free(entries[i]);
	}
	c->count = count;
	free(entries);
}

void sc_collect_path(const struct sc_collect *c, int index, char out[PATH_MAX])
{
	if (snprintf(out, PATH_MAX, "%s/%s", c->folder, c->names[index]) >= PATH_MAX)
		sc_die("TMPDIR is too long: %s", c->folder);
}

int sc_collect_process(const struct sc_collect *c, int index)
{
	return (int)strtol(c->names[index], NULL, 10);
}

void sc_collect_close(const struct sc_collect *c, int index)
{
	struct sc_trace_header header;
	const uint32_t closed = 1;
	char path[PATH_MAX];
	int fd;

	sc_collect_path(c, index, path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	if (pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) && !header.closed &&
	    pwrite(fd, &closed, sizeof(closed), offsetof(struct sc_trace_header, closed)) < 0)
		sc_warn("cannot close the trace %s: %s", path, strerror(errno));
	close(fd);
}

/* A move between file systems is a copy. */
static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int err = in < 0 || out < 0 ? -errno : 0;
	ssize_t done = 1;

	while (!err && done) {
		done = sendfile(out, in, NULL, 1 << 24);
		if (done < 0 && errno != EINTR)
			err = -errno;
	}
	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) && !err)
		err = -errno;
	return err;
}

int sc_collect_keep(const struct sc_collect *c, int index, const char *path)
{
	char from[PATH_MAX];

	sc_collect_path(c, index, from);
	if (!rename(from, path))
		return 0;
	return errno == EXDEV ? copy_file(from, path) : -errno;
}

void sc_collect_fini(struct sc_collect *c)
{
	char path[PATH_MAX];

	sc_collect_list(c);
	for (int i = 0; i < c->count; i++) {
		sc_collect_path(c, i, path);
		unlink(path);
	}
	if (rmdir(c->folder))
		sc_warn("cannot remove %s: %s", c->folder, strerror(errno));
	free_names(c);
}
