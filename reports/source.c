/* Source: a line of a file that may be missing, huge, or no text at all. */
#include "reports/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "reports/utf8.h"

#define FILE_MAX (64 << 20) /* bytes of the largest file looked into */

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
