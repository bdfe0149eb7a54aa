/* Textures: handles by kind and context. */
#include "analyzer/access/texture.h"

static uint64_t key_of(bool is_surface, uint32_t context, uint64_t handle)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ ((uint64_t)context << 1 | is_surface);

	return (h * UINT64_C(0x100000001b3) ^ handle) * UINT64_C(0x9e3779b97f4a7c15);
}

static bool is_it(const struct sc_texture *t, bool is_surface, uint32_t context, uint64_t handle)
{
	return t->handle == handle && t->context == context && t->is_surface == is_surface;
}

/* Keys that are taken by another object lead to the next one. */
static struct sc_texture *find(const struct sc_textures *t, bool is_surface, uint32_t context,
			       uint64_t handle, uint64_t *key)
{
	const uint64_t *place;

	*key = key_of(is_surface, context, handle);
	for (; (place = sc_u64_map_find(&t->places, *key)); ++*key)
		if (is_it(&t->items.items[*place - 1], is_surface, context, handle))
			return &t->items.items[*place - 1];
	return NULL;
}

void sc_textures_note(struct sc_textures *t, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;
	bool is_surface = op->object != 0;
	struct sc_texture *old;
	uint64_t key;

	if (op->kind != SC_OP_TEXTURE || !op->value)
		return;
	old = find(t, is_surface, op->context, op->value, &key);
	if (!old) {
		old = sc_vector_add(&t->items);
		*sc_u64_map_get(&t->places, key) = t->items.count;
	}
	*old = (struct sc_texture){.handle = op->value,
				   .start = op->dst,
				   .bytes = op->bytes,
				   .context = op->context,
				   .is_surface = is_surface};
}

const struct sc_texture *sc_textures_find(const struct sc_textures *t, bool is_surface,
					  uint32_t context, uint64_t handle)
{
	const struct sc_texture *found;
	uint64_t key;

	if (!t->items.count)
		return NULL;
	found = find(t, is_surface, context, handle, &key);
	return found && found->start ? found : NULL;
}

void sc_textures_fini(struct sc_textures *t)
{
	sc_u64_map_fini(&t->places);
	sc_vector_fini(&t->items);
}
