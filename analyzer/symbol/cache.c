/* Cache: files by number, addresses by file and offset, each with its frames. */
#include "analyzer/symbol/cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/arena.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/vector.h"

#define OFFSET_BITS 48 /* of a key; the file's number is above, and then what was asked */
#define FILE_BITS   13
_Static_assert(SC_SYMBOL_CACHE_FILES_MOST < 1 << FILE_BITS, "a file's number has its place");

/* A file as a trace names it, and what lies at its path. */
struct file {
	const char *path; /* in the arena, as is the build id */
	const uint8_t *build_id;
	uint32_t build_id_bytes;
	struct stat status; /* all zero: there is none */
};

struct entry {
	uint64_t callee; /* of the question */
	size_t first;	 /* into frames */
	unsigned count;
};

struct sc_symbol_cache {
	struct sc_arena arena;
	SC_VECTOR(struct file) files;
	struct sc_u64_map index; /* index + 1 in entries */
	SC_VECTOR(struct entry) entries;
	SC_VECTOR(struct sc_cached_frame) frames;
};

struct sc_symbol_cache *sc_symbol_cache_new(void)
{
	return sc_heap_xcalloc(1, sizeof(struct sc_symbol_cache));
}

void sc_symbol_cache_free(struct sc_symbol_cache *c)
{
	if (!c)
		return;
	sc_vector_fini(&c->files);
	sc_vector_fini(&c->entries);
	sc_vector_fini(&c->frames);
	sc_u64_map_fini(&c->index);
	sc_arena_fini(&c->arena);
	free(c);
}

static bool is_same_status(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool is_same(const struct file *file, const struct sc_map *map, const struct stat *status)
{
	return !strcmp(file->path, map->path) && file->build_id_bytes == map->build_id_bytes &&
	       (!map->build_id_bytes ||
		!memcmp(file->build_id, map->build_id, map->build_id_bytes)) &&
	       is_same_status(&file->status, status);
}

uint32_t sc_symbol_cache_file(struct sc_symbol_cache *c, const struct sc_map *map)
{
	struct file file = {.build_id_bytes = map->build_id_bytes};

	if (stat(map->path, &file.status))
		file.status = (struct stat){0};
	for (size_t i = 0; i < c->files.count; i++)
		if (is_same(&c->files.items[i], map, &file.status))
			return (uint32_t)i + 1;
	if (c->files.count >= SC_SYMBOL_CACHE_FILES_MOST)
		return 0;
	file.path = sc_arena_xtext(&c->arena, map->path, strlen(map->path));
	if (map->build_id_bytes)
		file.build_id = sc_arena_xcopy(&c->arena, map->build_id, map->build_id_bytes);
	sc_vector_push(&c->files, file);
	return (uint32_t)c->files.count;
}

static bool has_key(uint32_t file, const struct sc_question *q)
{
	return file && (q->offset | q->callee) < UINT64_C(1) << OFFSET_BITS;
}

/* Two callees of one caller have one key by chance only; then the second is not kept. */
static uint64_t key_of(uint32_t file, const struct sc_question *q)
{
	uint64_t mixed = q->callee * UINT64_C(0x9E3779B97F4A7C15) >> (64 - OFFSET_BITS);

	return (uint64_t)q->asked << (OFFSET_BITS + FILE_BITS) | (uint64_t)file << OFFSET_BITS |
	       (q->offset ^ mixed);
}

int sc_symbol_cache_find(const struct sc_symbol_cache *c, uint32_t file,
			 const struct sc_question *question, const struct sc_cached_frame **frames)
{
	const uint64_t *index =
		has_key(file, question) ? sc_u64_map_find(&c->index, key_of(file, question)) : NULL;
	const struct entry *entry;

	if (!index)
		return -1;
	entry = &c->entries.items[*index - 1];
	if (entry->callee != question->callee)
		return -1;
	*frames = entry->count ? &c->frames.items[entry->first] : NULL;
	return (int)entry->count;
}

static const char *keep(struct sc_symbol_cache *c, const char *text)
{
	return text ? sc_arena_xtext(&c->arena, text, strlen(text)) : NULL;
}

static bool is_full(const struct sc_symbol_cache *c)
{
	return c->arena.total + c->frames.count * sizeof(*c->frames.items) +
		       c->entries.count * sizeof(*c->entries.items) >=
	       SC_SYMBOL_CACHE_BYTES_MOST;
}

void sc_symbol_cache_add(struct sc_symbol_cache *c, uint32_t file,
			 const struct sc_question *question, const struct sc_cached_frame *frames,
			 unsigned count)
{
	struct entry entry = {.callee = question->callee, .first = c->frames.count, .count = count};
	uint64_t *index;

	if (!has_key(file, question) || is_full(c))
		return;
	index = sc_u64_map_get(&c->index, key_of(file, question));
	if (*index)
		return;
	for (unsigned i = 0; i < count; i++) {
		struct sc_cached_frame frame = frames[i];

		frame.function = keep(c, frame.function);
		frame.file = keep(c, frame.file);
		frame.instead = keep(c, frame.instead);
		sc_vector_push(&c->frames, frame);
	}
	sc_vector_push(&c->entries, entry);
	*index = c->entries.count;
}
