/* Output: where a report goes, whole or not at all.
 *
 * A file is made under another name in the folder, which is opened once, and then renamed. A link
 * at its place is followed only if it is the user's own or root's: into a shared folder anybody can
 * put one. So are pipes and devices written to directly; anything else there is replaced.
 */
#pragma once

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"
#include "base/run_start.h"

/* A file on its way to its place. */
struct sc_output {
	int fd;		     /* owned: what is written to; -1: none */
	int folder;	     /* owned; -1: written to directly */
	char path[PATH_MAX]; /* where links led */
	const char *name;    /* in the path: of the file in its folder */
	char temporary[NAME_MAX + 1];
	const struct sc_run_start *keeps; /* borrowed: what that run wrote stays; NULL: nothing */
};

/* Opens the file that becomes `path`, with the mode of a file of the user's that it replaces, else
 * `mode` less the umask. Returns 0 or -errno. */
int sc_output_open(struct sc_output *o, const char *path, mode_t mode);
/* Closes it, and puts it into its place. Returns 0, -EEXIST if what is there stays, or -errno;
 * no temporary file remains after an error. */
int sc_output_close(struct sc_output *o);
/* Closes it, and takes it away again. */
void sc_output_drop(struct sc_output *o);

/* All of it: replaces the file `path` by the text, unless the run `keeps` wrote it (NULL:
 * always). Returns 0 or -errno, -EEXIST if it stays as it is. */
int sc_output_write_file(const char *path, const struct sc_buf *text,
			 const struct sc_run_start *keeps);
/* Opens a file that is written to where it is, or made there: what others put at its place is
 * refused (-EPERM, -ELOOP). `flags` of open: how it is written. Returns a descriptor, or -errno. */
int sc_output_open_in_place(const char *path, int flags);
/* Whether there is a folder in which `path` could be written. Returns 0 or -errno. */
int sc_output_check(const char *path);
/* Writes to a descriptor, in as few calls as it takes. Returns 0 or -errno. */
int sc_output_write_fd(int fd, const struct sc_buf *text);
int sc_output_write_bytes(int fd, const void *data, size_t bytes);
