/* Command line: the words that this process was started with, as a shell takes them. */
#pragma once

#include <stddef.h>

/* Writes them with a blank in between, without a zero; what does not fit ends in "…". Returns the
 * number of bytes; 0: they cannot be read. Allocates nothing. */
size_t sc_command_line_read(char *out, size_t room);
/* The same of `count` bytes in which a zero stands between words. */
size_t sc_command_line_quote(char *out, size_t room, const char *words, size_t count);
