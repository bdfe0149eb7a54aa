/* Names of libraries that are not there: tables of loaded objects, and references that are cleared.
 */
#include "interposer/core/absent.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "interposer/core/raw.h"

/* What a loaded object's dynamic section says; addresses as they are in memory, NULL: none. */
struct object {
	uint64_t base, start, end; /* of all its segments */
	uint64_t relro, relro_end; /* pages that are read-only since the loader was done */
	const ElfW(Sym) * symbols;
	const char *names;
	const uint32_t *hash; /* DT_GNU_HASH */
	const ElfW(Rela) * relocations, *jumps;
	size_t count, relative_count, jump_count;
	const ElfW(Phdr) * segments;
	unsigned segment_count;
};

/* Functions of this library's own, which others refer to weakly where it may be missing. */
static const char *const own_prefixes[] = {"streamcheck_", "InitializeInjectionNvtx"};

static atomic_uint settled;		   /* objects at the beginning of the loader's list */
static _Atomic unsigned long long removed; /* objects that had been unloaded by then */

/* ---- objects ---- */

/* The loader moves these addresses in place, but those of the kernel's own object. */
static const void *address_of(const struct object *o, uint64_t value)
{
	return (const void *)(value < o->base ? o->base + value : value);
}

static void read_entry(struct object *o, const ElfW(Dyn) * d)
{
	switch (d->d_tag) {
	case DT_SYMTAB: o->symbols = address_of(o, d->d_un.d_ptr); break;
	case DT_STRTAB: o->names = address_of(o, d->d_un.d_ptr); break;
	case DT_GNU_HASH: o->hash = address_of(o, d->d_un.d_ptr); break;
	case DT_RELA: o->relocations = address_of(o, d->d_un.d_ptr); break;
	case DT_RELASZ: o->count = d->d_un.d_val / sizeof(ElfW(Rela)); break;
	case DT_RELACOUNT: o->relative_count = d->d_un.d_val; break;
	case DT_JMPREL: o->jumps = address_of(o, d->d_un.d_ptr); break;
	case DT_PLTRELSZ: o->jump_count = d->d_un.d_val / sizeof(ElfW(Rela)); break;
	default: break;
	}
}

/* False if it has no symbols. */
static bool read_object(const struct dl_phdr_info *info, struct object *o)
{
	const ElfW(Dyn) *dynamic = NULL;
	uint64_t page = (uint64_t)getpagesize();

	*o = (struct object){.base = info->dlpi_addr,
			     .start = UINT64_MAX,
			     .segments = info->dlpi_phdr,
			     .segment_count = info->dlpi_phnum};
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;

		if (p->p_type == PT_LOAD) {
			o->start = start < o->start ? start : o->start;
			o->end = end > o->end ? end : o->end;
		} else if (p->p_type == PT_GNU_RELRO) {
			o->relro = start & ~(page - 1);
			o->relro_end = end & ~(page - 1);
		} else if (p->p_type == PT_DYNAMIC) {
			dynamic = (const void *)start;
		}
	}
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
		read_entry(o, dynamic);
	return o->symbols && o->names;
}

static bool is_this(const struct object *o)
{
	uint64_t here = (uint64_t)&settled;

	return here - o->start < o->end - o->start;
}

/* ---- names ---- */

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* The table is: numbers of buckets, of the first symbol, of words of the filter, and a shift;
 * filter, buckets, and for each symbol its hash, whose lowest bit ends a bucket. */
static bool defines(const struct object *o, const char *name, uint32_t hash)
{
	const uint32_t *h = o->hash;
	const uint64_t *filter = h ? (const uint64_t *)(h + 4) : NULL;
	const uint32_t *buckets, *chain;
	uint64_t word;
	uint32_t i;

	if (!h || !h[0] || !h[2])
		return false;
	word = filter[hash / 64 % h[2]];
	if (!(word >> hash % 64 & word >> (hash >> h[3]) % 64 & 1))
		return false;
	buckets = (const uint32_t *)(filter + h[2]);
	chain = buckets + h[0];
	i = buckets[hash % h[0]];
	if (i < h[1])
		return false;
	for (;; i++) {
		const ElfW(Sym) *s = &o->symbols[i];

		if ((chain[i - h[1]] | 1) == (hash | 1) && s->st_shndx != SHN_UNDEF &&
		    !strcmp(o->names + s->st_name, name))
			return true;
		if (chain[i - h[1]] & 1)
			return false;
	}
}

