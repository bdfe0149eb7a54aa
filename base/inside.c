/* Paths that stay in a folder. */
#include "base/inside.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/option.h"
#include "base/raw.h"

/* True if a part of the path is "..". */
static bool has_dots(const char *path)
{
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
			return true;
	}
	return false;
}

static bool is_link(const char *path)
{
	struct stat status = {0};

	return !sc_raw(SYS_newfstatat, (uint64_t)AT_FDCWD, (uint64_t)path, (uint64_t)&status,
		       AT_SYMLINK_NOFOLLOW, 0, 0) &&
	       S_ISLNK(status.st_mode);
}

/* True if one of the names after the first `trusted` bytes is that of a link. */
static bool leads_away(char *path, size_t trusted)
{
	for (char *end = path + trusted + 1; end[-1]; end++) {
		char c = *end;

		if (c && c != '/')
			continue;
		*end = '\0';
		if (is_link(path))
			return true;
		*end = c;
		if (!c)
			break;
	}
	return false;
}

bool sc_inside(const char *folder, const char *from, const char *pattern)
{
	char name[SC_OPTION_TEXT_BYTES], path[PATH_MAX];
	size_t trusted = strlen(folder);

	if (!strcmp(pattern, "-"))
		return true;
	if (strstr(pattern, "%q") ||
	    sc_options_expand(pattern, (int)sc_raw(SYS_getpid, 0, 0, 0, 0, 0, 0), name,
			      sizeof(name)) ||
	    has_dots(name) || has_dots(pattern))
		return false;
	if (*name == '/') {
		snprintf(path, sizeof(path), "%s", name);
		return !strncmp(name, folder, trusted) && name[trusted] == '/' &&
		       !leads_away(path, trusted);
	}
	if ((size_t)snprintf(path, sizeof(path), "%s%s%s", from, *from ? "/" : "", name) >=
	    sizeof(path))
		return false;
	return !leads_away(path, strlen(from));
}
