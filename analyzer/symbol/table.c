/* The function symbols of one ELF file: read once, in buckets that are sorted when they are asked
 * for. */
#include "analyzer/symbol/table.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/search.h"

struct sc_symbol_bucket {
	uint32_t first; /* index of its first symbol; of the next bucket: one past its last */
	bool is_sorted;
};

#define SYMBOLS_OF_BUCKET 4 /* on average, at most twice that */

/* Symbols and their names, as the file has them. */
struct source {
	const Elf64_Sym *symbols;
	size_t count;
	const char *strings;
	size_t string_bytes; /* up to the last one that ends */
};

static Elf_Scn *find_section(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

static inline bool is_function(const Elf64_Sym *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_value;
}

static int by_start(const void *a, const void *b)
{
	const struct sc_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* False for a file that makes no sense, or has too many symbols. Recorded processes have 64 bits.
 */
static bool open_source(struct source *s, Elf *elf, Elf_Scn *section, size_t link)
{
	Elf_Data *symbols = gelf_getclass(elf) == ELFCLASS64 ? elf_getdata(section, NULL) : NULL;
	Elf_Scn *linked = elf_getscn(elf, link);
	Elf_Data *strings = linked ? elf_rawdata(linked, NULL) : NULL;
	const char *end;
	GElf_Shdr header;

	if (!symbols || !symbols->d_buf || !strings || !strings->d_buf ||
	    !gelf_getshdr(linked, &header) || header.sh_type != SHT_STRTAB)
		return 0;
	end = memrchr(strings->d_buf, '\0', strings->d_size);
	s->symbols = symbols->d_buf;
	s->count = symbols->d_size / sizeof(*s->symbols);
	s->strings = strings->d_buf;
	s->string_bytes = end ? (size_t)(end - s->strings) : 0;
	return s->count <= INT32_MAX;
}

/* True for a function with a name. The first string is empty; whether another one is, is seen
 * later. */
static inline bool is_wanted(const struct source *s, const Elf64_Sym *symbol)
{
	return is_function(symbol) && symbol->st_name && symbol->st_name < s->string_bytes;
}

static struct sc_symbol_bucket *bucket_of(const struct sc_symbol_table *t, uint64_t start)
{
	return &t->buckets[(start - t->first) >> t->shift];
}

/* Counts the symbols, and chooses the buckets; false if there are none. */
static bool lay_out(struct sc_symbol_table *t, const struct source *s)
{
	uint64_t last = 0;

	t->first = UINT64_MAX;
	for (size_t i = 0; i < s->count; i++) {
		uint64_t start = s->symbols[i].st_value;

		if (!is_wanted(s, &s->symbols[i]))
			continue;
		t->first = start < t->first ? start : t->first;
		last = start > last ? start : last;
		t->count++;
	}
	if (!t->count)
		return 0;
	while ((last - t->first) >> t->shift > t->count / SYMBOLS_OF_BUCKET + 1)
		t->shift++;
	t->bucket_count = ((last - t->first) >> t->shift) + 1;
	return 1;
}

/* A counting sort: the first index of each bucket is known before its symbols are put there. */
static void fill(struct sc_symbol_table *t, const struct source *s)
{
	t->symbols = sc_heap_xrealloc(NULL, t->count, sizeof(*t->symbols));
	t->buckets = sc_heap_xcalloc(t->bucket_count + 2, sizeof(*t->buckets));
	for (size_t i = 0; i < s->count; i++)
		if (is_wanted(s, &s->symbols[i]))
			bucket_of(t, s->symbols[i].st_value)[2].first++;
	for (size_t i = 2; i < t->bucket_count + 2; i++)
		t->buckets[i].first += t->buckets[i - 1].first;
	for (size_t i = 0; i < s->count; i++) {
		const Elf64_Sym *one = &s->symbols[i];

		if (is_wanted(s, one))
			t->symbols[bucket_of(t, one->st_value)[1].first++] =
				(struct sc_symbol){.start = one->st_value,
						   .bytes = one->st_size,
						   .name = s->strings + one->st_name};
	}
}

void sc_symbol_table_init(struct sc_symbol_table *t, Elf *elf)
{
	struct source source;
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, SHT_SYMTAB, &header);

	*t = (struct sc_symbol_table){0};
	if (!section)
		section = find_section(elf, SHT_DYNSYM, &header);
	if (section && open_source(&source, elf, section, header.sh_link) && lay_out(t, &source))
		fill(t, &source);
}

void sc_symbol_table_fini(struct sc_symbol_table *t)
{
	free(t->symbols);
	free(t->buckets);
	*t = (struct sc_symbol_table){0};
}

/* What is at an index, after its bucket was sorted. */
static const struct sc_symbol *symbol_at(const struct sc_symbol_table *t, size_t index)
{
	struct sc_symbol_bucket *b = bucket_of(t, t->symbols[index].start);

	if (!b->is_sorted)
		qsort(t->symbols + b->first, b[1].first - b->first, sizeof(*t->symbols), by_start);
	b->is_sorted = 1;
	return &t->symbols[index];
}

const struct sc_symbol *sc_symbol_table_get(const struct sc_symbol_table *t, uint64_t address)
{
	size_t bucket, next, first;
	const struct sc_symbol *s;

	if (!t->count || address < t->first)
		return NULL;
	bucket = (address - t->first) >> t->shift;
	bucket = bucket < t->bucket_count ? bucket : t->bucket_count - 1;
	first = t->buckets[bucket].first;
	SC_SEARCH(next, t->buckets[bucket + 1].first - first,
		  symbol_at(t, first + next)->start <= address);
	next += first;
	while (next && !*symbol_at(t, next - 1)->name)
		next--;
	if (!next)
		return NULL;
	s = symbol_at(t, next - 1);
	return !s->bytes || address - s->start < s->bytes ? s : NULL;
}

const char *sc_symbol_table_find(const struct sc_symbol_table *t, uint64_t address)
{
	const struct sc_symbol *s = sc_symbol_table_get(t, address);

	return s ? s->name : NULL;
}

uint64_t sc_symbol_table_end(const struct sc_symbol_table *t, const struct sc_symbol *function)
{
	size_t next = (size_t)(function - t->symbols);

	if (function->bytes)
		return function->start + function->bytes;
	while (next < t->count && symbol_at(t, next)->start == function->start)
		next++;
	return next < t->count ? t->symbols[next].start : function->start;
}
