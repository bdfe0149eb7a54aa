/* The function symbols of one ELF file: read once, sorted, searched by halving. */
#include "analyzer/symbol/table.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/search.h"

static Elf_Scn *find_section(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

static bool is_function(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

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

static void read_section(struct sc_symbol_table *t, Elf *elf, Elf_Scn *section, size_t strings)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t entry = data ? gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
	size_t count = entry ? data->d_size / entry : 0;

	if (count > INT32_MAX)
		return;
	t->symbols = sc_heap_xcalloc(count + 1, sizeof(*t->symbols));
	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol) || !is_function(&symbol))
			continue;
		name = elf_strptr(elf, strings, symbol.st_name);
		if (name && *name)
			t->symbols[t->count++] = (struct sc_symbol){
				.start = symbol.st_value, .bytes = symbol.st_size, .name = name};
	}
}

void sc_symbol_table_init(struct sc_symbol_table *t, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf, SHT_SYMTAB, &header);

	*t = (struct sc_symbol_table){0};
	if (!section)
		section = find_section(elf, SHT_DYNSYM, &header);
	if (!section)
		return;
	read_section(t, elf, section, header.sh_link);
	if (t->count)
		qsort(t->symbols, t->count, sizeof(*t->symbols), by_start);
}

void sc_symbol_table_fini(struct sc_symbol_table *t)
{
	free(t->symbols);
	*t = (struct sc_symbol_table){0};
}

const struct sc_symbol *sc_symbol_table_get(const struct sc_symbol_table *t, uint64_t address)
{
	const struct sc_symbol *s;
	size_t next;

	SC_SEARCH(next, t->count, t->symbols[next].start <= address);
	if (!next)
		return NULL;
	s = &t->symbols[next - 1];
	return !s->bytes || address - s->start < s->bytes ? s : NULL;
}

const char *sc_symbol_table_find(const struct sc_symbol_table *t, uint64_t address)
{
	const struct sc_symbol *s = sc_symbol_table_get(t, address);

	return s ? s->name : NULL;
}
