/* Caches of compilers on disk: listing their folders, and finding code by its bytes. */
#include "interposer/object/text_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "interposer/core/arena.h"
#include "interposer/core/environment.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/scratch.h"
#include "interposer/core/session.h"

struct sc_text_caches sc_text_caches;

#define PATH_BYTES SC_TEXT_PATH_BYTES
#define LIST_BYTES \
	(SC_SCRATCH_BYTES / 2)	       /* of names, at a time: of a cache, and of a folder in it */
#define MOST_KNOWN (1u << 18)	       /* folders and files */
#define FRESH_NS   INT64_C(2000000000) /* a change so soon after another may not show in the time */
#define NO_CHANGE  INT64_MAX	       /* a folder with code is complete */
#define NEVER	   INT64_MIN	       /* not listed yet */

static const char code_suffix[] = ".cubin", text_suffix[] = ".ptx";

struct sc_cache_folder {
	int64_t changed_ns; /* when it was listed last */
};

/* Machine code in a cache, that has a text beside it. */
struct sc_cached_code {
	struct sc_cached_code *next; /* of the same size */
	uint64_t hash;		     /* 0: not looked at yet */
	size_t stem;		     /* bytes of the path without the suffix */
	char path[];
};

/* ---- files ---- */

static int open_folder(int at, const char *name)
{
	return (int)sc_raw(SYS_openat, (uint64_t)at, (uint64_t)name,
			   O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
}

static void close_file(int file)
{
	sc_raw(SYS_close, (uint64_t)file, 0, 0, 0, 0, 0);
}

static bool ask(int at, const char *name, struct stat *out)
{
	return sc_raw(SYS_newfstatat, (uint64_t)at, (uint64_t)name, (uint64_t)out, 0, 0, 0) == 0;
}

typedef void sc_name_fn(void *context, int folder, const char *name);

struct entry { /* struct linux_dirent64 */
	uint64_t inode, offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

/* Calls `use` for each name in a folder, but those that begin with a dot. */
static void list(int folder, uint8_t *room, sc_name_fn *use, void *context)
{
	long got;

	while ((got = sc_raw(SYS_getdents64, (uint64_t)folder, (uint64_t)room, LIST_BYTES, 0, 0,
			     0)) > 0)
		for (long at = 0; at < got;) {
			const struct entry *e = (const struct entry *)(room + at);

			if (e->name[0] != '.')
				use(context, folder, e->name);
			at += e->bytes;
		}
}

static bool ends(const char *name, size_t length, const char *suffix)
{
	size_t bytes = strlen(suffix);

	return length > bytes && !memcmp(name + length - bytes, suffix, bytes);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

/* ---- what lies in the caches ---- */

/* A listing: of a cache, and of a folder in it. */
struct walk {
	const char *cache;
	uint64_t hash; /* of its path */
	uint8_t *room; /* for names: of two listings */
	int64_t now_ns;
	const char *folder;
	bool has_code; /* the folder does */
};

/* Whether there is room for one more; said once if not. */
static bool count_one(void)
{
	struct sc_text_caches *all = &sc_text_caches;

	if (all->count > MOST_KNOWN)
		return false;
	if (all->count++ < MOST_KNOWN)
		return true;
	sc_put_source("texts in compilers' caches (not all files could be listed)", false);
	return false;
}

static void add_code(const struct walk *w, const char *name, size_t length, uint64_t bytes)
{
	size_t room = strlen(w->cache) + strlen(w->folder) + length + 3;
	struct sc_cached_code *code = count_one() ? sc_arena_get(sizeof(*code) + room) : NULL;

	if (!code)
		return;
	snprintf(code->path, room, "%s/%s/%s", w->cache, w->folder, name);
	code->stem = strlen(code->path) - strlen(code_suffix);
	code->next = sc_table_get(&sc_text_caches.by_size, bytes);
	sc_table_put(&sc_text_caches.by_size, bytes, code);
}

static void visit_file(void *context, int folder, const char *name)
{
	struct walk *w = context;
	size_t length = strlen(name);
	struct stat about;

	if (!ends(name, length, code_suffix) || !ask(folder, name, &about) ||
	    !S_ISREG(about.st_mode) || about.st_size <= 0)
		return;
	w->has_code = true;
	add_code(w, name, length, (uint64_t)about.st_size);
}

static int64_t changed_ns(const struct stat *about)
{
	uint64_t seconds = (uint64_t)about->st_mtim.tv_sec; /* any number, from any file system */

	return (int64_t)(seconds * UINT64_C(1000000000) + (uint64_t)about->st_mtim.tv_nsec);
}

/* The folder's row, new if need be. */
static struct sc_cache_folder *row_of(const struct walk *w, const char *name)
{
	uint64_t key = hash_text(w->hash, name) | 1;
	struct sc_cache_folder *row = sc_table_get(&sc_text_caches.folders, key);

	if (row || !count_one())
		return row;
	row = sc_arena_get(sizeof(*row));
	if (!row)
		return NULL;
	row->changed_ns = NEVER;
	sc_table_put(&sc_text_caches.folders, key, row);
	return row;
}

static void visit_folder(void *context, int cache, const char *name)
{
	struct walk *w = context;
	struct sc_cache_folder *row = row_of(w, name);
	struct stat about;
	int folder;

	if (!row || row->changed_ns == NO_CHANGE || !ask(cache, name, &about) ||
	    !S_ISDIR(about.st_mode) || row->changed_ns == changed_ns(&about))
		return;
	folder = open_folder(cache, name);
	if (folder < 0)
		return;
	w->folder = name;
	w->has_code = false;
	list(folder, w->room + LIST_BYTES, visit_file, w);
	close_file(folder);
	if (w->has_code)
		row->changed_ns = NO_CHANGE;
	else if (changed_ns(&about) < w->now_ns - FRESH_NS)
		row->changed_ns = changed_ns(&about);
}

static void visit_cache(const char *path, uint8_t *room)
{
	int cache = open_folder(AT_FDCWD, path);
	struct walk w = {.cache = path, .hash = hash_text(0, path), .room = room};
	struct timespec now;

	if (cache < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	w.now_ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
	list(cache, room, visit_folder, &w);
	close_file(cache);
}

static void visit_caches(void)
{
	const char *named = sc_environment_value(SC_VARIABLE_TRITON_CACHE_DIR);
	const char *home = sc_environment_value(SC_VARIABLE_TRITON_HOME);
	uint8_t *room = sc_thread_scratch();
	char path[PATH_BYTES];

	if (!home)
		home = sc_environment_value(SC_VARIABLE_HOME);
	if (room && named && *named)
		visit_cache(named, room);
	if (room && home && snprintf(path, sizeof(path), "%s/.triton/cache", home) < PATH_BYTES)
		visit_cache(path, room);
}

/* ---- finding ---- */

static const struct sc_cached_code *look_up(struct sc_image_identity code)
{
	struct sc_cached_code *c = sc_table_get(&sc_text_caches.by_size, code.bytes);

	for (; c; c = c->next) {
		if (!c->hash)
			c->hash = sc_image_identify_file(c->path).hash;
		if (c->hash == code.hash)
			return c;
	}
	return NULL;
}

/* Where the text of this code is, if it was left in the folder that a variable names. */
static bool path_in(enum sc_environment_variable variable, struct sc_image_identity code,
		    char path[PATH_BYTES])
{
	const char *folder = sc_environment_value(variable);
	int n = snprintf(path, PATH_BYTES, "%s/%016llx.%llu%s", folder ? folder : "",
			 (unsigned long long)code.hash, (unsigned long long)code.bytes,
			 text_suffix);

	return folder && *folder && n > 0 && n < PATH_BYTES;
}

static bool is_there(const char *path)
{
	struct stat about;

	return ask(AT_FDCWD, path, &about);
}

/* Left by another process of this run, or by an earlier run. */
static bool find_left(enum sc_environment_variable variable, struct sc_image_identity code,
		      char text[PATH_BYTES])
{
	return path_in(variable, code, text) && is_there(text);
}

/* Beside the file that the code is loaded from, in a folder that Triton made. */
static bool find_beside(const char *file, char text[PATH_BYTES])
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	size_t folder = (size_t)(name - file), length = strlen(name);

	if (!ends(name, length, code_suffix))
		return false;
	length -= strlen(code_suffix);
	if (snprintf(text, PATH_BYTES, "%.*s__grp__%.*s.json", (int)folder, file, (int)length,
		     name) >= PATH_BYTES ||
	    !is_there(text))
		return false;
	snprintf(text, PATH_BYTES, "%.*s%s", (int)(folder + length), file, text_suffix);
	return is_there(text);
}

static bool find_cached(struct sc_image_identity code, char text[PATH_BYTES])
{
	const struct sc_cached_code *found;

	sc_lock_get(&sc_text_caches.lock);
	found = look_up(code);
	if (!found) {
		visit_caches();
		found = look_up(code);
	}
	if (found && found->stem + sizeof(text_suffix) > PATH_BYTES)
		found = NULL;
	if (found) {
		memcpy(text, found->path, found->stem);
		strcpy(text + found->stem, text_suffix);
	}
	sc_lock_put(&sc_text_caches.lock);
	return found != NULL && is_there(text);
}

bool sc_text_cache_find(struct sc_image_identity code, const char *path, char text[PATH_BYTES])
{
	return find_left(SC_VARIABLE_COLLECT, code, text) ||
	       find_left(SC_VARIABLE_TEXTS, code, text) || (path && find_beside(path, text)) ||
	       find_cached(code, text);
}

/* ---- leaving texts for others ---- */

bool sc_text_cache_begin(struct sc_new_text *new, enum sc_environment_variable folder,
			 struct sc_image_identity code)
{
	struct stat about;

	if (!path_in(folder, code, new->path) || ask(AT_FDCWD, new->path, &about) ||
	    snprintf(new->begun, PATH_BYTES, "%s.%d", new->path, sc_session.process) >= PATH_BYTES)
		return false;
	new->file = (int)sc_raw(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t) new->begun,
				O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600, 0, 0);
	return new->file >= 0;
}

void sc_text_cache_end(struct sc_new_text *new, bool is_whole)
{
	close_file(new->file);
	if (!is_whole ||
	    sc_raw(SYS_rename, (uint64_t) new->begun, (uint64_t) new->path, 0, 0, 0, 0) != 0)
		sc_raw(SYS_unlink, (uint64_t) new->begun, 0, 0, 0, 0, 0);
}

void sc_text_cache_keep(struct sc_image_identity code, const char *text, size_t bytes)
{
	struct sc_new_text new;
	size_t done = 0;
	long put = 1;

	if (!code.hash || !sc_text_cache_begin(&new, SC_VARIABLE_TEXTS, code))
		return;
	for (; done < bytes && put > 0; done += put > 0 ? (size_t)put : 0)
		put = sc_raw(SYS_write, (uint64_t) new.file, (uint64_t)(text + done), bytes - done,
			     0, 0, 0);
	sc_text_cache_end(&new, done == bytes);
}

/* ---- the module ---- */

const struct sc_module sc_module_text_cache = {SC_MODULE_STATE(sc_text_caches)};
