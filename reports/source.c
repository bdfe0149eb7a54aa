/* Source: a line of a file that may be missing, huge, or no text at all. */
#include "reports/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "reports/utf8.h"

#define FILE_MAX (64 << 20) /* bytes of the largest file looked into */
#define YEAR_S	 31556952
#define TRUE_S	 (INT64_C(20) * YEAR_S) /* builds that set their times use dates before 1990 */

/* A path of a trace may name anything: only a regular file is opened, and without waiting. */
FILE *sc_source_open(const char *path)
{
	int fd = *path != '/' ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size <= FILE_MAX)
		return fdopen(fd, "r");
	close(fd);
	return NULL;
}

/* When a regular file was changed, or 0. */
static struct timespec changed(const char *path)
{
	struct stat status;

	if (*path != '/' || stat(path, &status) || !S_ISREG(status.st_mode))
		return (struct timespec){0};
	return status.st_mtim;
}

_Bool sc_source_is_newer(const char *path, const char *module)
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

_Bool sc_source_line(struct sc_buf *out, const char *path, unsigned number, unsigned columns)
{
	FILE *file = sc_source_open(path);
	char *line;

	if (!file)
		return 0;
	line = read_line(file, number);
	fclose(file);
	if (!line)
		return 0;
	sc_utf8_add_cut(out, trimmed(line), columns);
	free(line);
	return 1;
}
