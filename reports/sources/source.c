/* Source: a line of a file that may be missing, huge, or no text at all. */
#include "reports/sources/source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/message.h"
#include "reports/utf8.h"

#define FILE_MAX  (64 << 20) /* bytes of the largest file looked into */
#define LOOKED_AT (1 << 20)  /* bytes that must be text */
#define YEAR_S	  31556952
#define TRUE_S	  (INT64_C(20) * YEAR_S) /* builds that set their times use dates before 1990 */

static void add_root(struct sc_sources *s, const char *path)
{
	if (!realpath(path, s->roots[s->count]))
		sc_warn("source-root: cannot find %s: %s", path, strerror(errno));
	else
		s->count++;
}

void sc_sources_init(struct sc_sources *s, const struct sc_options *o, bool is_own)
{
	*s = (struct sc_sources){.is_off = !o->sources, .is_own = is_own};
	if (getcwd(s->roots[0], PATH_MAX) && strcmp(s->roots[0], "/") != 0)
		s->count = 1;
	for (unsigned i = 0; i < o->source_root.count; i++)
		add_root(s, o->source_root.text[i]);
}

/* What of a path is below the folder, with its slash, or NULL. */
static const char *below(const char *path, const char *root)
{
	size_t bytes = strcmp(root, "/") != 0 ? strlen(root) : 0;

	return !strncmp(path, root, bytes) && path[bytes] == '/' ? path + bytes : NULL;
}

/* That a file is not there, or may not be read, is usual. */
static void note(struct sc_sources *s, int error)
{
	static const int odd[] = {EIO, EINTR, EMFILE, ENFILE, ENOMEM};

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		if (error == odd[i])
			s->error = error;
}

/* True if the open file, wherever links led to, lies where sources of a foreign trace are. Hidden
 * files are keys and settings rather than sources. */
static bool is_in_tree(struct sc_sources *s, int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t bytes;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	bytes = readlink(link, path, sizeof(path) - 1);
	if (bytes <= 0) {
		note(s, errno);
		return 0;
	}
	path[bytes] = '\0';
	for (unsigned i = 0; i < s->count; i++) {
		const char *rest = below(path, s->roots[i]);

		if (rest && !strstr(rest, "/."))
			return 1;
	}
	return 0;
}

/* A file that the kernel makes up may look regular, but it describes this machine. */
static bool is_made_up(struct sc_sources *s, int fd)
{
	static const long kernels[] = {PROC_SUPER_MAGIC,   SYSFS_MAGIC,		DEBUGFS_MAGIC,
				       TRACEFS_MAGIC,	   SECURITYFS_MAGIC,	SELINUX_MAGIC,
				       CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,
				       EFIVARFS_MAGIC,	   PSTOREFS_MAGIC};
	struct statfs system;

	if (fstatfs(fd, &system)) {
		note(s, errno);
		return 1;
	}
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if ((long)system.f_type == kernels[i])
			return 1;
	return 0;
}

static bool is_text(int fd)
{
	char part[4096];
	off_t at = 0;
	ssize_t got;

	while (at < LOOKED_AT && (got = pread(fd, part, sizeof(part), at)) > 0) {
		if (memchr(part, '\0', (size_t)got))
			return 0;
		at += got;
	}
	return 1;
}

/* A path of a trace may name anything. */
FILE *sc_source_open(struct sc_sources *s, const char *path)
{
	struct stat status;
	FILE *file;
	int fd;

	if (!s || s->is_off || *path != '/')
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		note(s, errno);
		return NULL;
	}
	if (fstat(fd, &status)) {
		note(s, errno);
	} else if (S_ISREG(status.st_mode) && status.st_size <= FILE_MAX && !is_made_up(s, fd)) {
		bool may = s->is_own || is_in_tree(s, fd);

		s->passed_over += !may;
		if (may && is_text(fd)) {
			file = fdopen(fd, "r");
			if (file)
				return file;
			note(s, errno);
		}
	}
	close(fd);
	return NULL;
}

bool sc_source_close(struct sc_sources *s, FILE *file)
{
	bool has_failed = ferror(file) != 0;

	if (has_failed)
		s->error = EIO;
	fclose(file);
	return !has_failed;
}

/* When a regular file was changed, or 0. */
static struct timespec changed(const char *path)
{
	struct stat status;

	if (*path != '/' || stat(path, &status) || !S_ISREG(status.st_mode))
		return (struct timespec){0};
	return status.st_mtim;
}

bool sc_source_is_newer(const char *path, const char *module)
{
	struct timespec source = changed(path), built = changed(module);

	if (built.tv_sec < TRUE_S)
		return 0;
	return source.tv_sec != built.tv_sec ? source.tv_sec > built.tv_sec
					     : source.tv_nsec > built.tv_nsec;
}

/* The line in memory of its own, or NULL. */
static char *read_line(FILE *file, unsigned number)
{
	char *line = NULL;
	size_t room = 0;

	for (unsigned i = 0; i < number; i++)
		if (getline(&line, &room, file) < 0) {
			free(line);
			return NULL;
		}
	return line;
}

static char *trimmed(char *line)
{
	size_t bytes;

	line += strspn(line, " \t");
	bytes = strlen(line);
	while (bytes && strchr(" \t\r\n", line[bytes - 1]))
		bytes--;
	line[bytes] = '\0';
	for (char *tab = line; (tab = strchr(tab, '\t'));)
		*tab = ' ';
	return line;
}

bool sc_source_line(struct sc_buf *out, struct sc_sources *s, const char *path, unsigned number,
		    unsigned columns)
{
	FILE *file = sc_source_open(s, path);
	char *line;

	if (!file)
		return 0;
	line = read_line(file, number);
	sc_source_close(s, file);
	if (!line)
		return 0;
	sc_utf8_add_cut(out, trimmed(line), columns);
	free(line);
	return 1;
}
