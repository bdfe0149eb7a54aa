/* Map: a hash map from a number to a number, for ids, addresses of pages, packed keys.
 *
 * Open addressing with linear probing at most half full; two words per entry, no pointers. The
 * hash is mixed with a secret of the process, so that numbers from a hostile trace cannot be made
 * to collide. Nothing may depend on the order of entries, hence there is no iteration. A removed
 * entry leaves nothing, and the room of a map does not shrink. Out of memory ends the tool. (Maps
 * with other keys use base/hash.h.)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_map_entry {
	uint64_t key_plus; /* key + 1; 0 is an empty place */
	uint64_t value;
};

/* An empty map is all zero. */
struct sc_u64_map {
	struct sc_map_entry *entries; /* owned */
	size_t count;
	size_t mask;   /* places - 1 */
	uint64_t last; /* value of key UINT64_MAX, which has no key + 1 */
	bool last_used;
};

void sc_u64_map_fini(struct sc_u64_map *m);
/* Address of the value of `key`, or NULL; valid until the next insertion. */
uint64_t *sc_u64_map_find(const struct sc_u64_map *m, uint64_t key);
/* Address of the value of `key`, made with value 0 if it was not there. */
uint64_t *sc_u64_map_get(struct sc_u64_map *m, uint64_t key) __attribute__((returns_nonnull));
/* Makes room for so many entries at once. */
void sc_u64_map_reserve(struct sc_u64_map *m, size_t entries);
/* Removes the entry of `key`, if there is one; addresses of values end. */
void sc_u64_map_remove(struct sc_u64_map *m, uint64_t key);
