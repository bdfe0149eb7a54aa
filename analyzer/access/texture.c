/* Textures: handles by kind and context. */
#include "analyzer/access/texture.h"

#include "base/assert.h"

static uint64_t place_of(bool is_surface, uint32_t context)
{
	return (uint64_t)context << 1 | is_surface;
}

static struct sc_texture_handles *handles_of(struct sc_textures *t, bool is_surface,
					     uint32_t context)
{
	uint64_t *place = sc_u64_map_get(&t->places, place_of(is_surface, context));

	if (!*place) {
		sc_vector_push(&t->handles,
			       ((struct sc_texture_handles){.dead = {.most = t->remembered}}));
		*place = t->handles.count;
	}
	return &t->handles.items[*place - 1];
}

static const struct sc_texture_handles *find_handles(const struct sc_textures *t, bool is_surface,
						     uint32_t context)
{
	const uint64_t *place = sc_u64_map_find(&t->places, place_of(is_surface, context));

	return place ? &t->handles.items[*place - 1] : NULL;
}

static bool find(const struct sc_texture_handles *h, uint64_t handle, struct sc_texture *out)
{
	const uint64_t *made = h ? sc_u64_map_find(&h->made, handle) : NULL;

	if (!made)
		return 0;
	*out = (struct sc_texture){.start = *sc_u64_map_find(&h->starts, handle),
				   .bytes = *sc_u64_map_find(&h->bytes, handle),
				   .made = *made};
	return 1;
}

static void destroy(struct sc_textures *t, struct sc_texture_handles *h, const struct sc_record *r)
{
	uint64_t handle = r->op.value;

	if (r->op.result || !find(h, handle, &t->gone))
		return;
	sc_assert(t->count > 0);
	t->count--;
	sc_u64_map_remove(&h->starts, handle);
	sc_u64_map_remove(&h->bytes, handle);
	sc_u64_map_remove(&h->made, handle);
	sc_recall_note(&h->dead, handle, r->sequence, NULL);
}

void sc_textures_note(struct sc_textures *t, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;
	struct sc_texture_handles *h;

	sc_assert(t->remembered > 0);
	if ((op->kind != SC_OP_TEXTURE && op->kind != SC_OP_TEXTURE_DESTROY) || !op->value)
		return;
	t->gone = (struct sc_texture){0};
	h = handles_of(t, op->object != 0, op->context);
	if (op->kind == SC_OP_TEXTURE_DESTROY) {
		destroy(t, h, r);
		return;
	}
	t->count += sc_u64_map_find(&h->made, op->value) == NULL;
	*sc_u64_map_get(&h->starts, op->value) = op->dst;
	*sc_u64_map_get(&h->bytes, op->value) = op->bytes;
	*sc_u64_map_get(&h->made, op->value) = r->sequence + 1;
}

bool sc_textures_find(const struct sc_textures *t, bool is_surface, uint32_t context,
		      uint64_t handle, struct sc_texture *out)
{
	return find(find_handles(t, is_surface, context), handle, out);
}

const uint64_t *sc_textures_destroyed(const struct sc_textures *t, bool is_surface,
				      uint32_t context, uint64_t handle)
{
	const struct sc_texture_handles *h = find_handles(t, is_surface, context);

	return h ? sc_recall_find(&h->dead, handle) : NULL;
}

void sc_textures_fini(struct sc_textures *t)
{
	for (size_t i = 0; i < t->handles.count; i++) {
		sc_u64_map_fini(&t->handles.items[i].starts);
		sc_u64_map_fini(&t->handles.items[i].bytes);
		sc_u64_map_fini(&t->handles.items[i].made);
		sc_recall_fini(&t->handles.items[i].dead);
	}
	sc_vector_fini(&t->handles);
	sc_u64_map_fini(&t->places);
}
