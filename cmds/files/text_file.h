/* Text file: a small file that the user names, read whole. */
#pragma once

#include <stddef.h>

#define SC_TEXT_FILE_MAX (4 << 20) /* bytes; a longer file is no file of ours */

/* Reads the file; *text (to be freed) is terminated. Returns 0 or -errno. */
int sc_text_file_read(const char *path, char **text, size_t *bytes);
/* The same of a file that may have up to `most` bytes. */
int sc_text_file_read_most(const char *path, size_t most, char **text, size_t *bytes);
