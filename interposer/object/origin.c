/* Where machine code comes from: parts are collected by maker, what was made is known by its bytes.
 */
#include "interposer/object/origin.h"

#include "interposer/core/arena.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/object/text_cache.h"

struct sc_origins sc_origins;

struct part {
	struct part *next;
	uint32_t image; /* 0: not kept */
};

struct sc_origin {
	struct part *first, *last;
	uint64_t bytes; /* of the code; 0: not made yet */
};

static void add(struct sc_origin *origin, uint32_t image)
{
	struct part *part = sc_arena_get(sizeof(*part));

	if (!part)
		return;
	part->image = image;
	sc_lock_get(&sc_origins.lock);
	if (origin->last)
		origin->last->next = part;
	else
		origin->first = part;
	origin->last = part;
	sc_lock_put(&sc_origins.lock);
}

static void enter(struct sc_origin *origin, struct sc_image_identity code)
{
	origin->bytes = code.bytes;
	if (code.hash)
		sc_table_put(&sc_origins.by_code, code.hash, origin);
}

void sc_origin_begin(const void *maker)
{
	struct sc_origin *origin = maker ? sc_arena_get(sizeof(*origin)) : NULL;

	if (origin)
		sc_table_put(&sc_origins.by_maker, (uint64_t)maker, origin);
}

void sc_origin_add(const void *maker, uint32_t image)
{
	struct sc_origin *origin = sc_table_get(&sc_origins.by_maker, (uint64_t)maker);

	if (origin)
		add(origin, image);
}

void sc_origin_end(const void *maker, const void *code)
{
	struct sc_origin *origin = sc_table_get(&sc_origins.by_maker, (uint64_t)maker);

	if (origin)
		enter(origin, sc_image_identify(code));
}

void sc_origin_of_text(struct sc_image_identity code, uint32_t text)
{
	struct sc_origin *origin = code.hash && text ? sc_arena_get(sizeof(*origin)) : NULL;

	if (!origin)
		return;
	add(origin, text);
	enter(origin, code);
}

static const struct sc_origin *find(struct sc_image_identity code)
{
	const struct sc_origin *origin = sc_table_get(&sc_origins.by_code, code.hash);

	return origin && origin->bytes == code.bytes ? origin : NULL;
}

bool sc_origin_put(uint32_t module, struct sc_image_identity code, const char *path)
{
	const struct sc_origin *origin = find(code);

	if (!origin && code.hash) {
		sc_origin_of_text(code, sc_text_cache_find(code, path));
		origin = find(code);
	}
	for (const struct part *part = origin ? origin->first : NULL; part; part = part->next) {
		struct sc_op op = {
			.kind = SC_OP_MODULE_PART, .object = module, .peer = part->image};

		sc_put_op(&op, NULL, 0);
	}
	return origin != NULL;
}

/* ---- the module ---- */

const struct sc_module sc_module_origin = {SC_MODULE_STATE(sc_origins)};
