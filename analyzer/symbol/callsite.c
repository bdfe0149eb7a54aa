/* Call sites: stack ids to hashes. */
#include "analyzer/symbol/callsite.h"

#include <stdbool.h>
#include <string.h>

#define PRIME UINT64_C(0x100000001B3)

uint64_t sc_hash_add(uint64_t hash, uint64_t number)
{
	for (unsigned i = 0; i < sizeof(number); i++) {
		hash = (hash ^ (number & 0xFF)) * PRIME;
		number >>= 8;
	}
	return hash;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * PRIME;
	return hash;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const struct sc_map *find_map(const struct sc_reader *r, uint64_t frame)
{
	const struct sc_map *maps;
	size_t count = sc_reader_maps(r, &maps);

	for (size_t i = 0; i < count; i++) {
		if (frame >= maps[i].start && frame - maps[i].start < maps[i].bytes)
			return &maps[i];
	}
	return NULL;
}

bool sc_callsite_add_frame(uint64_t *hash, const struct sc_reader *r, uint64_t frame)
{
	const struct sc_map *m = find_map(r, frame);

	if (m)
		*hash = sc_hash_add(add_text(*hash, base_name(m->path)),
				    frame - m->start + m->offset);
	return m;
}

/* Of code without a file the address would not survive. */
static uint64_t add_frame(uint64_t hash, const struct sc_reader *r, uint64_t frame)
{
	return sc_callsite_add_frame(&hash, r, frame) ? hash : add_text(hash, "?");
}

/* Where an interpreter that adapts its code stands in its own says nothing more than the lines of
 * Python do. */
static bool is_said_by_lines(const struct sc_reader *r, const char *lines, uint64_t frame)
{
	const struct sc_map *m = *lines ? find_map(r, frame) : NULL;

	return m && sc_callsite_is_interpreter(m->path);
}

static uint64_t hash_stack(const struct sc_reader *r, uint32_t stack, const uint64_t *frames,
			   size_t count)
{
	const char *lines = sc_reader_stack_python(r, stack);
	uint64_t hash = add_text(SC_HASH_START, lines);

	for (size_t i = 0; i < count; i++) {
		if (!is_said_by_lines(r, lines, frames[i]))
			hash = add_frame(hash, r, frames[i]);
	}
	return hash;
}

uint64_t sc_callsite_of(struct sc_callsites *all, const struct sc_reader *r, uint32_t stack,
			uint64_t sequence)
{
	const uint64_t *frames;
	size_t count = stack ? sc_reader_stack(r, stack, &frames) : 0;
	uint64_t *place;

	if (!count)
		return sc_hash_add(SC_HASH_START, sc_reader_place(r, sequence));
	place = sc_u64_map_get(&all->by_stack, stack);
	if (!*place)
		*place = hash_stack(r, stack, frames, count);
	return *place;
}

void sc_callsites_fini(struct sc_callsites *all)
{
	sc_u64_map_fini(&all->by_stack);
}
