/* Device code that the program's files carry: finding the wrappers of a file, and keeping what they
 * stand for. */
#include "interposer/object/embedded.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "image/fatbin.h"
#include "interposer/core/arena.h"
#include "interposer/core/elf_file.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/object/image.h"
#include "base/sys.h"

struct sc_embedded sc_embedded;

#define MOST_FATBINS 4000		  /* of one file */
#define MOST_DATA    ((uint64_t)64 << 20) /* of one file, where the wrappers are sought by magic */
#define MOST_CODE    ((uint64_t)4 << 20)  /* of fatbins without a text in one file */
#define STEP	     8			  /* wrappers are aligned so */

/* Tells a file from another that takes its place; all zero: not known, so it is always another. */
struct identity {
	uint64_t device, inode, bytes, changed_s, changed_ns;
};

struct file {
	struct identity identity;
	struct sc_handle *module; /* NULL: it carries no device code */
};

/* A file that is looked through. */
struct look {
	const struct dl_phdr_info *info;
	struct sc_handle *module; /* made for the first wrapper */
	uint32_t fatbins;
	bool is_partial;    /* a fatbin may have been missed */
	bool has_unknown;   /* the trace says that one was not kept */
	uint64_t most_code; /* that may yet be kept */
};

static bool read_memory(uint64_t address, void *to, size_t bytes)
{
	struct iovec here = {to, bytes}, there = {(void *)address, bytes};

	return sc_sys_read_memory(getpid(), &here, &there) == (ssize_t)bytes;
}

/* ---- wrappers ---- */

static void put_choice(struct look *l, uint32_t image)
{
	struct sc_op op = {.kind = SC_OP_MODULE_CHOICE, .object = l->module->id, .peer = image};

	if (!image && l->has_unknown)
		return;
	l->has_unknown |= !image;
	sc_put_op(&op, NULL, 0);
}

static void take_fatbin(struct look *l, const void *fatbin)
{
	if (l->fatbins++ < MOST_FATBINS)
		put_choice(l, sc_image_keep_embedded(fatbin, &l->most_code));
	else
		put_choice(l, 0);
}

/* The parts that a device link was made of; false if there are none. What was linked has their
 * kernels. */
static bool take_parts(struct look *l, const void *const *list)
{
	const void *part = NULL;
	unsigned n = 0;

	for (; l->fatbins < MOST_FATBINS; n++) {
		if (!read_memory((uint64_t)(list + n), &part, sizeof(part)))
			break;
		if (!part)
			return n > 0;
		take_fatbin(l, part);
	}
	put_choice(l, 0);
	return true;
}

static void take(struct look *l, const struct sim_fatbin_wrapper *wrapper)
{
	if (!l->module)
		l->module = sc_handle_make(SC_HANDLE_MODULE, l->info->dlpi_phdr, 0, 0);
	if (!l->module)
		return;
	l->module->is_embedded = true;
	if (wrapper->version == 1 || !wrapper->linked || !take_parts(l, wrapper->linked))
		take_fatbin(l, wrapper->data);
}

static bool is_wrapper(const struct sim_fatbin_wrapper *w)
{
	uint32_t magic = 0;

	return w->magic == SIM_WRAPPER_MAGIC && (w->version == 1 || w->version == 2) &&
	       read_memory((uint64_t)w->data, &magic, sizeof(magic)) && magic == SIM_FATBIN_MAGIC;
}

/* Takes the wrappers of a piece of memory that was copied; how many bytes of it are done. */
static size_t take_all(struct look *l, const uint8_t *copy, size_t bytes)
{
	struct sim_fatbin_wrapper wrapper;
	size_t at = 0;

	while (bytes - at >= sizeof(wrapper)) {
		memcpy(&wrapper, copy + at, sizeof(wrapper));
		if (!is_wrapper(&wrapper)) {
			l->is_partial |= wrapper.magic == SIM_WRAPPER_MAGIC;
			at += STEP;
			continue;
		}
		take(l, &wrapper);
		at += sizeof(wrapper);
	}
	return at;
}

/* Looks for wrappers in memory that may not be there: what cannot be read is left out. */
static void scan(struct look *l, uint64_t start, uint64_t bytes)
{
	uint64_t at = (start + STEP - 1) & ~(uint64_t)(STEP - 1), end = start + bytes;
	uint8_t copy[SC_PAGE];

	while (at < end && end - at >= sizeof(struct sim_fatbin_wrapper)) {
		size_t part = end - at < sizeof(copy) ? (size_t)(end - at) : sizeof(copy);

		if (read_memory(at, copy, part)) {
			at += take_all(l, copy, part);
		} else {
			l->is_partial = true;
			at = (at & ~(SC_PAGE - 1)) + SC_PAGE;
		}
	}
}

