/* Output: reports reach their file by a rename, so nobody ever reads half of one. */
#include "reports/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int sc_output_write_fd(int fd, const struct sc_buf *text)
{
	const char *at = sc_buf_text(text);
	size_t left = text->bytes;

	while (left) {
		ssize_t done = write(fd, at, left);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		at += done;
		left -= (size_t)done;
	}
	return 0;
}

/* Some file systems tell only at close that there was no room. */
static int write_and_close(int fd, const struct sc_buf *text)
{
	int err = sc_output_write_fd(fd, text);

	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int write_directly(const char *path, const struct sc_buf *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : write_and_close(fd, text);
}

static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int write_beside(const char *path, mode_t mode, const struct sc_buf *text)
{
	char temporary[PATH_MAX];
	int fd, err;

	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary))
		return -ENAMETOOLONG;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = fchmod(fd, mode) ? -errno : 0;
	if (err)
		close(fd);
	else
		err = write_and_close(fd, text);
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	return err;
}

int sc_output_write_file(const char *path, const struct sc_buf *text)
{
	char target[PATH_MAX];
	struct stat status;

	/* A link stays a link: its target is what gets replaced. */
	if (!realpath(path, target))
		return errno == ENOENT ? write_beside(path, usual_mode(), text) : -errno;
	if (stat(target, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return write_directly(target, text);
	return write_beside(target, status.st_mode & 0777, text);
}
