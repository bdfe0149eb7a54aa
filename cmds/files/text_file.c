/* Text file: read up to a limit, so that a device or a huge file cannot fill the memory. */
#include "cmds/files/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define CHUNK ((size_t)64 << 10)

/* Makes room for a chunk more, and a terminator. Returns 0 or -ENOMEM. */
static int grow(char **text, size_t bytes, size_t *room)
{
	size_t wanted = *room * 2 > bytes + CHUNK ? *room * 2 : bytes + CHUNK;
	char *grown;

	if (*room - bytes >= CHUNK)
		return 0;
	grown = realloc(*text, wanted + 1);
	if (!grown)
		return -ENOMEM;
	*text = grown;
	*room = wanted;
	return 0;
}

static int read_all(FILE *file, size_t most, char **text, size_t *bytes)
{
	size_t room = 0, got = 1;
	int err;

	while (got && *bytes <= most) {
		err = grow(text, *bytes, &room);
		if (err)
			return err;
		got = fread(*text + *bytes, 1, CHUNK, file);
		*bytes += got;
	}
	if (ferror(file))
		return errno ? -errno : -EIO;
	if (*bytes > most)
		return -EFBIG;
	(*text)[*bytes] = '\0';
	return 0;
}

int sc_text_file_read_most(const char *path, size_t most, char **text, size_t *bytes)
{
	FILE *file = fopen(path, "re");
	int err;

	*text = NULL;
	*bytes = 0;
	if (!file)
		return -errno;
	err = read_all(file, most, text, bytes);
	fclose(file);
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}

int sc_text_file_read(const char *path, char **text, size_t *bytes)
{
	return sc_text_file_read_most(path, SC_TEXT_FILE_MAX, text, bytes);
}
