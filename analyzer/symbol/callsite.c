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

/* The number of the first map that has the address; the number of maps if none has it. */
static size_t find_map(const struct sc_map *maps, size_t count, uint64_t frame)
{
	size_t i = 0;

	while (i < count && !(frame >= maps[i].start && frame - maps[i].start < maps[i].bytes))
		i++;
	return i;
}

static uint64_t add_mapped(uint64_t hash, const struct sc_map *m, uint64_t frame)
{
	return sc_hash_add(add_text(hash, base_name(m->path)), frame - m->start + m->offset);
}

bool sc_callsite_add_frame(uint64_t *hash, const struct sc_reader *r, uint64_t frame)
{
	const struct sc_map *maps;
	size_t count = sc_reader_maps(r, &maps), found = find_map(maps, count, frame);

	if (found < count)
		*hash = add_mapped(*hash, &maps[found], frame);
	return found < count;
}

/* The map of an address, NULL if there is none. Stacks have most of their frames in common; of an
 * address that is not mapped yet, later maps may say more. */
static const struct sc_map *map_of(struct sc_callsites *all, const struct sc_reader *r,
				   uint64_t frame)
{
	uint64_t *known = sc_u64_map_get(&all->by_frame, frame);
	const struct sc_map *maps;
	size_t count = sc_reader_maps(r, &maps), found;

	if (*known)
		return &maps[*known - 1];
	found = find_map(maps, count, frame);
	if (found == count)
		return NULL;
	*known = found + 1;
	return &maps[found];
}

/* Of code without a file the address would not survive. Where an interpreter that adapts its code
 * stands in its own says nothing more than the lines of Python do. */
static uint64_t hash_stack(struct sc_callsites *all, const struct sc_reader *r, uint32_t stack,
			   const uint64_t *frames, size_t count)
{
	const char *lines = sc_reader_stack_python(r, stack);
	uint64_t hash = add_text(SC_HASH_START, lines);

	for (size_t i = 0; i < count; i++) {
		const struct sc_map *m = map_of(all, r, frames[i]);

		if (!m)
			hash = add_text(hash, "?");
		else if (!*lines || !sc_callsite_is_interpreter(m->path))
			hash = add_mapped(hash, m, frames[i]);
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
		*place = hash_stack(all, r, stack, frames, count);
	return *place;
}

void sc_callsites_fini(struct sc_callsites *all)
{
	sc_u64_map_fini(&all->by_stack);
	sc_u64_map_fini(&all->by_frame);
}
