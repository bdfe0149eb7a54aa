/* Writing an ELF cubin without code: what a linked image declares, for cubin.c to read back. */
#include "image/write.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image/cubin.h"

/* Bytes of the file; without `data` they are only counted. */
struct part {
	uint8_t *data;
	size_t at;
};

/* The file is written twice: once to find its size, once for good. */
struct writer {
	struct part body; /* what sections contain, after the head */
	struct part strings;
	struct part symbols;
	struct part headers;
	uint32_t symbol_count;
	uint32_t section_count;
	const struct sim_image *image;
	const struct sim_written_text *texts;
	size_t text_count;
};

static void put(struct part *p, const void *bytes, size_t size)
{
	if (p->data && size)
		memcpy(p->data + p->at, bytes, size);
	p->at += size;
}

static void put_zeros(struct part *p, size_t size)
{
	if (p->data)
		memset(p->data + p->at, 0, size);
	p->at += size;
}

/* Offset of a string in the table. */
static uint32_t put_string(struct writer *w, const char *prefix, const char *name)
{
	uint32_t offset = (uint32_t)w->strings.at;

	put(&w->strings, prefix, strlen(prefix));
	put(&w->strings, name, strlen(name) + 1);
	return offset;
}

/* A section whose contents begin at `start` of the body and end where it is now. */
static void put_section(struct writer *w, const char *prefix, const char *name, uint32_t type,
			size_t start)
{
	Elf64_Shdr section = {.sh_name = put_string(w, prefix, name),
			      .sh_type = type,
			      .sh_offset = sizeof(Elf64_Ehdr) + start,
			      .sh_size = w->body.at - start};

	put(&w->headers, &section, sizeof(section));
	w->section_count++;
}

/* A section that says a size only. */
static void put_size(struct writer *w, const char *prefix, const char *name, uint64_t size)
{
	Elf64_Shdr section = {
		.sh_name = put_string(w, prefix, name), .sh_type = SHT_NOBITS, .sh_size = size};

	put(&w->headers, &section, sizeof(section));
	w->section_count++;
}

static void put_symbol(struct writer *w, const Elf64_Sym *symbol)
{
	put(&w->symbols, symbol, sizeof(*symbol));
	w->symbol_count++;
}

static void put_attribute(struct writer *w, uint8_t id, const void *block, uint16_t size)
{
	uint8_t head[4] = {SIM_INFO_BLOCK, id, (uint8_t)size, (uint8_t)(size >> 8)};

	put(&w->body, head, sizeof(head));
	put(&w->body, block, size);
}

static void put_kernel_info(struct writer *w, const struct sim_image_kernel *k)
{
	uint32_t threads[3] = {k->max_threads, 1, 1};
	size_t start = w->body.at;

	put_attribute(w, SIM_INFO_MAX_THREADS, threads, sizeof(threads));
	if (k->cluster[0])
		put_attribute(w, SIM_INFO_CLUSTER, k->cluster, sizeof(k->cluster));
	for (uint32_t i = 0; i < k->param_count; i++) {
		uint32_t size = k->params[i].size_bytes;
		bool is_large = size >> (32 - SIM_INFO_PARAM_SHIFT);
		uint32_t block[3] = {0, i | k->params[i].offset_bytes << 16,
				     is_large ? size : size << SIM_INFO_PARAM_SHIFT};

		put_attribute(w, is_large ? SIM_INFO_LARGE_PARAM : SIM_INFO_PARAM, block,
			      sizeof(block));
	}
	put_section(w, ".nv.info.", k->name, SHT_PROGBITS, start);
}

static void put_kernel(struct writer *w, const struct sim_image_kernel *k)
{
	Elf64_Sym symbol = {.st_name = put_string(w, "", k->name),
			    .st_info = ELF64_ST_INFO(k->is_weak ? STB_WEAK : STB_GLOBAL, STT_FUNC),
			    .st_other = SIM_CUBIN_ENTRY,
			    .st_shndx = (uint16_t)w->section_count};

	put_symbol(w, &symbol);
	put_kernel_info(w, k);
	put_size(w, ".nv.shared.", k->name, k->shared_bytes);
	put_size(w, ".nv.constant0.", k->name, k->const_bytes);
}

/* Registers and stack frames of all kernels, whose symbols come first. */
static void put_resources(struct writer *w)
{
	size_t start = w->body.at;

	for (uint32_t i = 0; i < w->image->kernel_count; i++) {
		uint32_t registers[2] = {1 + i, w->image->kernels[i].register_count};
		uint32_t frame[2] = {1 + i, w->image->kernels[i].local_bytes};

		put_attribute(w, SIM_INFO_REGISTERS, registers, sizeof(registers));
		put_attribute(w, SIM_INFO_FRAME, frame, sizeof(frame));
	}
	put_section(w, ".nv.info", "", SHT_PROGBITS, start);
}

