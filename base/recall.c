/* Recall: a map of what was noted last. */
#include "base/recall.h"

void sc_recall_fini(struct sc_recall *r)
{
	sc_u64_map_fini(&r->map);
	sc_vector_fini(&r->keys);
	*r = (struct sc_recall){.most = r->most};
}

/* The oldest makes room before another is added: the map does not grow for one entry too many. */
static void make_room(struct sc_recall *r, uint64_t key, struct sc_map_entry *gone)
{
	uint64_t old = r->keys.items[r->oldest];

	r->keys.items[r->oldest] = key;
	r->oldest = (r->oldest + 1) % r->most;
	r->forgotten++;
	if (gone)
		*gone = (struct sc_map_entry){old + 1, *sc_u64_map_find(&r->map, old)};
	sc_u64_map_remove(&r->map, old);
}

bool sc_recall_note(struct sc_recall *r, uint64_t key, uint64_t value, struct sc_map_entry *gone)
{
	uint64_t *known = sc_u64_map_find(&r->map, key);
	bool is_full = r->keys.count >= r->most;

	sc_assert(r->most > 0);
	if (known) {
		*known = value;
		return 0;
	}
	if (is_full) {
		make_room(r, key, gone);
	} else {
		if (r->keys.count == SC_RECALL_FEW) {
			sc_u64_map_reserve(&r->map, r->most);
			sc_vector_reserve(&r->keys, r->most - r->keys.count);
		}
		sc_vector_push(&r->keys, key);
	}
	*sc_u64_map_get(&r->map, key) = value;
	return is_full;
}
