/* Output: where a report goes, whole or not at all. */
#ifndef SC_REPORTS_OUTPUT_H
#define SC_REPORTS_OUTPUT_H

#include "base/buf.h"

/* Replaces the file `path` by the text: a temporary file beside it, then a rename. What is no
 * regular file (a pipe, /dev/null) is written to directly. Returns 0 or -errno. */
int sc_output_write_file(const char *path, const struct sc_buf *text);
/* Writes to a descriptor, in as few calls as it takes. Returns 0 or -errno. */
int sc_output_write_fd(int fd, const struct sc_buf *text);

#endif
