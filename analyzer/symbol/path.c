/* Paths: one pass from component to component, the last ones kept on the written part. */
#include "analyzer/symbol/path.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is(const char *component, size_t bytes, const char *name)
{
	return bytes == strlen(name) && !memcmp(component, name, bytes);
}

/* Where the last component of the written part begins. */
static size_t last_component(const char *path, size_t root, size_t used)
{
	while (used > root && path[used - 1] != '/')
		used--;
	return used;
}

void sc_path_tidy(char *path)
{
	size_t root = *path == '/', used = root;
	const char *at = path;

	while (*at) {
		size_t bytes = strcspn(at += strspn(at, "/"), "/");
		size_t last = last_component(path, root, used);

		if (!bytes || is(at, bytes, ".")) {
			at += bytes;
			continue;
		}
		if (is(at, bytes, "..") && used > root && !is(path + last, used - last, "..")) {
			used = last > root ? last - 1 : root;
		} else if (!is(at, bytes, "..") || !root) {
			if (used > root)
				path[used++] = '/';
			memmove(path + used, at, bytes);
			used += bytes;
		}
		at += bytes;
	}
	path[used] = '\0';
}
