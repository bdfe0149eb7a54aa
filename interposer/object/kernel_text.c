/* Texts of kernels: images are unpacked and read when a launch asks. */
#include "interposer/object/kernel_text.h"

#define ZSTD_STATIC_LINKING_ONLY
#include <elf.h>
#include <limits.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>
#include "interposer/core/arena.h"
#include "image/fatbin.h"
#include "interposer/core/module.h"
#include "interposer/core/raw.h"
#include "ptx/loaded_address.h"

struct sc_kernel_texts sc_kernel_texts;

struct image {
	uint8_t *start; /* owned, a mapping */
	uint64_t bytes;
};

/* What the table holds. */
static char given, loaded;

/* Memory for reading images, a mapping. */
struct work {
	struct sc_loaded_address_registers registers;
	uint8_t room[] __attribute__((aligned(16))); /* of zstd */
};

static size_t work_bytes(void)
{
	return sizeof(struct work) + ZSTD_estimateDCtxSize();
}

/* ---- texts ---- */

static void note(void *context, const char *name, size_t bytes, bool is_loaded)
{
	struct sc_table *table = &sc_kernel_texts.by_name;
	uint64_t key = sc_kernel_text_name(name, bytes);

	(void)context;
	if (sc_table_get(table, key) != &loaded)
		sc_table_put(table, key, is_loaded ? &loaded : &given);
}

/* Kernels that no text has may be in it. */
void sc_kernel_text_leave_out(void)
{
	atomic_store_explicit(&sc_kernel_texts.is_incomplete, true, memory_order_relaxed);
}

static void read_text(struct work *w, const uint8_t *text, size_t bytes)
{
	static const struct sc_loaded_address_taker to = {.take = note};

	sc_loaded_address_find((const char *)text, bytes, &w->registers, &to);
}

/* ---- images ---- */

static bool unpack(struct work *w, const struct sim_fatbin_entry *entry, const uint8_t *stored,
		   uint8_t *plain)
{
	ZSTD_DCtx *zstd;

	if (entry->flags & SIM_FATBIN_LZ4)
		return LZ4_decompress_safe((const char *)stored, (char *)plain,
					   (int)entry->compressed_bytes,
					   (int)entry->plain_bytes) == (int)entry->plain_bytes;
	zstd = ZSTD_initStaticDCtx(w->room, ZSTD_estimateDCtxSize());
	return zstd && ZSTD_decompressDCtx(zstd, plain, entry->plain_bytes, stored,
					   entry->compressed_bytes) == entry->plain_bytes;
}

static void read_packed(struct work *w, const struct sim_fatbin_entry *entry, const uint8_t *stored)
{
	uint8_t *plain = NULL;

	if (entry->plain_bytes && entry->plain_bytes <= SC_KERNEL_TEXT_MOST &&
	    entry->compressed_bytes <= entry->stored_bytes && entry->compressed_bytes <= INT_MAX)
		plain = sc_arena_map(entry->plain_bytes, MAP_PRIVATE);
	if (plain && unpack(w, entry, stored, plain))
		read_text(w, plain, entry->plain_bytes);
	else
		sc_kernel_text_leave_out();
	if (plain)
		sc_raw_unmap(plain, entry->plain_bytes);
}

static void read_entry(struct work *w, const struct sim_fatbin_entry *entry, const uint8_t *stored)
{
	if (entry->flags & (SIM_FATBIN_LZ4 | SIM_FATBIN_ZSTD))
		read_packed(w, entry, stored);
	else
		read_text(w, stored, entry->stored_bytes);
}

/* The entries from `at` on; as image.c keeps them. */
static void read_entries(struct work *w, const uint8_t *at, const uint8_t *end)
{
	struct sim_fatbin_entry entry;

	while ((size_t)(end - at) >= sizeof(entry)) {
		memcpy(&entry, at, sizeof(entry));
		if (entry.header_bytes < sizeof(entry) ||
		    entry.header_bytes > (uint64_t)(end - at) ||
		    entry.stored_bytes > (uint64_t)(end - at) - entry.header_bytes)
			return;
		at += entry.header_bytes;
		if (entry.kind == SIM_FATBIN_PTX)
			read_entry(w, &entry, at);
		at += entry.stored_bytes;
	}
}

