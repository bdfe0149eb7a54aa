/* Device images: finding the code in what the program loads, and writing it down once. */
#include "interposer/object/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "image/fatbin.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/core/table.h"
#include "interposer/core/module.h"
#include "interposer/core/lock.h"
#include "interposer/core/arena.h"
#include "interposer/core/scratch.h"
#include "interposer/object/kernel_text.h"
#include "base/sys.h"

struct sc_images sc_images;

#define MOST_ENTRIES 4096 /* of one image, of all its fatbins */
#define MOST_FATBINS 1024 /* that a device link put together */
#define KEEP_ALL     2	  /* option images=all */

/* Where an image comes from: memory that may not hold what its header claims, or a file. */
struct source {
	uint64_t base;
	int file;	/* -1: memory */
	uint64_t bytes; /* of the image; 0: not known */
};

/* Where it goes: through the thread's scratch, first into a hash, then into the trace. */
struct sink {
	uint8_t *buffer;
	size_t used;
	uint64_t bytes, hash;
	uint64_t total; /* known when writing */
	uint32_t id;	/* 0: only counting */
	uint8_t *copy;	/* of `total` bytes; NULL: none is made */
	/* of code that a file carries (sc_image_keep_embedded) */
	bool is_embedded, keeps_code;
	uint64_t most_code, code; /* bytes of fatbins without a text: those wanted, those taken */
};

struct sc_image_kept {
	uint32_t id;
	uint64_t bytes;
};

static bool read_memory(uint64_t address, void *to, size_t bytes)
{
	struct iovec here = {to, bytes}, there = {(void *)address, bytes};

	return sc_sys_read_memory(getpid(), &here, &there) == (ssize_t)bytes;
}

static bool read_at(const struct source *s, uint64_t offset, void *to, size_t bytes)
{
	uint64_t at;

	if (__builtin_add_overflow(s->base, offset, &at) || at > INT64_MAX)
		return false;
	if (s->file < 0)
		return read_memory(at, to, bytes);
	return syscall(SYS_pread64, s->file, to, bytes, at) == (long)bytes;
}

/* ---- the sink ---- */

