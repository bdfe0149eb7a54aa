/* Symbols by the library's own hash table. */
#include "bench/real.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* What the file's header of the table says; buckets stand after the filter, chains after the
 * buckets. */
struct table {
	uint32_t buckets, first, words, shift;
	uint64_t filter[];
};

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = 33 * h + (uint8_t)*name;
	return h;
}

static const void *part(const struct link_map *map, ElfW(Sxword) tag)
{
	for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == tag)
			return (const void *)d->d_un.d_ptr;
	}
	return NULL;
}

static const ElfW(Sym) * find(const struct link_map *map, const char *name)
{
	const struct table *t = part(map, DT_GNU_HASH);
	const ElfW(Sym) *symbols = part(map, DT_SYMTAB);
	const char *names = part(map, DT_STRTAB);
	const uint32_t *buckets, *chain;
	uint32_t hash = hash_of(name), at;

	if (!t || !symbols || !names)
		return NULL;
	buckets = (const uint32_t *)(t->filter + t->words);
	chain = buckets + t->buckets;
	at = buckets[hash % t->buckets];
	for (; at >= t->first; at++) {
		uint32_t found = chain[at - t->first];

		if ((found | 1) == (hash | 1) && !strcmp(names + symbols[at].st_name, name))
			return &symbols[at];
		if (found & 1)
			break;
	}
	return NULL;
}

void *sc_real_symbol(void *library, const char *name)
{
	const ElfW(Sym) * symbol;
	struct link_map *map;

	if (dlinfo(library, RTLD_DI_LINKMAP, &map))
		return NULL;
	symbol = find(map, name);
	return symbol && symbol->st_shndx != SHN_UNDEF ? (char *)map->l_addr + symbol->st_value
						       : NULL;
}
