/* Jumps: code bytes by address, the linkage table's entries by the slots that they jump through. */
#include "analyzer/symbol/jump.h"

#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/heap.h"
#include "base/search.h"
#include "base/vector.h"

#define INDIRECT 6 /* bytes of a call or jump through a slot */

/* Loaded bytes that may be run. */
struct code {
	const uint8_t *bytes;
	uint64_t start, count;
};

/* A slot that the loader fills, or the entry of the table that jumps through it. */
struct link {
	uint64_t at;
	uint64_t target; /* as in struct sc_jump */
	const char *name;
};

struct sc_jumps {
	Elf *elf;
	const struct sc_symbol_table *symbols;
	SC_VECTOR(struct code) codes;
	SC_VECTOR(struct link) slots, entries; /* sorted */
	SC_VECTOR(uint64_t) exported;
};

/* ---- reading the file ---- */

static void read_codes(struct sc_jumps *j)
{
	size_t count, bytes;
	const char *raw = elf_rawfile(j->elf, &bytes);

	if (!raw || elf_getphdrnum(j->elf, &count) || count > INT_MAX)
		return;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr h;

		if (!gelf_getphdr(j->elf, (int)i, &h) || h.p_type != PT_LOAD ||
		    !(h.p_flags & PF_X) || h.p_offset > bytes || h.p_filesz > bytes - h.p_offset ||
		    h.p_vaddr + h.p_filesz < h.p_vaddr)
			continue;
		sc_vector_push(&j->codes, ((struct code){(const uint8_t *)raw + h.p_offset,
							 h.p_vaddr, h.p_filesz}));
	}
}

static void add_slot(struct sc_jumps *j, Elf_Data *symbols, size_t strings, const GElf_Rela *rela)
{
	GElf_Sym symbol;
	const char *name;

	if (GELF_R_TYPE(rela->r_info) != R_X86_64_JUMP_SLOT &&
	    GELF_R_TYPE(rela->r_info) != R_X86_64_GLOB_DAT)
		return;
	if (GELF_R_SYM(rela->r_info) > INT_MAX ||
	    !gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &symbol))
		return;
	name = elf_strptr(j->elf, strings, symbol.st_name);
	if (name && *name)
		sc_vector_push(&j->slots, ((struct link){rela->r_offset, symbol.st_value, name}));
}

static void read_slots(struct sc_jumps *j, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Scn *linked = elf_getscn(j->elf, header->sh_link);
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr symbols;
	GElf_Rela rela;

	if (!data || !linked || !gelf_getshdr(linked, &symbols))
		return;
	for (int i = 0; gelf_getrela(data, i, &rela); i++)
		add_slot(j, elf_getdata(linked, NULL), symbols.sh_link, &rela);
}

