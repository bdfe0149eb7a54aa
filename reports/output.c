/* Output: reports reach their file by a rename, so nobody ever reads half of one. */
#include "reports/output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 8   /* followed on the way to a file */
#define TRIES_MAX 100 /* names that are taken */

int sc_output_write_bytes(int fd, const void *data, size_t bytes)
{
	const char *at = data;

	while (bytes) {
		ssize_t done = write(fd, at, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		at += done;
		bytes -= (size_t)done;
	}
	return 0;
}

int sc_output_write_fd(int fd, const struct sc_buf *text)
{
	return sc_output_write_bytes(fd, sc_buf_text(text), text->bytes);
}

/* ---- where it goes ---- */

/* True if nobody but the user and root can have put this file there. */
static bool is_trusted(const struct stat *status)
{
	return status->st_uid == geteuid() || status->st_uid == 0;
}

/* A link of the kernel's, which leads to what is open, and not to a name. */
static bool is_magic(int link)
{
	struct statfs system;

	return !fstatfs(link, &system) && system.f_type == PROC_SUPER_MAGIC;
}

/* Where the name begins in a path. */
static size_t folder_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Takes one step along the link that `path` is. Returns 1 if it did, 0 at the end, or -errno. */
static int step(char path[PATH_MAX])
{
	int link = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), err = 0;
	char text[PATH_MAX];
	struct stat status;
	size_t folder;
	ssize_t bytes;

	if (link < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(link, &status))
		err = -errno;
	else if (S_ISLNK(status.st_mode) && is_trusted(&status) && !is_magic(link))
		err = 1;
	bytes = err == 1 ? readlinkat(link, "", text, sizeof(text) - 1) : 0;
	close(link);
	if (err != 1)
		return err;
	folder = bytes > 0 && *text == '/' ? 0 : folder_bytes(path);
	if (bytes <= 0 || folder + (size_t)bytes >= PATH_MAX)
		return bytes < 0 ? -errno : -ENAMETOOLONG;
	memcpy(path + folder, text, (size_t)bytes);
	path[folder + (size_t)bytes] = '\0';
	return 1;
}

/* Opens the folder of the path, and finds the name in it. */
static int open_folder(struct sc_output *o)
{
	size_t bytes = folder_bytes(o->path);
	char folder[PATH_MAX] = ".";

	o->name = o->path + bytes;
	if (bytes) {
		memcpy(folder, o->path, bytes);
		folder[bytes] = '\0';
	}
	if (!*o->name)
		return *o->path ? -EISDIR : -ENOENT;
	o->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return o->folder < 0 ? -errno : 0;
}