/* A text, or fatbins one after the other. */
static void read_image(struct work *w, const struct image *image)
{
	const uint8_t *at = image->start, *end = at + image->bytes;
	struct sim_fatbin_head head = {0};

	if (image->bytes >= sizeof(head))
		memcpy(&head, at, sizeof(head));
	if (head.magic != SIM_FATBIN_MAGIC) {
		if (memcmp(&head, ELFMAG, SELFMAG) != 0)
			read_text(w, at, image->bytes);
		return;
	}
	while ((size_t)(end - at) >= sizeof(head)) {
		memcpy(&head, at, sizeof(head));
		if (head.magic != SIM_FATBIN_MAGIC || head.header_bytes < sizeof(head) ||
		    head.header_bytes > (uint64_t)(end - at) ||
		    head.payload_bytes > (uint64_t)(end - at) - head.header_bytes)
			return;
		at += head.header_bytes;
		read_entries(w, at, at + head.payload_bytes);
		at += head.payload_bytes;
	}
}

/* ---- those that wait ---- */

uint8_t *sc_kernel_text_room(uint64_t bytes)
{
	struct sc_kernel_texts *t = &sc_kernel_texts;
	uint8_t *room;
	bool is_full;

	sc_lock_get(&t->lock);
	is_full = bytes > SC_KERNEL_TEXT_WAITING || t->bytes > SC_KERNEL_TEXT_WAITING - bytes;
	sc_lock_put(&t->lock);
	room = is_full ? NULL : sc_arena_map(bytes, MAP_PRIVATE);
	if (!room)
		sc_kernel_text_leave_out();
	return room;
}

void sc_kernel_text_add(uint8_t *image, uint64_t bytes)
{
	struct sc_kernel_texts *t = &sc_kernel_texts;
	struct image *waiting;

	sc_lock_get(&t->lock);
	waiting = sc_mapped_list_grow(&t->waiting, sizeof(*waiting));
	if (waiting) {
		*waiting = (struct image){image, bytes};
		t->bytes += bytes;
		/* release: pairs with the acquire in sc_kernel_text_addresses */
		atomic_fetch_add_explicit(&t->count, 1, memory_order_release);
	}
	sc_lock_put(&t->lock);
	if (waiting)
		return;
	sc_kernel_text_leave_out();
	sc_raw_unmap(image, bytes);
}

static void read_waiting(void)
{
	struct sc_kernel_texts *t = &sc_kernel_texts;
	struct work *w = sc_arena_map(work_bytes(), MAP_PRIVATE);
	const struct image *image;

	if (!w)
		return;
	sc_lock_get(&t->lock);
	image = t->waiting.start;
	for (unsigned i = 0; i < t->count; i++) {
		read_image(w, &image[i]);
		sc_raw_unmap(image[i].start, image[i].bytes);
	}
	t->waiting.used = 0;
	t->bytes = 0;
	atomic_store_explicit(&t->count, 0, memory_order_relaxed);
	sc_lock_put(&t->lock);
	sc_raw_unmap(w, work_bytes());
}

enum sc_addresses sc_kernel_text_addresses(uint64_t name)
{
	struct sc_kernel_texts *t = &sc_kernel_texts;
	const char *says = sc_table_get(&t->by_name, name);

	/* acquire: pairs with the release in sc_kernel_text_add */
	if (says != &loaded && atomic_load_explicit(&t->count, memory_order_acquire)) {
		read_waiting();
		says = sc_table_get(&t->by_name, name);
	}
	if (!says && !atomic_load_explicit(&t->is_incomplete, memory_order_relaxed))
		return SC_ADDRESSES_UNKNOWN;
	return !says || says == &loaded ? SC_ADDRESSES_LOADED : SC_ADDRESSES_GIVEN;
}

const struct sc_module sc_module_kernel_text = {SC_MODULE_STATE(sc_kernel_texts)};
