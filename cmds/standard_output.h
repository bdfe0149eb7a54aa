/* Printing to standard output, where an error is an error. */
#pragma once

#include "base/buf.h"

/* Writes the text to standard output and frees it; returns 0, or ends the tool if it cannot. A
 * reader that went away (a closed pipe) is no error. */
int sc_print_and_free(struct sc_buf *text);
