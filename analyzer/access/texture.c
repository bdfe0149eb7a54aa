/* Textures: handles by kind and context. */
#include "analyzer/access/texture.h"

static uint64_t place_of(bool is_surface, uint32_t context)
{
	return (uint64_t)context << 1 | is_surface;
}

static struct sc_texture_handles *handles_of(struct sc_textures *t, bool is_surface,
					     uint32_t context)
{
	uint64_t *place = sc_u64_map_get(&t->places, place_of(is_surface, context));

	if (!*place) {
		sc_vector_push(&t->handles, ((struct sc_texture_handles){0}));
		*place = t->handles.count;
	}
	return &t->handles.items[*place - 1];
}

void sc_textures_note(struct sc_textures *t, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;
	struct sc_texture_handles *h;

	if (op->kind != SC_OP_TEXTURE || !op->value)
		return;
	h = handles_of(t, op->object != 0, op->context);
	t->count -= sc_u64_map_find(&h->starts, op->value) != NULL;
	if (!op->dst) {
		sc_u64_map_remove(&h->starts, op->value);
		sc_u64_map_remove(&h->bytes, op->value);
		return;
	}
	t->count++;
	*sc_u64_map_get(&h->starts, op->value) = op->dst;
	*sc_u64_map_get(&h->bytes, op->value) = op->bytes;
}

bool sc_textures_find(const struct sc_textures *t, bool is_surface, uint32_t context,
		      uint64_t handle, struct sc_texture *out)
{
	const uint64_t *place = sc_u64_map_find(&t->places, place_of(is_surface, context));
	const struct sc_texture_handles *h = place ? &t->handles.items[*place - 1] : NULL;
	const uint64_t *start = h ? sc_u64_map_find(&h->starts, handle) : NULL;

	if (!start)
		return 0;
	*out = (struct sc_texture){*start, *sc_u64_map_find(&h->bytes, handle)};
	return 1;
}

void sc_textures_fini(struct sc_textures *t)
{
	for (size_t i = 0; i < t->handles.count; i++) {
		sc_u64_map_fini(&t->handles.items[i].starts);
		sc_u64_map_fini(&t->handles.items[i].bytes);
	}
	sc_vector_fini(&t->handles);
	sc_u64_map_fini(&t->places);
}
