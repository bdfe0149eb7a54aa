/* Where machine code comes from: parts are collected by maker, what was made is known by its bytes.
 */
#include "interposer/object/origin.h"

#include "interposer/core/arena.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
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

/* Keeps one text; its image, or 0. */
static uint32_t keep_text(struct sc_image_identity code, const struct sc_machine_code *from,
			  unsigned number, bool is_kept)
{
	size_t room = sc_machine_code_text_bytes(from, number), bytes;
	char *text = room <= SC_IMAGES_MOST ? sc_arena_map(room, MAP_PRIVATE) : NULL;
	uint32_t image = 0;

	if (!text)
		return 0;
	bytes = sc_machine_code_text(from, number, text);
	if (bytes) {
		image = sc_image_keep(text, bytes);
		if (is_kept)
			sc_text_cache_keep(code, text, bytes);
	}
	sc_raw_unmap(text, room);
	return image;
}

bool sc_origin_of_texts(struct sc_image_identity code, const struct sc_machine_code *from,
			bool is_kept)
{
	bool has_any = code.hash && sc_machine_code_text_bytes(from, 0);
	struct sc_origin *origin = has_any ? sc_arena_get(sizeof(*origin)) : NULL;

	if (!origin)
		return false;
	is_kept &= !sc_machine_code_text_bytes(from, 1);
	for (unsigned i = 0; sc_machine_code_text_bytes(from, i); i++)
		add(origin, keep_text(code, from, i, is_kept));
	enter(origin, code);
	return true;
}

static const struct sc_origin *find(struct sc_image_identity code)
{
	const struct sc_origin *origin = sc_table_get(&sc_origins.by_code, code.hash);

	return origin && origin->bytes == code.bytes ? origin : NULL;
}

/* The code was not made here: its text lies beside it, or in it. */
static void seek(struct sc_image_identity code, const void *image, const char *path)
{
	struct sc_machine_code copy = {.bytes = code.bytes};
	uint32_t text = sc_text_cache_find(code, path);

	if (text) {
		sc_origin_of_text(code, text);
		return;
	}
	copy.start = sc_image_copy(image, path, code.bytes);
	if (!copy.start)
		return;
	if (sc_image_identify(copy.start).hash == code.hash) /* a file may have changed */
		sc_origin_of_texts(code, &copy, false);
	sc_raw_unmap((void *)(uintptr_t)copy.start, copy.bytes);
}

bool sc_origin_put(uint32_t module, struct sc_image_identity code, const void *image,
		   const char *path)
{
	const struct sc_origin *origin = find(code);

	if (!origin && code.hash) {
		seek(code, image, path);
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
