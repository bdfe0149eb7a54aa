/* Loaded objects: their tables. */
#include "interposer/core/loaded_object.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "interposer/core/raw.h"

/* The loader moves these addresses in place, but those of the kernel's own object. */
static const void *address_of(const struct sc_loaded_object *o, uint64_t value)
{
	return (const void *)(value < o->base ? o->base + value : value);
}

static void read_entry(struct sc_loaded_object *o, const ElfW(Dyn) * d)
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
	case DT_RPATH: o->has_rpath = true; break;
	case DT_SYMBOLIC: o->is_symbolic = true; break;
	case DT_FLAGS: o->is_symbolic |= d->d_un.d_val & DF_SYMBOLIC; break;
	default: break;
	}
}

bool sc_loaded_object_read(const struct dl_phdr_info *info, struct sc_loaded_object *o)
{
	const ElfW(Dyn) *dynamic = NULL;
	uint64_t page = (uint64_t)getpagesize();

	*o = (struct sc_loaded_object){.base = info->dlpi_addr,
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

struct sc_loaded_name sc_loaded_name(const char *text)
{
	struct sc_loaded_name name = {text, 5381};

	for (; *text; text++)
		name.hash = name.hash * 33 + (uint8_t)*text;
	return name;
}

/* The table is: numbers of buckets, of the first symbol, of words of the filter, and a shift;
 * filter, buckets, and for each symbol its hash, whose lowest bit ends a bucket. */
uint64_t sc_loaded_object_find(const struct sc_loaded_object *o, struct sc_loaded_name name)
{
	const uint32_t *h = o->hash;
	const uint64_t *filter = h ? (const uint64_t *)(h + 4) : NULL;
	const uint32_t *buckets, *chain;
	uint64_t word;
	uint32_t i;

	if (!h || !h[0] || !h[2])
		return 0;
	word = filter[name.hash / 64 % h[2]];
	if (!(word >> name.hash % 64 & word >> (name.hash >> h[3]) % 64 & 1))
		return 0;
	buckets = (const uint32_t *)(filter + h[2]);
	chain = buckets + h[0];
	i = buckets[name.hash % h[0]];
	if (i < h[1])
		return 0;
	for (;; i++) {
		const ElfW(Sym) *s = &o->symbols[i];

		if ((chain[i - h[1]] | 1) == (name.hash | 1) && s->st_shndx != SHN_UNDEF &&
		    !strcmp(o->names + s->st_name, name.text))
			return o->base + s->st_value;
		if (chain[i - h[1]] & 1)
			return 0;
	}
}

struct pair {
	uint64_t a, b;
};

/* 1: both; 2: one of them. */
static int find_pair(struct dl_phdr_info *info, size_t bytes, void *data)
{
	const struct pair *p = data;
	bool has_a = false, has_b = false;

	(void)bytes;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		bool is_loaded = info->dlpi_phdr[i].p_type == PT_LOAD;

		has_a |= is_loaded && p->a - start < info->dlpi_phdr[i].p_memsz;
		has_b |= is_loaded && p->b - start < info->dlpi_phdr[i].p_memsz;
	}
	return has_a && has_b ? 1 : 2 * (has_a || has_b);
}

bool sc_loaded_object_is_same(const void *a, const void *b)
{
	struct pair p = {(uint64_t)a, (uint64_t)b};

	return dl_iterate_phdr(find_pair, &p) == 1;
}

/* False for code that the loader wrote to (DT_TEXTREL), which it closed again. */
static bool is_data(const struct sc_loaded_object *o, uint64_t address)
{
	for (unsigned i = 0; i < o->segment_count; i++) {
		const ElfW(Phdr) *p = &o->segments[i];

		if (p->p_type == PT_LOAD && address - o->base - p->p_vaddr < p->p_memsz)
			return p->p_flags & PF_W;
	}
	return false;
}

void sc_loaded_object_write(const struct sc_loaded_object *o, uint64_t *slot, uint64_t value)
{
	uint64_t page = (uint64_t)getpagesize(), start = (uint64_t)slot & ~(page - 1);
	bool is_closed = start >= o->relro && start < o->relro_end;

	if (!is_data(o, (uint64_t)slot))
		return;
	if (is_closed && sc_raw_mprotect(start, page, PROT_READ | PROT_WRITE))
		return;
	__atomic_store_n(slot, value, __ATOMIC_RELAXED);
	if (is_closed)
		sc_raw_mprotect(start, page, PROT_READ);
}
