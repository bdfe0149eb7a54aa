/* Where machine code comes from: parts are collected by maker, what was made is known by its bytes.
 */
#include "interposer/object/origin.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "interposer/core/arena.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/driver/simulated.h"
#include "interposer/object/text_cache.h"

struct sc_origins sc_origins;

struct part {
	struct part *next;
	uint32_t image;	     /* 0: not kept */
	const uint8_t *copy; /* owned, for a driver that executes texts; NULL: none */
	uint64_t bytes;
};

struct sc_origin {
	struct part *first, *last;
	uint64_t bytes; /* of the code; 0: not made yet */
};

static void add(struct sc_origin *origin, struct part what)
{
	struct part *part = sc_arena_get(sizeof(*part));

	if (!part)
		return;
	*part = what;
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

static struct part keep(const void *data, size_t bytes)
{
	struct part part = {.image = data && bytes ? sc_image_keep(data, bytes) : 0};

	if (part.image && sc_simulated_wants_texts())
		part.copy = sc_image_copy(data, NULL, bytes);
	part.bytes = bytes;
	return part;
}

static struct part keep_file(const char *path)
{
	struct part part = {.image = path ? sc_image_keep_file(path) : 0};
	struct stat about;

	if (part.image && sc_simulated_wants_texts() &&
	    !sc_raw(SYS_newfstatat, (uint64_t)AT_FDCWD, (uint64_t)path, (uint64_t)&about, 0, 0,
		    0)) {
		part.bytes = (uint64_t)about.st_size;
		part.copy = sc_image_copy(NULL, path, part.bytes);
	}
	return part;
}

void sc_origin_add(const void *maker, const void *data, size_t bytes)
{
	struct sc_origin *origin = sc_table_get(&sc_origins.by_maker, (uint64_t)maker);

	if (origin)
		add(origin, keep(data, bytes));
}

void sc_origin_add_file(const void *maker, const char *path)
{
	struct sc_origin *origin = sc_table_get(&sc_origins.by_maker, (uint64_t)maker);

	if (origin)
		add(origin, keep_file(path));
}

void sc_origin_end(const void *maker, const void *code)
{
	struct sc_origin *origin = sc_table_get(&sc_origins.by_maker, (uint64_t)maker);

	if (origin)
		enter(origin, sc_image_identify(code));
}

/* It was compiled from this part alone. */
static void enter_one(struct sc_image_identity code, struct part part)
{
	struct sc_origin *origin = code.hash && part.image ? sc_arena_get(sizeof(*origin)) : NULL;

	if (!origin)
		return;
	add(origin, part);
	enter(origin, code);
}

void sc_origin_of_text(struct sc_image_identity code, const char *text, size_t bytes)
{
	enter_one(code, keep(text, bytes));
}

/* Keeps one text of other code. */
static struct part keep_text(struct sc_image_identity code, const struct sc_machine_code *from,
			     unsigned number, bool is_kept)
{
	size_t room = sc_machine_code_text_bytes(from, number), bytes;
	char *text = room <= SC_IMAGES_MOST ? sc_arena_map(room, MAP_PRIVATE) : NULL;
	struct part part = {0};

	if (!text)
		return part;
	bytes = sc_machine_code_text(from, number, text);
	if (bytes) {
		part = keep(text, bytes);
		if (is_kept)
			sc_text_cache_keep(code, text, bytes);
	}
	sc_raw_unmap(text, room);
	return part;
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
static void seek(const struct sc_loaded_code *l)
{
	struct sc_machine_code copy = {.bytes = l->code.bytes};
	char text[SC_TEXT_PATH_BYTES];

	if (sc_text_cache_find(l->code, l->path, text)) {
		enter_one(l->code, keep_file(text));
		return;
	}
	copy.start = sc_image_copy(l->image, l->path, l->code.bytes);
	if (!copy.start)
		return;
	if (sc_image_identify(copy.start).hash == l->code.hash) /* a file may have changed */
		sc_origin_of_texts(l->code, &copy, false);
	sc_raw_unmap((void *)(uintptr_t)copy.start, copy.bytes);
}

bool sc_origin_put(uint32_t module, const struct sc_loaded_code *loaded)
{
	const struct sc_origin *origin = find(loaded->code);

	if (!origin && loaded->code.hash) {
		seek(loaded);
		origin = find(loaded->code);
	}
	for (const struct part *part = origin ? origin->first : NULL; part; part = part->next) {
		struct sc_op op = {
			.kind = SC_OP_MODULE_PART, .object = module, .peer = part->image};

		sc_put_op(&op, NULL, 0);
		if (part->copy)
			sc_simulated_give_text(loaded->handle, part->copy, part->bytes);
	}
	return origin != NULL;
}

/* ---- the module ---- */

const struct sc_module sc_module_origin = {SC_MODULE_STATE(sc_origins)};