enum home { HOME_PLAIN, HOME_INITIAL, HOME_CONSTANT, HOMES };

static enum home home_of(const struct sim_image_global *g)
{
	if (g->is_constant)
		return HOME_CONSTANT;
	return g->initial_bytes ? HOME_INITIAL : HOME_PLAIN;
}

/* The variables of one home, one after the other in its section. */
static void put_globals(struct writer *w, enum home home)
{
	static const char *const names[HOMES] = {".nv.global", ".nv.global.init", ".nv.constant3"};
	size_t start = w->body.at;
	uint64_t offset = 0;

	for (size_t i = 0; i < w->image->global_count; i++) {
		const struct sim_image_global *g = &w->image->globals[i];
		Elf64_Sym symbol = {.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
				    .st_other = g->is_managed ? SIM_CUBIN_MANAGED : 0,
				    .st_shndx = (uint16_t)w->section_count,
				    .st_value = offset,
				    .st_size = g->size_bytes};

		if (home_of(g) != home)
			continue;
		symbol.st_name = put_string(w, "", g->name);
		put_symbol(w, &symbol);
		offset += g->size_bytes;
		if (home == HOME_PLAIN)
			continue;
		put(&w->body, g->initial, g->initial_bytes);
		put_zeros(&w->body, g->size_bytes - g->initial_bytes);
	}
	if (home == HOME_PLAIN)
		put_size(w, names[home], "", offset);
	else
		put_section(w, names[home], "", SHT_PROGBITS, start);
}

static void put_texts(struct writer *w)
{
	for (size_t i = 0; i < w->text_count; i++) {
		size_t start = w->body.at;

		put(&w->body, w->texts[i].bytes, w->texts[i].size_bytes);
		put_section(w, SIM_CUBIN_TEXT, "", SHT_PROGBITS, start);
	}
}

static void write_parts(struct writer *w)
{
	static const Elf64_Shdr none;
	static const Elf64_Sym nobody;

	w->body.at = w->strings.at = w->symbols.at = w->headers.at = 0;
	w->section_count = w->symbol_count = 0;
	put_string(w, "", "");
	put(&w->headers, &none, sizeof(none));
	w->section_count++;
	put_symbol(w, &nobody);
	for (size_t i = 0; i < w->image->kernel_count; i++)
		put_kernel(w, &w->image->kernels[i]);
	put_resources(w);
	for (enum home home = 0; home < HOMES; home++)
		put_globals(w, home);
	put_texts(w);
}

/* Tables come last: their own names are strings too. */
static void put_tables(struct writer *w, size_t symbols, size_t strings, size_t string_bytes)
{
	Elf64_Shdr table = {.sh_name = put_string(w, "", ".symtab"),
			    .sh_type = SHT_SYMTAB,
			    .sh_offset = symbols,
			    .sh_size = w->symbols.at,
			    .sh_link = w->section_count + 1,
			    .sh_entsize = sizeof(Elf64_Sym)};
	Elf64_Shdr names = {.sh_name = put_string(w, "", ".strtab"),
			    .sh_type = SHT_STRTAB,
			    .sh_offset = strings};

	names.sh_size = string_bytes ? string_bytes : w->strings.at;
	put(&w->headers, &table, sizeof(table));
	put(&w->headers, &names, sizeof(names));
	w->section_count += 2;
}

static void put_head(const struct writer *w, uint8_t *file, size_t headers)
{
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT},
			   .e_type = ET_EXEC,
			   .e_machine = SIM_CUBIN_MACHINE,
			   .e_version = EV_CURRENT,
			   .e_shoff = headers,
			   .e_ehsize = sizeof(head),
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = (uint16_t)w->section_count,
			   .e_shstrndx = (uint16_t)(w->section_count - 1)};

	memcpy(file, &head, sizeof(head));
}

int sim_cubin_write(const struct sim_image *image, const struct sim_written_text *texts,
		    size_t count, void **out, size_t *size)
{
	struct writer w = {.image = image, .texts = texts, .text_count = count};
	size_t symbols, strings, string_bytes, headers;
	uint8_t *file;

	write_parts(&w);
	put_tables(&w, 0, 0, 0);
	if (w.section_count >= SHN_LORESERVE)
		return -EINVAL;
	string_bytes = w.strings.at;
	symbols = (sizeof(Elf64_Ehdr) + w.body.at + 7) & ~(size_t)7; /* texts have any length */
	headers = symbols + w.symbols.at;
	strings = headers + w.headers.at;
	*size = strings + string_bytes;
	file = calloc(1, *size);
	if (!file)
		return -ENOMEM;
	w.body.data = file + sizeof(Elf64_Ehdr);
	w.symbols.data = file + symbols;
	w.headers.data = file + headers;
	w.strings.data = file + strings;
	write_parts(&w);
	put_tables(&w, symbols, strings, string_bytes);
	put_head(&w, file, headers);
	*out = file;
	return 0;
}
