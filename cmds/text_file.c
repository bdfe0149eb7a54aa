/* Text file: read up to a limit, so that a device or a huge file cannot fill the memory. */
#include "cmds/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int sc_text_file_read(const char *path, char **text, size_t *bytes)
{
	FILE *file = fopen(path, "re");
	int err = 0;

	*text = NULL;
	*bytes = 0;
	if (!file)
		return -errno;
	*text = malloc(SC_TEXT_FILE_MAX + 1);
	if (*text)
		*bytes = fread(*text, 1, SC_TEXT_FILE_MAX + 1, file);
	if (!*text)
		err = -ENOMEM;
	else if (ferror(file))
		err = errno ? -errno : -EIO;
	else if (*bytes > SC_TEXT_FILE_MAX)
		err = -EFBIG;
	else
		(*text)[*bytes] = '\0';
	fclose(file);
	if (err)
		free(*text);
	return err;
}
