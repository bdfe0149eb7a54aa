/* /proc/self/maps and /proc/PID/status, read without a heap; also in signal handlers. */
#include "interposer/core/maps.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include "interposer/core/raw.h"

/* By system call: the functions of libc are wrapped by this library. */
static int open_file(const char *path)
{
	return (int)sc_raw(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)path, O_RDONLY | O_CLOEXEC, 0,
			   0, 0);
}

static ssize_t read_file(int fd, char *to, size_t bytes)
{
	return sc_raw(SYS_read, (uint64_t)fd, (uint64_t)to, bytes, 0, 0, 0);
}

static uint64_t take_hex(const char **at)
{
	uint64_t value = 0;

	for (;; (*at)++) {
		char c = **at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			return value;
	}
}

/* Calls `visit` for each line of the file until it returns true. */
static void each_line(const char *path, bool (*visit)(void *, const char *), void *context)
{
	int fd = open_file(path);
	char text[2048], line[128];
	size_t length = 0;
	bool is_done = fd < 0;
	ssize_t got;

	while (!is_done && (got = read_file(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; !is_done && i < got; i++) {
			if (text[i] != '\n') {
				if (length < sizeof(line) - 1)
					line[length++] = text[i];
				continue;
			}
			line[length] = 0;
			length = 0;
			is_done = visit(context, line);
		}
	}
	if (fd >= 0)
		sc_raw(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}

struct mapping {
	uint64_t start, end;
	const char *rest; /* " rwxp offset device inode path" */
};

static bool read_mapping(struct mapping *m, const char *line)
{
	m->start = take_hex(&line);
	if (*line++ != '-')
		return false;
	m->end = take_hex(&line);
	m->rest = line;
	return true;
}

struct question {
	uint64_t at, end; /* what is not yet known to be plain */
	bool is_plain;
};

static bool visit_plain(void *context, const char *line)
{
	struct question *q = context;
	struct mapping m;

	if (!read_mapping(&m, line) || m.end <= q->at)
		return false;
	if (m.start > q->at || strncmp(m.rest, " rw-", 4) != 0)
		return true;
	q->at = m.end;
	q->is_plain = q->at >= q->end;
	return q->is_plain;
}

bool sc_maps_is_plain(uint64_t start, uint64_t bytes)
{
	struct question q = {.at = start, .end = start + bytes};

	each_line("/proc/self/maps", visit_plain, &q);
	return q.is_plain;
}

struct segment {
	uint64_t start, end;
	char file[64]; /* device and inode */
};

/* What follows " rwxp offset": device and inode. */
static const char *file_of(const char *rest)
{
	for (unsigned spaces = 0; *rest; rest++) {
		if (*rest == ' ' && ++spaces == 3)
			return rest;
	}
	return rest;
}

/* What follows " rwxp ". */
static uint64_t offset_of(const char *rest)
{
	rest += strnlen(rest, 6);
	return take_hex(&rest);
}

/* The same segment may be attached a second time right after the first: then its offset begins
 * anew. */
static bool visit_segment(void *context, const char *line)
{
	struct segment *s = context;
	struct mapping m;

	if (!read_mapping(&m, line) || m.end <= s->start)
		return false;
	if (s->end == s->start && m.start == s->start)
		strncpy(s->file, file_of(m.rest), sizeof(s->file) - 1);
	else if (m.start != s->end || offset_of(m.rest) != m.start - s->start ||
		 strncmp(file_of(m.rest), s->file, strlen(s->file)) != 0)
		return true;
	s->end = m.end;
	return false;
}

uint64_t sc_maps_segment(uint64_t start)
{
	struct segment s = {.start = start, .end = start};

	each_line("/proc/self/maps", visit_segment, &s);
	return s.end - s.start;
}

bool sc_maps_is_traced(void)
{
	static const char key[] = "\nTracerPid:\t";
	int fd = open_file("/proc/self/status");
	char text[1024], *found;
	ssize_t got = fd < 0 ? 0 : read_file(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		sc_raw(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	if (got <= 0)
		return false;
	text[got] = 0;
	found = strstr(text, key);
	return found && found[sizeof(key) - 1] != '0';
}

/* What a line "Key:\tvalue" has as its value; NULL: it is another. */
static const char *value_of(const char *line, const char *key)
{
	size_t bytes = strlen(key);

	return strncmp(line, key, bytes) ? NULL : line + bytes + strspn(line + bytes, ":\t ");
}

static int take_number(const char *text)
{
	int value = 0;

	for (; *text >= '0' && *text <= '9' && value < INT_MAX / 10; text++)
		value = value * 10 + (*text - '0');
	return value;
}

/* Of a process: its parent, and the signals that it has something of its own for. */
struct status {
	int parent;
	uint64_t handled;
	bool has_ignored, has_caught;
};

static bool visit_status(void *context, const char *line)
{
	struct status *s = context;
	const char *parent = value_of(line, "PPid"), *ignored = value_of(line, "SigIgn"),
		   *caught = value_of(line, "SigCgt");

	if (parent)
		s->parent = take_number(parent);
	if (ignored || caught)
		s->handled |= take_hex(ignored ? &ignored : &caught);
	s->has_ignored |= ignored != NULL;
	s->has_caught |= caught != NULL;
	return s->has_ignored && s->has_caught;
}

/* Signals that end a process that does nothing about them. */
static bool is_deadly(int number)
{
	return number > 0 && number <= 64 && number != SIGCHLD && number != SIGCONT &&
	       number != SIGURG && number != SIGWINCH && number != SIGSTOP && number != SIGTSTP &&
	       number != SIGTTIN && number != SIGTTOU;
}

bool sc_maps_is_ended_by(int process, int number, bool is_child)
{
	struct status s = {0};
	char path[32];

	if (process <= 1 || !is_deadly(number))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/status", process);
	each_line(path, visit_status, &s);
	if (is_child && s.parent != (int)sc_raw(SYS_getpid, 0, 0, 0, 0, 0, 0))
		return false;
	return s.has_ignored && s.has_caught && !(s.handled >> (number - 1) & 1);
}

struct children {
	int *out;
	unsigned count, most;
};

static void take_child(struct children *c, int child)
{
	if (c->count < c->most && child > 0)
		c->out[c->count++] = child;
}

/* Those of a thread: numbers with blanks in between. */
static void take_children_of(struct children *c, const char *process, const char *thread)
{
	char path[80], text[512];
	int fd, child = 0;
	ssize_t got;

	snprintf(path, sizeof(path), "%s/task/%.20s/children", process, thread);
	fd = open_file(path);
	while (fd >= 0 && (got = read_file(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < got; i++) {
			bool is_digit = text[i] >= '0' && text[i] <= '9';

			if (!is_digit)
				take_child(c, child);
			child = is_digit && child < INT_MAX / 10 ? child * 10 + (text[i] - '0') : 0;
		}
	take_child(c, child);
	if (fd >= 0)
		sc_raw(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}

/* Each thread has children of its own. */
static void take_children(struct children *c, const char *process)
{
	_Alignas(struct dirent64) char room[1024];
	char path[40];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/task", process);
	fd = open_file(path);
	while (fd >= 0 && (got = sc_raw(SYS_getdents64, (uint64_t)fd, (uint64_t)room, sizeof(room),
					0, 0, 0)) > 0)
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *entry = (const struct dirent64 *)(room + at);

			if (*entry->d_name != '.')
				take_children_of(c, process, entry->d_name);
			at += entry->d_reclen;
		}
	if (fd >= 0)
		sc_raw(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}

unsigned sc_maps_descendants(int *out, unsigned most, int group)
{
	struct children c = {.out = out, .most = most};
	long wanted = group ? group : sc_raw(SYS_getpgid, 0, 0, 0, 0, 0, 0);
	unsigned kept = 0;
	char process[24];

	take_children(&c, "/proc/self");
	for (unsigned i = 0; i < c.count; i++) {
		snprintf(process, sizeof(process), "/proc/%d", out[i]);
		take_children(&c, process);
	}
	for (unsigned i = 0; i < c.count; i++)
		if (sc_raw(SYS_getpgid, (uint64_t)out[i], 0, 0, 0, 0, 0) == wanted)
			out[kept++] = out[i];
	return kept;
}

static bool visit_process(void *context, const char *line)
{
	const char *process = value_of(line, "Pid");

	if (process)
		*(int *)context = take_number(process);
	return process != NULL;
}

int sc_maps_process_of(int fd)
{
	int process = 0;
	char path[40];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	each_line(path, visit_process, &process);
	return process;
}