static uint64_t hash_bytes(uint64_t hash, const uint8_t *data, size_t bytes)
{
	uint64_t word;
	size_t i;

	for (i = 0; i < bytes; i += sizeof(word)) {
		word = 0;
		memcpy(&word, data + i, bytes - i < sizeof(word) ? bytes - i : sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static void flush(struct sink *k)
{
	struct sc_attachment part = {SC_ATTACH_IMAGE, (uint32_t)k->used, k->buffer};
	struct sc_op op = {.kind = SC_OP_IMAGE,
			   .object = k->id,
			   .value = k->bytes - k->used,
			   .bytes = k->total};

	if (!k->used)
		return;
	k->hash = hash_bytes(k->hash, k->buffer, k->used);
	if (k->copy && k->bytes <= k->total)
		memcpy(k->copy + k->bytes - k->used, k->buffer, k->used);
	if (k->id)
		sc_put_op(&op, &part, 1);
	k->used = 0;
}

/* Room in the buffer, at least one byte. */
static size_t room(struct sink *k)
{
	if (k->used == SC_SCRATCH_BYTES)
		flush(k);
	return SC_SCRATCH_BYTES - k->used;
}

static void took(struct sink *k, size_t bytes)
{
	k->used += bytes;
	k->bytes += bytes;
}

static void add(struct sink *k, const void *data, size_t bytes)
{
	if (room(k) < bytes)
		flush(k);
	memcpy(k->buffer + k->used, data, bytes);
	took(k, bytes);
}

static bool is_too_much(const struct sink *k, uint64_t more)
{
	return more > SC_IMAGES_MOST || k->bytes > SC_IMAGES_MOST;
}

/* Copies bytes of the source. False if they cannot be read, or are too many. */
static bool copy(struct sink *k, const struct source *s, uint64_t offset, uint64_t bytes)
{
	if (is_too_much(k, bytes))
		return false;
	while (bytes) {
		size_t part = room(k);

		part = bytes < part ? bytes : part;
		if (!read_at(s, offset, k->buffer + k->used, part))
			return false;
		took(k, part);
		offset += part;
		bytes -= part;
	}
	return true;
}

/* ---- formats ---- */

static bool is_kept(const struct sink *k, const struct sim_fatbin_entry *entry)
{
	return entry->kind == SIM_FATBIN_PTX || k->keeps_code ||
	       sc_session.options.images == KEEP_ALL;
}

/* One entry: PTX whole, machine code as its head unless all is kept. */
static bool take_entry(struct sink *k, const struct source *s, uint64_t offset,
		       const struct sim_fatbin_entry *entry)
{
	struct sim_fatbin_entry kept = *entry;

	kept.header_bytes = sizeof(kept);
	if (!is_kept(k, entry))
		kept.stored_bytes = kept.compressed_bytes = 0;
	add(k, &kept, sizeof(kept));
	return !is_kept(k, entry) || copy(k, s, offset + entry->header_bytes, entry->stored_bytes);
}

/* Walks the entries. What is kept of them, or false if something cannot be read. */
static bool walk(struct sink *k, const struct source *s, uint64_t at, uint64_t end)
{
	struct sim_fatbin_entry entry = {0};
	unsigned count = 0;

	while (at < end && count++ < MOST_ENTRIES) {
		if (end - at < sizeof(entry) || !read_at(s, at, &entry, sizeof(entry)) ||
		    entry.header_bytes < sizeof(entry) || entry.header_bytes > end - at ||
		    entry.stored_bytes > end - at - entry.header_bytes)
			return false;
		if (!take_entry(k, s, at, &entry))
			return false;
		at += entry.header_bytes + entry.stored_bytes;
	}
	return at >= end;
}

/* Bytes that walking the fatbin puts into a sink; 0 if nothing of it is kept. */
static uint64_t kept_bytes(const struct sink *k, const struct source *s,
			   const struct sim_fatbin_head *head)
{
	uint64_t at = head->header_bytes, end = at + head->payload_bytes, bytes = 0;
	struct sim_fatbin_entry entry = {0};
	bool has_any = false;

	while (at < end && read_at(s, at, &entry, sizeof(entry)) &&
	       entry.header_bytes >= sizeof(entry) && entry.stored_bytes <= end - at) {
		bytes += sizeof(entry);
		if (is_kept(k, &entry)) {
			bytes += entry.stored_bytes;
			has_any = true;
		}
		at += entry.header_bytes + entry.stored_bytes;
	}
	return has_any ? bytes : 0;
}

/* The same of a fatbin in which no entry has a text, where its names are wanted. */
static uint64_t code_bytes(struct sink *k, const struct source *s,
			   const struct sim_fatbin_head *head)
{
	uint64_t bytes;

	k->keeps_code = true;
	bytes = kept_bytes(k, s, head);
	k->code = __builtin_add_overflow(k->code, bytes, &k->code) ? UINT64_MAX : k->code;
	return bytes;
}

static bool take_fatbin(struct sink *k, const struct source *s)
{
	struct sim_fatbin_head head = {0};
	uint64_t end, bytes;

	if (!read_at(s, 0, &head, sizeof(head)) || head.magic != SIM_FATBIN_MAGIC ||
	    head.header_bytes < sizeof(head) ||
	    __builtin_add_overflow(head.payload_bytes, (uint64_t)head.header_bytes, &end))
		return false;
	k->keeps_code = false;
	bytes = kept_bytes(k, s, &head);
	if (!bytes && k->is_embedded)
		bytes = code_bytes(k, s, &head);
	if (!bytes)
		return true; /* only machine code */
	if (is_too_much(k, bytes) || k->code > k->most_code)
		return false;
	add(k,
	    &(struct sim_fatbin_head){.magic = SIM_FATBIN_MAGIC,
				      .version = head.version,
				      .header_bytes = sizeof(head),
				      .payload_bytes = bytes},
	    sizeof(head));
	return walk(k, s, head.header_bytes, end);
}

/* The parts that a device link was made of: their PTX is what the linked code comes from. */
static bool take_parts(struct sink *k, uint64_t list)
{
	struct source part = {.file = -1};

	for (unsigned i = 0; i < MOST_FATBINS; i++) {
		if (!read_memory(list + i * sizeof(part.base), &part.base, sizeof(part.base)))
			return false;
		if (!part.base)
			return true;
		if (!take_fatbin(k, &part))
			return false;
	}
	return false;
}

static bool take_wrapper(struct sink *k, const struct source *s)
{
	struct sim_fatbin_wrapper wrapper = {0};
	struct source fatbin = {.file = -1};

	if (!read_at(s, 0, &wrapper, sizeof(wrapper)))
		return false;
	fatbin.base = (uint64_t)wrapper.data;
	if (!take_fatbin(k, &fatbin))
		return false;
	return wrapper.version != 2 || !wrapper.linked || take_parts(k, (uint64_t)wrapper.linked);
}

/* Text in memory ends at a zero, or where the caller said; in a file at its end. A step never
 * crosses a page. */
static bool take_text(struct sink *k, const struct source *s)
{
	uint64_t offset = 0;

	while (!is_too_much(k, 0)) {
		size_t part = 4096 - ((s->base + offset) & 4095), length;

		if (s->bytes && s->bytes - offset < part)
			part = s->bytes - offset;
		if (!part)
			return true;
		if (room(k) < part)
			flush(k);
		if (s->file >= 0) {
			long got = syscall(SYS_pread64, s->file, k->buffer + k->used, part, offset);

			took(k, got > 0 ? (size_t)got : 0);
			if (got <= 0)
				return got == 0;
			offset += (size_t)got;
			continue;
		}
		if (!read_at(s, offset, k->buffer + k->used, part))
			return false;
		length = strnlen((char *)k->buffer + k->used, part);
		took(k, length);
		offset += length;
		if (length < part)
			return true;
	}
	return false;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Machine code by itself ends after its last section or table. */
static bool find_end_of_code(const struct source *s, uint64_t *end)
{
	Elf64_Ehdr head;
	Elf64_Shdr section;

	if (!read_at(s, 0, &head, sizeof(head)) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_shentsize != sizeof(section) || head.e_shoff > INT64_MAX ||
	    head.e_phoff > INT64_MAX)
		return false;
	*end = max(head.e_shoff + (uint64_t)head.e_shnum * sizeof(section),
		   head.e_phoff + (uint64_t)head.e_phnum * head.e_phentsize);
	for (unsigned i = 0; i < head.e_shnum; i++) {
		if (!read_at(s, head.e_shoff + i * sizeof(section), &section, sizeof(section)) ||
		    section.sh_offset > INT64_MAX || section.sh_size > INT64_MAX)
			return false;
		if (section.sh_type != SHT_NOBITS)
			*end = max(*end, section.sh_offset + section.sh_size);
	}
	return true;
}

static bool take_code(struct sink *k, const struct source *s)
{
	uint64_t end;

	if (sc_session.options.images != KEEP_ALL)
		return true;
	return find_end_of_code(s, &end) && copy(k, s, 0, end);
}

/* Puts what is worth keeping of an image into the sink. */
static bool take(struct sink *k, const struct source *s)
{
	uint32_t magic = 0;
	bool ok;

	if (!read_at(s, 0, &magic, sizeof(magic)))
		return false;
	if (magic == SIM_FATBIN_MAGIC)
		ok = take_fatbin(k, s);
	else if (magic == SIM_WRAPPER_MAGIC && s->file < 0)
		ok = take_wrapper(k, s);
	else if (memcmp(&magic, ELFMAG, SELFMAG) == 0)
		ok = take_code(k, s);
	else
		ok = take_text(k, s);
	flush(k);
	return ok;
}

/* ---- images ---- */

static void say_incomplete(void)
{
	if (!sc_images.is_incomplete)
		sc_put_source("device code (not all of it could be kept)", false);
	sc_images.is_incomplete = true;
	sc_kernel_text_leave_out();
}

/* The image's id; the caller holds the lock. 0: nothing to keep, or it cannot be kept. `most_code`:
 * see sc_image_keep_embedded; NULL: for all other images. */
static uint32_t keep(const struct source *s, uint8_t *scratch, uint64_t *most_code)
{
	struct sc_images *all = &sc_images;
	struct sink count = {.buffer = scratch,
			     .is_embedded = most_code != NULL,
			     .most_code = most_code ? *most_code : 0};
	struct sink write = count;
	struct sc_image_kept *kept;

	if (!take(&count, s)) {
		if (!most_code)
			say_incomplete();
		return 0;
	}
	if (!count.bytes)
		return 0;
	kept = sc_table_get(&all->by_content, count.hash | 1);
	if (kept && kept->bytes == count.bytes)
		return kept->id;
	kept = sc_arena_get(sizeof(*kept));
	if (!kept || all->bytes + count.bytes > SC_IMAGES_MOST) {
		say_incomplete();
		return 0;
	}
	if (most_code)
		*most_code -= count.code;
	all->bytes += count.bytes;
	kept->bytes = count.bytes;
	kept->id = 1 + atomic_fetch_add_explicit(&sc_session.object_ids, 1, memory_order_relaxed);
	write.id = kept->id;
	write.total = count.bytes;
	write.copy = sc_kernel_text_room(count.bytes);
	if (!take(&write, s))
		say_incomplete();
	if (write.copy)
		sc_kernel_text_add(write.copy, count.bytes);
	sc_table_put(&all->by_content, count.hash | 1, kept);
	return kept->id;
}

static uint32_t keep_safely(const struct source *s, uint64_t *most_code)
{
	uint8_t *scratch = sc_thread_scratch();
	uint32_t id;

	if (!scratch || sc_session.options.images == 0)
		return 0;
	sc_lock_get(&sc_images.lock);
	id = keep(s, scratch, most_code);
	sc_lock_put(&sc_images.lock);
	return id;
}

/* A file as a source; its `file` is to be closed. A pipe, which has no bytes to be read twice, is
 * not waited for. */
static struct source open_source(const char *path)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

	return (struct source){.file = (int)syscall(SYS_openat, AT_FDCWD, path, flags)};
}

uint32_t sc_image_keep(const void *data, size_t bytes)
{
	return keep_safely(&(struct source){(uint64_t)data, -1, bytes}, NULL);
}

uint32_t sc_image_keep_embedded(const void *fatbin, uint64_t *most_code)
{
	return keep_safely(&(struct source){(uint64_t)fatbin, -1, 0}, most_code);
}

uint32_t sc_image_keep_file(const char *path)
{
	struct source s = open_source(path);
	uint32_t id;

	if (s.file < 0)
		return 0;
	id = keep_safely(&s, NULL);
	syscall(SYS_close, s.file);
	return id;
}

/* ---- machine code that is told from other ---- */

static struct sc_image_identity identify(const struct source *s)
{
	struct sink count = {.buffer = sc_thread_scratch()};
	uint64_t end;

	if (!count.buffer || !find_end_of_code(s, &end) || !copy(&count, s, 0, end))
		return (struct sc_image_identity){0};
	flush(&count);
	return (struct sc_image_identity){count.hash | 1, count.bytes};
}

struct sc_image_identity sc_image_identify(const void *code)
{
	return identify(&(struct source){(uint64_t)code, -1, 0});
}

struct sc_image_identity sc_image_identify_file(const char *path)
{
	struct source s = open_source(path);
	struct sc_image_identity identity;

	if (s.file < 0)
		return (struct sc_image_identity){0};
	identity = identify(&s);
	syscall(SYS_close, s.file);
	return identity;
}

uint8_t *sc_image_copy(const void *code, const char *path, uint64_t bytes)
{
	struct source s = path ? open_source(path) : (struct source){(uint64_t)code, -1, 0};
	bool is_readable = (!path || s.file >= 0) && bytes && bytes <= SC_IMAGES_MOST;
	uint8_t *copy = is_readable ? sc_arena_map(bytes, MAP_PRIVATE) : NULL;

	if (copy && !read_at(&s, 0, copy, bytes)) {
		sc_raw_unmap(copy, bytes);
		copy = NULL;
	}
	if (s.file >= 0)
		syscall(SYS_close, s.file);
	return copy;
}

/* ---- the module ---- */

const struct sc_module sc_module_image = {SC_MODULE_STATE(sc_images)};
