/* Collect: a temporary folder, listed in order, removed at the end. */
#include "cmds/process/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/assert.h"
#include "base/heap.h"
#include "base/message.h"
#include "base/run_id.h"
#include "cmds/process/running.h"
#include "reports/output.h"
#include "trace/remains.h"
#include "trace/slot.h"

#define TRACE_ENDING ".sct"
#define SIGNAL_MOST  64

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

/* Traces, and texts that processes left for one another. */
static int is_any(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

void sc_collect_forget(struct sc_collect *c)
{
	for (int i = 0; i < c->count; i++)
		free(c->names[i]);
	free(c->names);
	c->names = NULL;
	c->count = 0;
}

static void list(struct sc_collect *c, int (*is_wanted)(const struct dirent *entry))
{
	struct dirent **entries = NULL;
	int count = scandir(c->folder, &entries, is_wanted, versionsort);

	sc_collect_forget(c);
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

void sc_collect_list(struct sc_collect *c)
{
	list(c, is_trace);
}

void sc_collect_path(const struct sc_collect *c, int index, char out[PATH_MAX])
{
	sc_assert(index >= 0 && index < c->count);
	if (snprintf(out, PATH_MAX, "%s/%s", c->folder, c->names[index]) >= PATH_MAX)
		sc_die("TMPDIR is too long: %s", c->folder);
}

int sc_collect_process(const struct sc_collect *c, int index)
{
	return (int)strtol(c->names[index], NULL, 10);
}

bool sc_collect_is_empty(const struct sc_collect *c, int index)
{
	struct stat status;
	char path[PATH_MAX];

	sc_collect_path(c, index, path);
	return !stat(path, &status) && !status.st_size;
}

bool sc_collect_fill(const struct sc_collect *c, int index)
{
	struct sc_trace_header header = {.magic = SC_TRACE_MAGIC,
					 .version = SC_TRACE_VERSION,
					 .op_bytes = sizeof(struct sc_op),
					 .process = (uint32_t)sc_collect_process(c, index),
					 .closed = 1};
	uint8_t page[SC_TRACE_HEADER] = {0};
	char path[PATH_MAX];
	bool is_filled;
	int fd;

	header.gaps[SC_GAP_lost_processes] = 1;
	header.check = sc_slot_check_header(&header);
	memcpy(page, &header, sizeof(header));
	memcpy(page + SC_TRACE_SEAL, &header, sizeof(header));
	sc_collect_path(c, index, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	is_filled = fd >= 0 && pwrite(fd, page, sizeof(page), 0) == (ssize_t)sizeof(page);
	if (fd >= 0)
		close(fd);
	return is_filled;
}

bool sc_collect_lacks(const struct sc_collect *c)
{
	struct stat status;

	return !stat(c->folder, &status) && status.st_mode & S_ISVTX;
}

/* The process may still run, and write the rest of the header. */
static bool add_lost(int fd)
{
	const off_t place = offsetof(struct sc_trace_header, gaps[SC_GAP_lost_processes]);
	struct sc_trace_header header;
	uint64_t count;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    (header.closed == 1 &&
	     pread(fd, &header, sizeof(header), SC_TRACE_SEAL) != (ssize_t)sizeof(header)))
		return false;
	count = ++header.gaps[SC_GAP_lost_processes];
	header.check = sc_slot_check_header(&header);
	if (pwrite(fd, &count, sizeof(count), place) != (ssize_t)sizeof(count))
		return false;
	return header.closed != 1 ||
	       pwrite(fd, &header, sizeof(header), SC_TRACE_SEAL) == (ssize_t)sizeof(header);
}

bool sc_collect_add_lost(const struct sc_collect *c, int index)
{
	char path[PATH_MAX];
	bool is_added;
	int fd;

	sc_collect_path(c, index, path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	is_added = fd >= 0 && add_lost(fd);
	if (fd >= 0)
		close(fd);
	return is_added;
}

static struct sc_op exit_op(int status, int number)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (struct sc_op){.kind = SC_OP_EXIT,
			      .value = (uint64_t)(uint32_t)status,
			      .object = (uint32_t)number,
			      .peer = number > 0, /* its parent sent it */
			      .time_ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) +
					 (uint64_t)now.tv_nsec};
}

/* Slots that are in the file; where the file got no more room, the header counts more slots. */
static uint64_t slots_in(int fd, const struct sc_trace_header *header)
{
	struct stat st = {0};
	uint64_t room;

	if (fstat(fd, &st) || st.st_size < SC_TRACE_HEADER)
		return header->slots;
	room = ((uint64_t)st.st_size - SC_TRACE_HEADER) / SC_SLOT_SIZE;
	return header->slots < room ? header->slots : room;
}

/* Appends the op after the last slot, then records this in the header. */
static int write_end(int fd, struct sc_trace_header *header, int status, int number)
{
	struct sc_op op = exit_op(status, number);
	struct sc_slot slots[2] = {0};
	off_t end;

	header->slots = slots_in(fd, header);
	end = (off_t)(SC_TRACE_HEADER + header->slots * SC_SLOT_SIZE);
	sc_slot_fill(slots, 2, &op, NULL, 0);
	if (pwrite(fd, slots, sizeof(slots), end) != sizeof(slots))
		return -1;
	header->slots += 2;
	header->closed = 1;
	header->check = sc_slot_check_header(header);
	if (pwrite(fd, header, sizeof(*header), SC_TRACE_SEAL) != sizeof(*header))
		return -1;
	return pwrite(fd, header, sizeof(*header), 0) == sizeof(*header) ? 0 : -1;
}

static void close_trace(const struct sc_collect *c, int index, int status, int number)
{
	struct sc_trace_header header;
	char path[PATH_MAX];
	int fd;

	sc_collect_path(c, index, path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	if (pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header) && !header.closed &&
	    write_end(fd, &header, status, number))
		sc_warn("cannot close the trace %s: %s", path, strerror(errno));
	close(fd);
}

void sc_collect_close(const struct sc_collect *c, int index, int status)
{
	close_trace(c, index, status, 0);
}

/* The signal that the parent of the trace's process sent it; 0: none. */
static int signal_of(const struct sc_collect *c, int index)
{
	char path[PATH_MAX], text[16] = "";
	FILE *file;
	long number;

	if (snprintf(path, sizeof(path), "%s/%d" SC_ENDED_ENDING, c->folder,
		     sc_collect_process(c, index)) >= (int)sizeof(path))
		return 0;
	file = fopen(path, "re");
	if (!file)
		return 0;
	number = fgets(text, sizeof(text), file) ? strtol(text, NULL, 10) : 0;
	fclose(file);
	return number > 0 && number <= SIGNAL_MOST ? (int)number : 0;
}

void sc_collect_close_ended(const struct sc_collect *c, int index)
{
	int number = signal_of(c, index);

	if (number && !sc_running_is_alive(sc_collect_process(c, index)))
		close_trace(c, index, 128 + number, number);
}

/* What was given back of a trace (option live-disk) takes no space in a copy either. */
static void pass_hole(int in, int out)
{
	off_t at = lseek(in, 0, SEEK_CUR), data = lseek(in, at, SEEK_DATA);

	if (data <= at || lseek(out, data, SEEK_SET) != data)
		data = at;
	lseek(in, data, SEEK_SET);
}

/* A move between file systems is a copy. */
static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), err;
	struct sc_output out;
	ssize_t done = 1;

	if (in < 0)
		return -errno;
	err = sc_output_open(&out, to, 0600);
	while (!err && done) {
		pass_hole(in, out.fd);
		done = sendfile(out.fd, in, NULL, 1 << 24);
		if (done < 0 && errno != EINTR)
			err = -errno;
	}
	close(in);
	if (!err)
		return sc_output_close(&out);
	sc_output_drop(&out);
	return err;
}

