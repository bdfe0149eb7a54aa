/* Texture and surface objects by their handles. */
#include "simulator/executor/texture/object.h"

#include "simulator/executor/memory.h"
#include "simulator/executor/operation/operation.h"

/* Pieces end where an array does. */
static void add_bases(struct exec_run *r, const struct exec_texture *t)
{
	for (uint32_t i = 0; r->launch->touched && t && i < t->level_count; i++)
		if (t->levels[i].bytes && t->levels[i].address)
			exec_memory_add_base(r, t->levels[i].address);
}

/* What is not known of a handle is asked; a run remembers the latest answers. */
static const struct exec_texture *find(struct exec_run *r, uint64_t handle)
{
	const struct exec_memory *m = &r->launch->memory;
	unsigned at = handle % EXEC_TEXTURES;

	if (r->textures[at].texture && r->textures[at].handle == handle)
		return r->textures[at].texture;
	r->textures[at].texture = m->texture ? m->texture(m->context, handle) : NULL;
	r->textures[at].handle = handle;
	add_bases(r, r->textures[at].texture);
	return r->textures[at].texture;
}

const struct exec_texture *exec_object_find(struct exec_warp *w, const struct exec_instruction *in,
					    unsigned lane, bool is_surface)
{
	uint64_t handle = ((const uint64_t *)exec_lanes(w, in->slot[1]))[lane];
	const struct exec_texture *t = find(w->run, handle);

	if (t && t->is_surface == is_surface)
		return t;
	exec_fail(w, in, EXEC_NO_TEXTURE, lane, handle);
	return NULL;
}

void exec_object_note(struct exec_warp *w, const struct exec_texture_level *level, uint64_t offset,
		      unsigned bytes, enum exec_use use)
{
	struct exec_run *r = w->run;

	if (!r->launch->touched)
		return;
	if (level->address)
		exec_touched_add(exec_touched_of(w), level->address + offset, bytes, use);
	else
		exec_touched_of(w)->is_lost = 1;
}

/* As OpenCL numbers the types of channels, which PTX does too. */
static uint32_t type_number(const struct exec_texture *t)
{
	unsigned size = t->channel_bits == 8 ? 0 : t->channel_bits == 16 ? 1 : 2;

	if (t->channel == EXEC_CHANNEL_FLOAT)
		return t->channel_bits == 16 ? 0x10DD : 0x10DE;
	if (t->is_number)
		return (t->channel == EXEC_CHANNEL_SIGNED ? 0x10D0 : 0x10D2) + size;
	return (t->channel == EXEC_CHANNEL_SIGNED ? 0x10D7 : 0x10DA) + size;
}

static uint32_t order_number(const struct exec_texture *t)
{
	return t->channel_count == 1 ? 0x10B0 : t->channel_count == 2 ? 0x10B2 : 0x10B5;
}

static uint32_t answer(const struct exec_texture *t, enum exec_query query, uint32_t level)
{
	const struct exec_texture_level *l =
		&t->levels[level < t->level_count ? level : t->level_count - 1];
	uint32_t faces = t->is_cube && l->depth >= 6 ? 6 : 1;

	switch (query) {
	case EXEC_QUERY_WIDTH: return l->width;
	case EXEC_QUERY_HEIGHT: return l->height;
	case EXEC_QUERY_DEPTH: return t->is_layered || t->is_cube ? 1 : l->depth;
	case EXEC_QUERY_LAYERS: return t->is_layered ? l->depth / faces : 1;
	case EXEC_QUERY_LEVELS: return t->level_count;
	case EXEC_QUERY_TYPE: return type_number(t);
	case EXEC_QUERY_ORDER: return order_number(t);
	case EXEC_QUERY_NORMALIZED: return t->is_normalized;
	}
	return 0;
}

void exec_object_query(struct exec_warp *w, const struct exec_instruction *in, bool is_surface,
		       enum exec_query query)
{
	const uint32_t *levels = in->width[2] ? exec_lanes(w, in->slot[2]) : NULL;
	uint32_t mask = exec_mask(w, in), out[EXEC_LANES] = {0};

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		const struct exec_texture *t;

		if (!(mask >> i & 1))
			continue;
		t = exec_object_find(w, in, i, is_surface);
		if (!t)
			return;
		out[i] = answer(t, query, levels ? levels[i] : 0);
	}
	exec_keep(exec_lanes(w, in->slot[0]), out, sizeof(*out), mask);
}
