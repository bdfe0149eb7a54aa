/* Code: images that say the same of fewer things, and parameters that lead to the same bytes. */
#include "extensions/anonymize/code.h"

#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "extensions/anonymize/ptx.h"
#include "image/fatbin.h"
#include "image/write.h"

#define ANY_ARCH	80 /* where the device's is not known */
#define HIGHEST_ADDRESS UINT64_C(0x7FFFFFFFFFFF)
#define HALF		((uint32_t)sizeof(uint32_t)) /* of a word: most numbers are as long */

/* ---- images ---- */

struct entry {
	uint16_t kind;
	uint32_t arch;
	const void *data;
	size_t bytes;
};

static size_t padded(size_t bytes)
{
	return (bytes + 7) & ~(size_t)7;
}

static void add_fatbin(struct sc_buf *out, const struct entry *entries, size_t count)
{
	struct sim_fatbin_head head = {
		.magic = SIM_FATBIN_MAGIC, .version = 1, .header_bytes = sizeof(head)};

	for (size_t i = 0; i < count; i++)
		head.payload_bytes += sizeof(struct sim_fatbin_entry) + padded(entries[i].bytes);
	sc_buf_add_bytes(out, &head, sizeof(head));
	for (size_t i = 0; i < count; i++) {
		struct sim_fatbin_entry e = {.kind = entries[i].kind,
					     .version = 0x101,
					     .header_bytes = sizeof(e),
					     .stored_bytes = padded(entries[i].bytes),
					     .arch = entries[i].arch};

		sc_buf_add_bytes(out, &e, sizeof(e));
		sc_buf_add_bytes(out, entries[i].data, entries[i].bytes);
		sc_buf_fill(out, '\0', padded(entries[i].bytes) - entries[i].bytes);
	}
}

/* Machine code of another architecture than the text's makes the text unsure, as it was. */
static void add_text(struct sc_private_names *n, const struct sc_code *code,
		     const struct sc_code_image *i, const struct sc_code_text *text,
		     struct sc_buf *out)
{
	uint32_t arch = code->arch ? code->arch : ANY_ARCH;
	struct sc_buf ptx = {0};
	struct entry entries[2] = {{.kind = SIM_FATBIN_PTX, .arch = i->is_sure ? arch : arch - 1},
				   {.kind = SIM_FATBIN_ELF, .arch = arch}};

	sc_private_ptx(n, text->text, text->bytes, &ptx);
	sc_buf_add_char(&ptx, '\n');
	entries[0].data = sc_buf_text(&ptx);
	entries[0].bytes = ptx.bytes;
	add_fatbin(out, entries, i->is_sure ? 1 : 2);
	sc_buf_fini(&ptx);
}

/* The kernels of machine code that has no text; where their names are not known, machine code that
 * nobody can read. */
static void add_machine_code(struct sc_private_names *n, const struct sc_code *code,
			     const struct sc_code_image *i, struct sc_buf *out)
{
	static const char unreadable[8] = "";
	struct sim_image image = {.kernel_count = i->names ? i->names->kernel_count : 0};
	struct entry e = {SIM_FATBIN_ELF, code->arch ? code->arch : ANY_ARCH, unreadable,
			  sizeof(unreadable)};
	char(*names)[SC_PRIVATE_NAME] = sc_heap_xcalloc(image.kernel_count + 1, sizeof(*names));
	void *file = NULL;

	image.kernels = sc_heap_xcalloc(image.kernel_count + 1, sizeof(*image.kernels));
	for (size_t k = 0; k < image.kernel_count; k++) {
		const char *name = i->names->kernels[k].name;

		image.kernels[k].name = names[k];
		sc_private_kernel(n, name, strlen(name), names[k]);
	}
	if (image.kernel_count && !sim_cubin_write(&image, NULL, 0, &file, &e.bytes))
		e.data = file;
	if (image.kernel_count || !i->names)
		add_fatbin(out, &e, 1);
	free(file);
	free(image.kernels);
	free(names);
}

void sc_private_image(struct sc_private_names *n, struct sc_code *code, uint32_t id,
		      struct sc_buf *out)
{
	const struct sc_code_wish wish = {.arch = code->arch, .names = 1, .layout = 1};
	struct sc_code_image *i = code->images ? sc_code_images_find(code->images, id) : NULL;