/* A file beside the trace goes along. */
static int keep_beside(const char *from, const char *to, const char *ending)
{
	char old[PATH_MAX], new[PATH_MAX];

	if (snprintf(old, sizeof(old), "%s%s", from, ending) >= PATH_MAX || access(old, F_OK))
		return 0;
	if (snprintf(new, sizeof(new), "%s%s", to, ending) >= PATH_MAX)
		return -ENAMETOOLONG;
	return rename(old, new) ? copy_file(old, new) : 0;
}

static int keep_trace(const char *from, const char *to)
{
	struct stat old;

	if (!lstat(to, &old) && !S_ISREG(old.st_mode) && !S_ISLNK(old.st_mode))
		return copy_file(from, to); /* a device or a pipe stays one */
	if (!rename(from, to))
		return 0;
	return errno == EXDEV ? copy_file(from, to) : -errno;
}

int sc_collect_keep(const struct sc_collect *c, int index, const char *path)
{
	char from[PATH_MAX];
	int rest, found, trace;

	sc_collect_path(c, index, from);
	/* of the part that was given back: what is left, such as names, and what was found */
	rest = keep_beside(from, path, SC_REMAINS_ENDING);
	found = keep_beside(from, path, SC_FOUND_ENDING);
	trace = keep_trace(from, path);
	return trace ? trace : rest ? rest : found;
}

void sc_collect_fini(struct sc_collect *c)
{
	char path[PATH_MAX];

	list(c, is_any);
	for (int i = 0; i < c->count; i++) {
		sc_collect_path(c, i, path);
		unlink(path);
	}
	if (rmdir(c->folder))
		sc_warn("cannot remove %s: %s", c->folder, strerror(errno));
	sc_collect_forget(c);
}