struct question {
	const char *name;
	uint32_t hash;
	bool is_others;
};

static int ask(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct question *q = data;
	struct object o;

	(void)bytes;
	q->is_others = read_object(info, &o) && !is_this(&o) && defines(&o, q->name, q->hash);
	return q->is_others;
}

static bool is_own(const char *name)
{
	for (size_t i = 0; i < sizeof(own_prefixes) / sizeof(*own_prefixes); i++)
		if (!strncmp(name, own_prefixes[i], strlen(own_prefixes[i])))
			return true;
	return false;
}

static int read_this(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct object *o = data;

	(void)bytes;
	return read_object(info, o) && is_this(o);
}

/* This library, which stays where it is. Empty until the program begins: a sanitizer's runtime
 * looks functions up while it is not ready for calls of those that it replaces, which are the
 * loader's, too. */
static struct object this;

bool sc_absent_may_be(const char *name)
{
	return this.hash && defines(&this, name, hash_of(name)) && !is_own(name);
}

static bool is_absent(const char *name)
{
	struct question q = {.name = name, .hash = hash_of(name)};

	if (!sc_absent_may_be(name))
		return false;
	dl_iterate_phdr(ask, &q);
	return !q.is_others;
}

/* ---- references ---- */

/* False for code that the loader wrote to (DT_TEXTREL), which it closed again. */
static bool is_data(const struct object *o, uint64_t address)
{
	for (unsigned i = 0; i < o->segment_count; i++) {
		const ElfW(Phdr) *p = &o->segments[i];

		if (p->p_type == PT_LOAD && address - o->base - p->p_vaddr < p->p_memsz)
			return p->p_flags & PF_W;
	}
	return false;
}

static void clear(const struct object *o, uint64_t *slot, uint64_t value)
{
	uint64_t page = (uint64_t)getpagesize(), start = (uint64_t)slot & ~(page - 1);
	bool is_closed = start >= o->relro && start < o->relro_end;

	if (!is_data(o, (uint64_t)slot))
		return;
	if (is_closed && sc_raw_mprotect(start, page, PROT_READ | PROT_WRITE))
		return;
	*slot = value;
	if (is_closed)
		sc_raw_mprotect(start, page, PROT_READ);
}

static void settle_one(const struct object *o, const ElfW(Rela) * r)
{
	const ElfW(Sym) *s = &o->symbols[ELF64_R_SYM(r->r_info)];
	unsigned type = (unsigned)ELF64_R_TYPE(r->r_info);
	uint64_t addend = type == R_X86_64_64 ? (uint64_t)r->r_addend : 0;
	uint64_t *slot = (uint64_t *)(o->base + r->r_offset);

	if ((type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT && type != R_X86_64_64) ||
	    s->st_shndx != SHN_UNDEF || ELF64_ST_BIND(s->st_info) != STB_WEAK)
		return;
	if (*slot - addend - this.start < this.end - this.start && is_absent(o->names + s->st_name))
		clear(o, slot, addend);
}

static void settle(const struct object *o)
{
	size_t i = o->relocations ? o->relative_count : o->count; /* those come first */

	for (; i < o->count; i++)
		settle_one(o, &o->relocations[i]);
	for (i = 0; o->jumps && i < o->jump_count; i++)
		settle_one(o, &o->jumps[i]);
}

/* Objects are put at the end of the list; after one was unloaded, all are looked at. */
struct round {
	unsigned index, from;
};

static int settle_next(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct round *r = data;
	struct object o;

	(void)bytes;
	if (!r->index && atomic_exchange(&removed, info->dlpi_subs) != info->dlpi_subs)
		r->from = 0;
	if (r->index++ >= r->from && read_object(info, &o) && !is_this(&o))
		settle(&o);
	return 0;
}

void sc_absent_settle(void)
{
	struct round r = {.from = atomic_load(&settled)};
	int saved = errno;

	if (!r.from)
		dl_iterate_phdr(read_this, &this);
	dl_iterate_phdr(settle_next, &r);
	atomic_store(&settled, r.index);
	errno = saved;
}
