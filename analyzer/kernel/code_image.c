/* Images: put together from pieces, unpacked on first use. */
#include "analyzer/kernel/code_image.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "image/names.h"
#include "image/text.h"

#define TEXT_MOST ((size_t)64 << 20)  /* of one text */
#define ALL_MOST  ((size_t)256 << 20) /* of all */

void sc_code_images_free(struct sc_code_images *all)
{
	while (all && all->list) {
		struct sc_code_image *i = all->list;

		all->list = i->next;
		for (size_t n = 0; n < i->texts.count; n++)
			sc_code_text_fini(&i->texts.items[n]);
		sc_vector_fini(&i->texts);
		sc_vector_fini(&i->bytes);
		sim_image_free(i->declared);
		sim_image_free(i->names);
		free(i);
	}
	if (all)
		sc_u64_map_fini(&all->by_id);
	free(all);
}

struct sc_code_image *sc_code_images_find(const struct sc_code_images *all, uint32_t id)
{
	const uint64_t *place = sc_u64_map_find(&all->by_id, id);

	return place ? (struct sc_code_image *)(uintptr_t)*place : NULL;
}

static struct sc_code_image *image_of(struct sc_code_images *all, uint32_t id, uint64_t total)
{
	uint64_t *place = sc_u64_map_get(&all->by_id, id);
	struct sc_code_image *i = (struct sc_code_image *)(uintptr_t)*place;

	if (i)
		return i;
	i = sc_heap_xcalloc(1, sizeof(*i));
	i->total = total;
	i->next = all->list;
	all->list = i;
	*place = (uintptr_t)i;
	return i;
}

static void drop_bytes(struct sc_code_images *all, struct sc_code_image *i)
{
	all->held_bytes -= i->bytes.count;
	sc_vector_fini(&i->bytes);
}

/* Pieces come in order; one that does not fit leaves the image broken. */
void sc_code_images_note(struct sc_code_images *all, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const void *data = sc_record_attachment(r, SC_ATTACH_IMAGE, &bytes);
	struct sc_code_image *i = image_of(all, r->op.object, r->op.bytes);

	if (i->is_open || !data || r->op.value != i->bytes.count || r->op.bytes != i->total ||
	    bytes > i->total - i->bytes.count) {
		i->is_broken = 1;
		return;
	}
	if (all->most && bytes > all->most - all->held_bytes) {
		i->is_broken = 1;
		drop_bytes(all, i);
		return;
	}
	sc_vector_reserve(&i->bytes, bytes);
	if (bytes)
		memcpy(i->bytes.items + i->bytes.count, data, bytes);
	i->bytes.count += bytes;
	all->held_bytes += bytes;
}

static size_t text_most(const struct sc_code_images *all)
{
	return all->most ? all->most : ALL_MOST;
}

struct unpacking {
	struct sc_code_images *all;
	struct sc_code_image *image;
	bool is_cut; /* a text was left out */
};

static void take_text(void *context, const char *text, size_t bytes)
{
	struct unpacking *u = context;

	u->is_cut |= bytes > text_most(u->all) - u->all->text_bytes;
	if (bytes > text_most(u->all) - u->all->text_bytes)
		return;
	u->all->text_bytes += bytes;
	sc_vector_push(&u->image->texts, sc_code_text_of(text, bytes));
}

void sc_code_image_open(struct sc_code_images *all, struct sc_code_image *i,
			const struct sc_code_wish *wish)
{
	struct unpacking u = {.all = all, .image = i};
	struct sim_text_request request = {wish->arch, TEXT_MOST, take_text, &u};
	bool is_sure = 0, is_whole = 0;
	int err;

	if (i->is_open)
		return;
	i->is_open = 1;
	if (!i->is_broken && i->bytes.count == i->total && all->text_bytes < text_most(all)) {
		err = sim_image_texts(i->bytes.items, i->bytes.count, &request, &is_sure);
		sc_heap_check(err);
		is_whole = !err && !u.is_cut;
	}
	i->is_sure = is_sure;
	if (wish->names && is_whole)
		sc_heap_check(sim_image_names(i->bytes.items, i->bytes.count, &i->names));
	if (wish->layout && !i->is_broken && i->bytes.count == i->total)
		sc_heap_check(sim_image_parse(i->bytes.items, i->bytes.count, &i->declared));
	drop_bytes(all, i);
}
