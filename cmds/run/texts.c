/* Texts: making their folder, and CuPy's beside it. */
#include "cmds/run/texts.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmds/process/child.h"

#define MOST_BYTES   (UINT64_C(256) << 20)
#define FOLDERS_OPEN 8

/* nftw gives its visitors no context; this process has one thread, and asks once. */
static uint64_t bytes_found;

static int add_bytes(const char *path, const struct stat *about, int type, struct FTW *place)
{
	(void)path;
	(void)place;
	if (type == FTW_F)
		bytes_found += (uint64_t)about->st_size;
	return bytes_found > MOST_BYTES;
}

/* Another run may be doing the same: what is gone already is no matter. */
static int remove_one(const char *path, const struct stat *about, int type, struct FTW *place)
{
	(void)about;
	(void)type;
	(void)place;
	remove(path);
	return 0;
}

/* The path of `name` in `folder`, a folder that is made if need be. */
static bool make(char path[PATH_MAX], const char *folder, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX &&
	       (!mkdir(path, 0700) || errno == EEXIST) && !access(path, W_OK);
}

/* The folder of the user's for what programs can make again. */
static bool find_caches(char path[PATH_MAX])
{
	const char *named = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (named && *named == '/')
		return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX;
	return home && *home == '/' && make(path, home, ".cache");
}

static bool make_all(const char *caches, char texts[PATH_MAX], char cupy[PATH_MAX])
{
	char own[PATH_MAX];

	return make(own, caches, "streamcheck") && make(texts, own, "texts") &&
	       make(cupy, own, "cupy");
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

void sc_texts_prepare(void)
{
	char caches[PATH_MAX], texts[PATH_MAX], cupy[PATH_MAX];

	if (getenv("STREAMCHECK_TEXTS") || !find_caches(caches) || !make_all(caches, texts, cupy))
		return;
	if (nftw(texts, add_bytes, FOLDERS_OPEN, FTW_PHYS) > 0) {
		nftw(texts, remove_one, FOLDERS_OPEN, FTW_PHYS | FTW_DEPTH);
		nftw(cupy, remove_one, FOLDERS_OPEN, FTW_PHYS | FTW_DEPTH);
		if (!make_all(caches, texts, cupy))
			return;
	}
	sc_child_set("STREAMCHECK_TEXTS", texts);
	if (!is_set("CUPY_CACHE_DIR") && !is_set("CUPY_CACHE_IN_MEMORY"))
		sc_child_set("CUPY_CACHE_DIR", cupy);
}