/* ---- files ---- */

/* The loaded segment that holds all these bytes, by the file's own addresses; NULL: none does. */
static const ElfW(Phdr) *
	segment_of(const struct dl_phdr_info *info, uint64_t address, uint64_t bytes)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && address >= p->p_vaddr &&
		    address - p->p_vaddr < p->p_memsz &&
		    bytes <= p->p_memsz - (address - p->p_vaddr))
			return p;
	}
	return NULL;
}

/* Without section headers: all that is loaded and not code. */
static void scan_data(struct look *l)
{
	uint64_t left = MOST_DATA;

	for (unsigned i = 0; i < l->info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &l->info->dlpi_phdr[i];
		uint64_t bytes = p->p_filesz < left ? p->p_filesz : left;

		if (p->p_type != PT_LOAD || (p->p_flags & PF_X))
			continue;
		scan(l, l->info->dlpi_addr + p->p_vaddr, bytes);
		l->is_partial |= bytes < p->p_filesz;
		left -= bytes;
	}
}

static void look_through(struct look *l, const char *path)
{
	const Elf64_Shdr *section;
	struct sc_elf_file f;

	if (!sc_elf_file_open(&f, path)) {
		scan_data(l);
		return;
	}
	section = sc_elf_file_section(&f, ".nvFatBinSegment");
	if (section && segment_of(l->info, section->sh_addr, section->sh_size))
		scan(l, l->info->dlpi_addr + section->sh_addr, section->sh_size);
	sc_elf_file_close(&f);
}

static struct identity identify(const char *path)
{
	struct stat s;

	if (sc_raw(SYS_newfstatat, (uint64_t)AT_FDCWD, (uint64_t)path, (uint64_t)&s, 0, 0, 0))
		return (struct identity){0};
	return (struct identity){s.st_dev, s.st_ino, (uint64_t)s.st_size,
				 (uint64_t)s.st_mtim.tv_sec, (uint64_t)s.st_mtim.tv_nsec};
}

static bool is_same(const struct identity *a, const struct identity *b)
{
	return a->inode && a->inode == b->inode && a->device == b->device && a->bytes == b->bytes &&
	       a->changed_s == b->changed_s && a->changed_ns == b->changed_ns;
}

/* The module of a loaded file; looks the file through unless that was done. Under the lock. */
static struct sc_handle *module_of(const struct dl_phdr_info *info)
{
	const char *path =
		info->dlpi_name && info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
	struct look l = {.info = info, .most_code = MOST_CODE};
	struct identity identity = identify(path);
	uint64_t key = (uint64_t)info->dlpi_phdr;
	struct file *file = sc_table_get(&sc_embedded.files, key);

	if (file && is_same(&file->identity, &identity))
		return file->module;
	look_through(&l, path);
	if (l.module && l.is_partial)
		put_choice(&l, 0);
	file = file ? file : sc_arena_get(sizeof(*file));
	if (file) {
		*file = (struct file){identity, l.module};
		sc_table_put(&sc_embedded.files, key, file);
	}
	return l.module;
}

struct search {
	uint64_t place;
	struct sc_handle *module;
};

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;

	(void)size;
	if (!segment_of(info, search->place - info->dlpi_addr, 1))
		return 0;
	sc_lock_get(&sc_embedded.lock);
	search->module = module_of(info);
	sc_lock_put(&sc_embedded.lock);
	return 1;
}

struct sc_handle *sc_embedded_module(uint64_t place)
{
	struct search search = {.place = place};

	atomic_store_explicit(&sc_embedded.is_used, true, memory_order_relaxed);
	if (!place || !sc_session.options.images)
		return NULL;
	sc_self.busy++;
	dl_iterate_phdr(visit, &search);
	sc_self.busy--;
	return search.module;
}

/* ---- what may be gone ---- */

void sc_embedded_changed(void)
{
	if (!atomic_load_explicit(&sc_embedded.is_used, memory_order_relaxed))
		return;
	/* release: pairs with the acquire in sc_embedded_changes */
	atomic_fetch_add_explicit(&sc_embedded.changes, 1, memory_order_release);
	sc_handle_count_function();
}

/* ---- what is not sought ---- */

void sc_embedded_exclude(uint64_t name_hash)
{
	sc_table_put(&sc_embedded.seen, name_hash | 1, &sc_embedded);
}

bool sc_embedded_is_excluded(uint64_t name_hash)
{
	return sc_table_get(&sc_embedded.seen, name_hash | 1) != NULL;
}

/* ---- the module ---- */

const struct sc_module sc_module_embedded = {SC_MODULE_STATE(sc_embedded)};
