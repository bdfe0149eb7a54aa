/* Code: images put together, unpacked on first use, and asked for footprints. */
#include "analyzer/code.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/vector.h"
#include "image/text.h"

#define TEXT_MOST ((size_t)64 << 20)  /* of one text */
#define ALL_MOST  ((size_t)256 << 20) /* of all */

struct sc_code_image {
	struct sc_code_image *next;
	SC_VECTOR(uint8_t) bytes; /* until it is unpacked */
	SC_VECTOR(struct sc_footprint_module *) modules;
	uint64_t total;
	_Bool is_broken; /* pieces are missing */
	_Bool is_open;	 /* unpacked, or it cannot be */
	_Bool is_sure;
};

struct kernel {
	const char *name;
	uint32_t module;
	_Bool is_sought;
	_Bool is_sure;
	struct sc_footprint_kernel *code; /* NULL: none */
};

static void *value_of(const struct sc_u64_map *m, uint64_t key)
{
	const uint64_t *place = sc_u64_map_find(m, key);

	return place ? (void *)(uintptr_t)*place : NULL;
}

void sc_code_fini(struct sc_code *c)
{
	while (c->list) {
		struct sc_code_image *i = c->list;

		c->list = i->next;
		for (size_t n = 0; n < i->modules.count; n++)
			sc_footprint_free(i->modules.items[n]);
		sc_vector_fini(&i->modules);
		sc_vector_fini(&i->bytes);
		free(i);
	}
	sc_u64_map_fini(&c->images);
	sc_u64_map_fini(&c->modules);
	sc_u64_map_fini(&c->kernels);
	sc_arena_fini(&c->arena);
}

static struct sc_code_image *image_of(struct sc_code *c, uint32_t id, uint64_t total)
{
	uint64_t *place = sc_u64_map_get(&c->images, id);
	struct sc_code_image *i = (struct sc_code_image *)(uintptr_t)*place;

	if (i)
		return i;
	i = sc_heap_xcalloc(1, sizeof(*i));
	i->total = total;
	i->next = c->list;
	c->list = i;
	*place = (uintptr_t)i;
	return i;
}

/* Pieces come in order; one that does not fit leaves the image broken. */
static void add_piece(struct sc_code *c, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const void *data = sc_record_attachment(r, SC_ATTACH_IMAGE, &bytes);
	struct sc_code_image *i = image_of(c, r->op.object, r->op.bytes);

	if (i->is_open || !data || r->op.value != i->bytes.count || r->op.bytes != i->total ||
	    bytes > i->total - i->bytes.count) {
		i->is_broken = 1;
		return;
	}
	sc_vector_reserve(&i->bytes, bytes);
	if (bytes)
		memcpy(i->bytes.items + i->bytes.count, data, bytes);
	i->bytes.count += bytes;
}

static void add_kernel(struct sc_code *c, const struct sc_record *r)
{
	struct kernel *k = SC_ARENA_XNEW(&c->arena, struct kernel);
	uint32_t bytes = 0;
	const char *name = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);

	k->name = sc_arena_xtext(&c->arena, name, bytes);
	k->module = r->op.peer;
	*sc_u64_map_get(&c->kernels, r->op.object) = (uintptr_t)k;
}

static void add_device(struct sc_code *c, uint32_t arch)
{
	if (c->has_device && c->arch != arch)
		arch = 0;
	c->arch = arch;
	c->has_device = 1;
}

void sc_code_note(struct sc_code *c, const struct sc_record *r)
{
	switch (r->op.kind) {
	case SC_OP_IMAGE: add_piece(c, r); break;
	case SC_OP_FUNCTION: add_kernel(c, r); break;
	case SC_OP_MODULE_LOAD:
		if (r->op.peer)
			*sc_u64_map_get(&c->modules, r->op.object) = r->op.peer;
		break;
	case SC_OP_DEVICE: add_device(c, (uint32_t)(r->op.value >> SC_DEVICE_ARCH_SHIFT)); break;
	}
}

struct unpacking {
	struct sc_code *code;
	struct sc_code_image *image;
};

static void take_text(void *context, const char *text, size_t bytes)
{
	struct unpacking *u = context;

	if (bytes > ALL_MOST - u->code->text_bytes)
		return;
	u->code->text_bytes += bytes;
	sc_vector_push(&u->image->modules, sc_footprint_parse(text, bytes));
}

static void open_image(struct sc_code *c, struct sc_code_image *i)
{
	struct unpacking u = {c, i};
	struct sim_text_request request = {c->arch, TEXT_MOST, take_text, &u};
	_Bool is_sure = 0;

	if (i->is_open)
		return;
	i->is_open = 1;
	if (!i->is_broken && i->bytes.count == i->total && c->text_bytes < ALL_MOST)
		(void)sim_image_texts(i->bytes.items, i->bytes.count, &request, &is_sure);
	i->is_sure = is_sure;
	sc_vector_fini(&i->bytes);
}

/* A kernel that two texts define may be either, so it is none. */
static void seek(struct sc_code *c, struct kernel *k)
{
	uint64_t id = (uintptr_t)value_of(&c->modules, k->module);
	struct sc_code_image *i = id ? value_of(&c->images, id) : NULL;

	k->is_sought = 1;
	if (!i)
		return;
	open_image(c, i);
	for (size_t n = 0; n < i->modules.count; n++) {
		struct sc_footprint_kernel *code = sc_footprint_find(i->modules.items[n], k->name);

		if (code && !k->code) {
			k->code = code;
			k->is_sure = i->is_sure;
		} else if (code) {
			k->code = NULL;
			return;
		}
	}
}

_Bool sc_code_footprint(struct sc_code *c, uint32_t kernel,
			const struct sc_footprint_launch *launch, struct sc_footprint *out,
			_Bool *is_sure)
{
	struct kernel *k = value_of(&c->kernels, kernel);

	if (!k)
		return 0;
	if (!k->is_sought)
		seek(c, k);
	if (!k->code || launch->param_bytes < sc_footprint_param_bytes(k->code))
		return 0;
	*out = sc_footprint_of(k->code, launch);
	*is_sure = k->is_sure;
	return 1;
}