	if (!i)
		return;
	sc_code_image_open(code->images, i, &wish);
	if (!i->texts.count && !i->names)
		return;
	for (size_t t = 0; t < i->texts.count; t++)
		add_text(n, code, i, &i->texts.items[t], out);
	add_machine_code(n, code, i, out);
}

/* ---- parameters ---- */

struct launch {
	const struct sc_code_kernel *kernel;
	struct sc_launch head;
	uint32_t bytes; /* of parameters */
};

/* A short text in a struct is a number as large as an address, whose lowest byte is mostly 0. */
static bool is_text(uint64_t word)
{
	for (; word; word >>= 8)
		if ((word & 0xFF) < ' ' || (word & 0xFF) > '~')
			return 0;
	return 1;
}

static bool is_place(const struct sc_private_words *w, uint64_t word)
{
	return (word >= w->lowest && word <= HIGHEST_ADDRESS && !is_text(word)) ||
	       (word && sc_u64_map_find(&w->handles, word));
}

static struct sc_footprint footprint_of(const struct launch *l, const uint8_t *params)
{
	struct sc_footprint_launch launch = {
		.shared_bytes = l->head.shared_bytes, .param_bytes = l->bytes, .params = params};
	struct sc_footprint f = {0};

	memcpy(launch.grid, l->head.grid, sizeof(launch.grid));
	memcpy(launch.block, l->head.block, sizeof(launch.block));
	if (!sc_code_footprint(l->kernel, &launch, &f))
		f.ranges = NULL;
	return f;
}

static bool is_same(struct sc_footprint a, struct sc_footprint b)
{
	if (a.count != b.count || a.is_exact != b.is_exact || !a.ranges != !b.ranges)
		return 0;
	for (size_t i = 0; a.ranges != b.ranges && i < a.count; i++) {
		const struct sc_footprint_range *r = &a.ranges[i], *s = &b.ranges[i];

		if (memcmp(r, s, offsetof(struct sc_footprint_range, line)) != 0 ||
		    r->may_be_offset != s->may_be_offset || r->early != s->early)
			return 0;
	}
	return 1;
}

/* Keeps each number, a half of a word by itself, without which other bytes would be touched:
 * `original` becomes what stays of it, of which `cleared` has the addresses only. */
static void keep_needed(const struct launch *l, uint8_t *original, const uint8_t *cleared)
{
	struct sc_footprint wanted = footprint_of(l, original);
	uint8_t half[HALF];

	if (is_same(footprint_of(l, cleared), wanted)) {
		memcpy(original, cleared, l->bytes);
		return;
	}
	for (uint32_t at = 0; at + HALF <= l->bytes; at += HALF) {
		memcpy(half, original + at, HALF);
		memcpy(original + at, cleared + at, HALF);
		if (memcmp(half, cleared + at, HALF) && !is_same(footprint_of(l, original), wanted))
			memcpy(original + at, half, HALF);
	}
}

void sc_private_params(struct sc_private_words *w, struct sc_code *code, uint32_t kernel,
		       uint8_t *data, uint32_t bytes)
{
	struct launch l = {.kernel = sc_code_kernel(code, kernel)};
	uint8_t *params = data + sizeof(l.head), *cleared;

	if (bytes <= sizeof(l.head))
		return;
	memcpy(&l.head, data, sizeof(l.head));
	l.bytes = bytes - (uint32_t)sizeof(l.head);
	cleared = (uint8_t *)sc_heap_xcopy(params, l.bytes);
	for (uint32_t at = 0; at < l.bytes; at += 8) {
		uint32_t part = l.bytes - at < 8 ? l.bytes - at : 8;
		uint64_t word = 0;

		memcpy(&word, cleared + at, part);
		if (!is_place(w, word))
			memset(cleared + at, 0, part);
	}
	if (l.kernel && l.kernel->code)
		keep_needed(&l, params, cleared);
	else
		memcpy(params, cleared, l.bytes);
	free(cleared);
}

void sc_private_words_fini(struct sc_private_words *w)
{
	sc_u64_map_fini(&w->handles);
}