static void read_exported(struct sc_jumps *j, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
		if (symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
			sc_vector_push(&j->exported, symbol.st_value);
}

static const struct link *find_link(const struct link *links, size_t count, uint64_t at)
{
	size_t next;

	SC_SEARCH(next, count, links[next].at < at);
	return next < count && links[next].at == at ? &links[next] : NULL;
}

static int32_t number_at(const uint8_t *bytes)
{
	int32_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

/* The entries of a section: each holds one jump through a slot. */
static void read_entries(struct sc_jumps *j, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const uint8_t *bytes = data ? data->d_buf : NULL;
	size_t size = header->sh_entsize == 8 ? 8 : 16;

	for (size_t i = 0; bytes && i + INDIRECT <= data->d_size; i++) {
		uint64_t next = header->sh_addr + i + INDIRECT;
		const struct link *slot;

		if (bytes[i] != 0xFF || bytes[i + 1] != 0x25)
			continue;
		slot = find_link(j->slots.items, j->slots.count,
				 next + (uint64_t)(int64_t)number_at(bytes + i + 2));
		if (slot)
			sc_vector_push(&j->entries,
				       ((struct link){header->sh_addr + i / size * size,
						      slot->target, slot->name}));
	}
}

static int by_at(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void sort(struct link *links, size_t count)
{
	if (count)
		qsort(links, count, sizeof(*links), by_at);
}

static void read_sections(struct sc_jumps *j, bool entries)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(j->elf, &names))
		return;
	while ((section = elf_nextscn(j->elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(j->elf, names, header.sh_name);
		if (entries && name && header.sh_type == SHT_PROGBITS && !strncmp(name, ".plt", 4))
			read_entries(j, section, &header);
		else if (!entries && header.sh_type == SHT_RELA)
			read_slots(j, section, &header);
		else if (!entries && header.sh_type == SHT_DYNSYM)
			read_exported(j, section);
	}
}

struct sc_jumps *sc_jumps_new(Elf *elf, const struct sc_symbol_table *symbols)
{
	struct sc_jumps *j = sc_heap_xcalloc(1, sizeof(*j));
	GElf_Ehdr header;

	j->elf = elf;
	j->symbols = symbols;
	if (!gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64)
		return j;
	read_codes(j);
	read_sections(j, 0);
	sort(j->slots.items, j->slots.count);
	read_sections(j, 1);
	sort(j->entries.items, j->entries.count);
	return j;
}

void sc_jumps_free(struct sc_jumps *j)
{
	if (!j)
		return;
	sc_vector_fini(&j->codes);
	sc_vector_fini(&j->slots);
	sc_vector_fini(&j->entries);
	sc_vector_fini(&j->exported);
	free(j);
}

bool sc_jumps_is_exported(const struct sc_jumps *j, uint64_t address)
{
	for (size_t i = 0; i < j->exported.count; i++)
		if (j->exported.items[i] == address)
			return 1;
	return 0;
}

/* ---- instructions ---- */

static bool follow_link(const struct link *link, struct sc_jump *out)
{
	if (!link)
		return 0;
	out->target = link->target;
	out->name = link->target ? NULL : link->name;
	return 1;
}

static bool follow(const struct sc_jumps *j, uint64_t address, struct sc_jump *out)
{
	const struct sc_symbol *symbol = sc_symbol_table_get(j->symbols, address);

	if (follow_link(find_link(j->entries.items, j->entries.count, address), out))
		return 1;
	out->target = address;
	out->name = NULL;
	return symbol && symbol->start == address;
}

static bool follow_slot(const struct sc_jumps *j, uint64_t slot, struct sc_jump *out)
{
	return follow_link(find_link(j->slots.items, j->slots.count, slot), out);
}

/* Where the instruction at `i` leads if it is a jump. */
static bool read_jump(const struct sc_jumps *j, const struct code *code, uint64_t i,
		      struct sc_jump *out)
{
	const uint8_t *b = code->bytes + i;
	uint64_t left = code->count - i, at = code->start + i;

	out->place = at;
	if (b[0] == 0xE9 && left >= 5)
		return follow(j, at + 5 + (uint64_t)(int64_t)number_at(b + 1), out);
	if ((b[0] == 0xEB || (b[0] & 0xF0) == 0x70) && left >= 2)
		return follow(j, at + 2 + (uint64_t)(int64_t)(int8_t)b[1], out);
	if (b[0] == 0x0F && left >= 6 && (b[1] & 0xF0) == 0x80)
		return follow(j, at + 6 + (uint64_t)(int64_t)number_at(b + 2), out);
	if (b[0] == 0xFF && left >= INDIRECT && b[1] == 0x25)
		return follow_slot(j, at + INDIRECT + (uint64_t)(int64_t)number_at(b + 2), out);
	return 0;
}

void sc_jumps_each(const struct sc_jumps *j, uint64_t start, uint64_t end,
		   void (*jump)(void *context, const struct sc_jump *jump), void *context)
{
	for (size_t c = 0; c < j->codes.count; c++) {
		const struct code *code = &j->codes.items[c];
		uint64_t from = start > code->start ? start - code->start : 0;
		uint64_t to = end > code->start ? end - code->start : 0;
		struct sc_jump found;

		for (uint64_t i = from; i < to && i < code->count; i++)
			if (read_jump(j, code, i, &found))
				jump(context, &found);
	}
}

bool sc_jumps_call(const struct sc_jumps *j, uint64_t back, struct sc_jump *out)
{
	for (size_t c = 0; c < j->codes.count; c++) {
		const struct code *code = &j->codes.items[c];
		uint64_t i = back - code->start;
		const uint8_t *b;

		if (back < code->start || i > code->count || i < INDIRECT)
			continue;
		b = code->bytes + i;
		out->place = back;
		if (b[-5] == 0xE8)
			return follow(j, back + (uint64_t)(int64_t)number_at(b - 4), out);
		return b[-6] == 0xFF && b[-5] == 0x15 &&
		       follow_slot(j, back + (uint64_t)(int64_t)number_at(b - 4), out);
	}
	return 0;
}
