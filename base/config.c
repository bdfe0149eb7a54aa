/* Configuration: where the file is, whether it is to be trusted, and what it holds. */
#include "base/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "base/raw.h"

static bool is_ours(const struct stat *status)
{
	long user = sc_raw(SYS_geteuid, 0, 0, 0, 0, 0, 0);

	return status->st_uid == (uid_t)user || !status->st_uid;
}

/* A link decides, too, which file is read; its mode says nothing. */
static bool is_trusted(const char *path, const struct stat *status)
{
	struct stat link = {0};

	return !sc_raw(SYS_newfstatat, (uint64_t)AT_FDCWD, (uint64_t)path, (uint64_t)&link,
		       AT_SYMLINK_NOFOLLOW, 0, 0) &&
	       is_ours(&link) && is_ours(status) && !(status->st_mode & S_IWOTH);
}

static long open_file(const char *path, struct stat *status)
{
	long fd = sc_raw(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)path,
			 O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0);
	long err = fd < 0 ? fd : sc_raw(SYS_fstat, (uint64_t)fd, (uint64_t)status, 0, 0, 0, 0);

	if (!err && !S_ISREG(status->st_mode))
		err = -EINVAL;
	if (err < 0 && fd >= 0)
		sc_raw(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	return err < 0 ? err : fd;
}

/* Whether the file is there: 1, 0, or -EPERM. */
static int check(const char *path)
{
	struct stat status = {0};
	long fd = open_file(path, &status);

	if (fd < 0)
		return fd == -EACCES ? -EPERM : 0;
	sc_raw(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	return is_trusted(path, &status) ? 1 : -EPERM;
}

/* The nearest one upwards from the current folder. */
static int find(char out[PATH_MAX])
{
	long bytes = sc_raw(SYS_getcwd, (uint64_t)out, PATH_MAX, 0, 0, 0, 0);
	size_t name = strlen("/" SC_CONFIG_NAME), folder;

	if (bytes <= 0 || *out != '/')
		return 0;
	for (folder = strcmp(out, "/") ? strlen(out) : 0;; folder--) {
		int found = 0;

		if (folder + name < PATH_MAX) {
			memcpy(out + folder, "/" SC_CONFIG_NAME, name + 1);
			found = check(out);
		}
		if (found || !folder)
			return found;
		while (folder && out[folder - 1] != '/')
			folder--;
	}
}

int sc_config_choose(const struct sc_options *o, char out[PATH_MAX])
{
	if (!strcmp(o->config, "none"))
		return 0;
	if (!*o->config)
		return find(out);
	memcpy(out, o->config, strlen(o->config) + 1);
	return 1;
}

static long read_all(long fd, char *text, size_t room)
{
	size_t all = 0;

	while (all < room) {
		long got =
			sc_raw(SYS_read, (uint64_t)fd, (uint64_t)(text + all), room - all, 0, 0, 0);

		if (got == -EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? got : (long)all;
		all += (size_t)got;
	}
	return (long)all;
}

static int fail(char *message, size_t bytes, const char *path, const char *why, long err)
{
	if (bytes)
		snprintf(message, bytes, "%s: %s", path, why);
	return (int)err;
}

static int read_into(struct sc_options *o, long fd, struct sc_config_file file, char *text,
		     char *message, size_t bytes)
{
	const char *path = file.name, *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".";
	long got = read_all(fd, text, SC_CONFIG_MAX + 1);

	if (got < 0)
		return fail(message, bytes, path, "cannot be read", got);
	if (got > SC_CONFIG_MAX)
		return fail(message, bytes, path, "has more than 64 KiB", -EFBIG);
	if (slash) {
		memcpy(folder, path, (size_t)(slash - path));
		folder[slash - path] = '\0';
	}
	file.folder = folder;
	return sc_config_parse(o, &file, text, (size_t)got, message, bytes);
}

int sc_config_read(struct sc_options *o, const char *path, bool is_named, char *message,
		   size_t bytes)
{
	const struct sc_config_file file = {.name = path, .is_named = is_named};
	uint64_t room = SC_CONFIG_MAX + 1;
	struct stat status = {0};
	long fd = strlen(path) < PATH_MAX ? open_file(path, &status) : -ENAMETOOLONG, at;
	int err;

	if (fd < 0)
		return fail(message, bytes, path,
			    fd == -ENOENT   ? "there is no such file"
			    : fd == -EINVAL ? "is not a file"
					    : "cannot be opened",
			    fd);
	at = sc_raw(SYS_mmap, 0, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    ~UINT64_C(0), 0);
	if (at < 0 && at >= -4095) {
		err = fail(message, bytes, path, "there is no memory to read it", at);
	} else {
		err = read_into(o, fd, file, (char *)at, message, bytes);
		sc_raw(SYS_munmap, (uint64_t)at, room, 0, 0, 0, 0);
	}
	sc_raw(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
	return err;
}

/* The options of the environment, and what is wrong with them. */
static int add_environment(struct sc_options *o, const char *text, char *message, size_t bytes)
{
	static const char name[] = "STREAMCHECK_OPTIONS: ";
	size_t used = strlen(name) < bytes ? strlen(name) : 0;
	int err;

	if (used)
		strcpy(message, name);
	err = sc_options_parse(o, text, message + used, bytes - used);
	if (!err && bytes)
		*message = '\0';
	return err;
}

int sc_config_load(struct sc_options *o, const char *environment, char *message, size_t bytes)
{
	char path[PATH_MAX];
	int err, last, is_there;
	bool is_named;

	sc_options_init(o);
	last = environment ? add_environment(o, environment, message, bytes) : 0;
	is_there = sc_config_choose(o, path);
	if (is_there < 0)
		fail(message, last ? 0 : bytes, path,
		     "is not read: another user may write it; --config=FILE reads it", 0);
	if (is_there <= 0)
		return last;
	is_named = *o->config;
	sc_options_init(o);
	err = sc_config_read(o, path, is_named, message, bytes);
	if (environment && last)
		add_environment(o, environment, message, bytes);
	else if (environment)
		sc_options_parse(o, environment, NULL, 0);
	if (strlen(path) < sizeof(o->config))
		strcpy(o->config, path);
	return last ? last : err;
}