/* Finds the folder, what is there (zeros: nothing), and whether that is written to directly. */
static int find(struct sc_output *o, const char *path, struct stat *status, bool *is_direct)
{
	int links = 0, more, err;

	*o = (struct sc_output){.fd = -1, .folder = -1};
	*status = (struct stat){0};
	if (snprintf(o->path, sizeof(o->path), "%s", path) >= (int)sizeof(o->path))
		return -ENAMETOOLONG;
	while ((more = step(o->path)) > 0)
		if (++links > LINKS_MAX)
			return -ELOOP;
	err = more ? more : open_folder(o);
	if (err)
		return err;
	if (fstatat(o->folder, o->name, status, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	*is_direct = is_trusted(status) && !S_ISREG(status->st_mode);
	return S_ISDIR(status->st_mode) ? -EISDIR : 0;
}

static void close_folder(struct sc_output *o)
{
	if (o->folder >= 0)
		close(o->folder);
	o->folder = -1;
}

int sc_output_check(const char *path)
{
	bool is_direct = 0;
	struct sc_output o;
	struct stat status;
	int err = find(&o, path, &status, &is_direct);

	if (!err &&
	    faccessat(o.folder, is_direct ? o.name : ".", is_direct ? W_OK : W_OK | X_OK, 0))
		err = -errno;
	close_folder(&o);
	return err;
}

int sc_output_open_in_place(const char *path, int flags)
{
	bool is_direct = 0;
	struct sc_output o;
	struct stat status;
	int err = find(&o, path, &status, &is_direct), fd;

	if (!err && status.st_mode && !is_trusted(&status))
		err = -EPERM;
	if (err) {
		close_folder(&o);
		return err;
	}
	/* only links of the kernel are left that lead somewhere */
	fd = openat(o.folder, o.name,
		    flags | O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC |
			    (S_ISLNK(status.st_mode) ? 0 : O_NOFOLLOW),
		    0666);
	err = fd < 0 ? -errno : 0;
	close_folder(&o);
	return err ? err : fd;
}

/* ---- on its way ---- */

static mode_t mask(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return mask;
}

static int make_temporary(struct sc_output *o, mode_t mode)
{
	for (int i = 0; i < TRIES_MAX && o->fd < 0; i++) {
		unsigned number;

		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -EIO;
		snprintf(o->temporary, sizeof(o->temporary), "%.200s.%08x", o->name, number);
		o->fd = openat(o->folder, o->temporary,
			       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (o->fd < 0 && errno != EEXIST)
			break;
	}
	if (o->fd < 0)
		return -errno;
	return fchmod(o->fd, mode) ? -errno : 0;
}

/* Opens what is no regular file. Only the kernel's links are left here; one may lead to a file that
 * others write, too, as standard output does. */
static int open_directly(struct sc_output *o, bool is_link)
{
	struct stat status;

	o->fd = openat(o->folder, o->name,
		       O_WRONLY | O_CLOEXEC | O_NOCTTY | (is_link ? O_APPEND : O_NOFOLLOW));
	close_folder(o);
	if (o->fd < 0 || fstat(o->fd, &status))
		return -errno;
	return is_link || !S_ISREG(status.st_mode) ? 0 : -EAGAIN; /* exchanged just now */
}

int sc_output_open(struct sc_output *o, const char *path, mode_t mode)
{
	bool is_direct = 0;
	struct stat status;
	int err = find(o, path, &status, &is_direct);

	if (!err && is_direct) {
		err = open_directly(o, S_ISLNK(status.st_mode));
	} else if (!err) {
		bool is_ours = S_ISREG(status.st_mode) && status.st_uid == geteuid();

		err = make_temporary(o, is_ours ? status.st_mode & 0777 : mode & ~mask());
	}
	if (err)
		sc_output_drop(o);
	return err;
}

void sc_output_drop(struct sc_output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	if (o->fd >= 0 && o->folder >= 0)
		unlinkat(o->folder, o->temporary, 0);
	o->fd = -1;
	close_folder(o);
}

static int replace(const struct sc_output *o)
{
	return renameat(o->folder, o->temporary, o->folder, o->name) ? -errno : 0;
}

/* Replaces what is there now, if it is old. Others that find the same old file there wait for the
 * lock, and then find another one. Returns 1 if the place has changed meanwhile. */
static int replace_old(const struct sc_output *o)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int old = openat(o->folder, o->name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat before = {0}, now;
	bool is_same = 0;
	int err = 0;

	/* nobody else can hold the lock of what only its owner can write */
	if (old >= 0 && !fstat(old, &before) && before.st_uid == geteuid() &&
	    !(before.st_mode & 0022))
		fcntl(old, F_OFD_SETLKW, &whole);
	if (fstatat(o->folder, o->name, &now, AT_SYMLINK_NOFOLLOW))
		err = errno == ENOENT ? 1 : -errno;
	else
		is_same = now.st_ino == before.st_ino && now.st_dev == before.st_dev;
	if (!err && sc_run_wrote(o->keeps, is_same ? old : -1, &now))
		err = -EEXIST;
	else if (old >= 0 && !is_same)
		err = 1;
	if (!err)
		err = replace(o);
	if (old >= 0)
		close(old);
	return err;
}

static int put(const struct sc_output *o)
{
	int err = 1;

	for (int i = 0; o->keeps && err == 1 && i < TRIES_MAX; i++) {
		if (!linkat(o->folder, o->temporary, o->folder, o->name, 0)) {
			unlinkat(o->folder, o->temporary, 0);
			return 0;
		}
		if (errno != EEXIST) /* a file system without such links */
			break;
		err = replace_old(o);
	}
	return err == 1 ? replace(o) : err;
}

int sc_output_close(struct sc_output *o)
{
	int err = 0;

	if (o->folder < 0) { /* directly */
		err = close(o->fd) ? -errno : 0;
		o->fd = -1;
		return err;
	}
	/* Some file systems report only at close that there was no room. */
	if (close(o->fd))
		err = -errno;
	o->fd = -1;
	if (!err)
		err = put(o);
	if (err)
		unlinkat(o->folder, o->temporary, 0);
	close_folder(o);
	return err;
}

int sc_output_write_file(const char *path, const struct sc_buf *text,
			 const struct sc_run_start *keeps)
{
	struct sc_output o;
	int err = sc_output_open(&o, path, 0666);

	if (err)
		return err;
	o.keeps = keeps;
	if (keeps)
		sc_run_sign(o.fd, keeps);
	err = sc_output_write_fd(o.fd, text);
	if (!err)
		return sc_output_close(&o);
	sc_output_drop(&o);
	return err;
}
