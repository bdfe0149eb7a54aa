/* Reading an ELF cubin: kernels, their parameters and resources, and variables. */
#include "image/parts.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "image/cubin.h"
#include "image/text.h"

#define TYPE_OBJECT	13 /* of variables in code that is not yet linked */
#define RESERVED_SHARED 1024

struct cubin {
	struct sim_bytes file;
	struct sim_bytes sections;
	struct sim_bytes names;
	struct sim_bytes symbols;
	struct sim_bytes strings;
	size_t section_count;
	size_t symbol_count;
	bool reserves_shared;
	struct sim_image *image;
};

static bool read_section(const struct cubin *cubin, size_t index, Elf64_Shdr *section)
{
	return index < cubin->section_count &&
	       sim_bytes_read(cubin->sections, index * sizeof(*section), section, sizeof(*section));
}

static bool contents(const struct cubin *cubin, const Elf64_Shdr *section, struct sim_bytes *part)
{
	if (section->sh_type == SHT_NOBITS)
		return false;
	return sim_bytes_part(cubin->file, section->sh_offset, section->sh_size, part);
}

/* A string of a table, or "" when it does not end inside. */
static const char *string_at(struct sim_bytes table, uint64_t offset)
{
	struct sim_bytes rest;

	if (offset >= table.size || !sim_bytes_part(table, offset, table.size - offset, &rest) ||
	    !memchr(rest.data, 0, rest.size))
		return "";
	return (const char *)rest.data;
}

static bool find_section(const struct cubin *cubin, const char *prefix, const char *name,
			 Elf64_Shdr *section)
{
	size_t i, length = strlen(prefix);
	const char *found;

	for (i = 0; i < cubin->section_count && read_section(cubin, i, section); i++) {
		found = string_at(cubin->names, section->sh_name);
		if (strncmp(found, prefix, length) == 0 && strcmp(found + length, name) == 0)
			return true;
	}
	return false;
}

/* One attribute of .nv.info: format, id, and either a 16-bit value or a block of that length. */
struct attribute {
	uint8_t format;
	uint8_t id;
	struct sim_bytes block;
};

static bool next_attribute(struct sim_bytes info, size_t *offset, struct attribute *attribute)
{
	uint8_t head[4];
	uint16_t value;

	if (!sim_bytes_read(info, *offset, head, sizeof(head)))
		return false;
	memcpy(&value, head + 2, sizeof(value));
	*offset += sizeof(head);
	*attribute = (struct attribute){head[0], head[1], {NULL, 0}};
	if (head[0] != SIM_INFO_BLOCK)
		return true;
	if (!sim_bytes_part(info, *offset, value, &attribute->block))
		return false;
	*offset += value;
	return true;
}

/* {u32, u16 ordinal, u16 offset, u32 with the size in its upper bits} */
static int read_param(struct sim_bytes block, unsigned shift, struct sim_image_kernel *kernel)
{
	uint16_t place[2];
	uint32_t packed;

	if (!sim_bytes_read(block, 4, place, sizeof(place)) ||
	    !sim_bytes_read(block, 8, &packed, sizeof(packed)))
		return -EINVAL;
	return sim_image_set_param(kernel, place[0],
				   (struct sim_image_param){place[1], packed >> shift});
}

static int read_kernel_info(struct sim_bytes info, struct sim_image_kernel *kernel)
{
	struct attribute attribute;
	uint32_t threads[3];
	size_t offset = 0;
	int err = 0;

	while (!err && next_attribute(info, &offset, &attribute)) {
		if (attribute.format != SIM_INFO_BLOCK)
			continue;
		if (attribute.id == SIM_INFO_PARAM)
			err = read_param(attribute.block, SIM_INFO_PARAM_SHIFT, kernel);
		if (attribute.id == SIM_INFO_LARGE_PARAM)
			err = read_param(attribute.block, 0, kernel);
		if (attribute.id == SIM_INFO_MAX_THREADS &&
		    sim_bytes_read(attribute.block, 0, threads, sizeof(threads)) &&
		    (uint64_t)threads[0] * threads[1] <= 1024 &&
		    (uint64_t)threads[0] * threads[1] * threads[2] <= 1024)
			kernel->max_threads = threads[0] * threads[1] * threads[2];
		if (attribute.id == SIM_INFO_CLUSTER)
			sim_bytes_read(attribute.block, 0, kernel->cluster,
				       sizeof(kernel->cluster));
	}
	return err;
}

/* .nv.info without a name holds {symbol, value} pairs for all kernels. */
static void read_resources(const struct cubin *cubin, uint32_t symbol,
			   struct sim_image_kernel *kernel)
{
	struct attribute attribute;
	struct sim_bytes info;
	Elf64_Shdr section;
	uint32_t pair[2];
	size_t offset = 0;

	if (!find_section(cubin, ".nv.info", "", &section) || !contents(cubin, &section, &info))
		return;
	while (next_attribute(info, &offset, &attribute)) {
		if (!sim_bytes_read(attribute.block, 0, pair, sizeof(pair)) || pair[0] != symbol)
			continue;
		if (attribute.id == SIM_INFO_REGISTERS)
			kernel->register_count = pair[1];
		if (attribute.id == SIM_INFO_FRAME)
			kernel->local_bytes = pair[1];
	}
}

static uint32_t section_bytes(const struct cubin *cubin, const char *prefix, const char *name)
{
	Elf64_Shdr section;

	if (!find_section(cubin, prefix, name, &section) || section.sh_size > UINT32_MAX)
		return 0;
	return (uint32_t)section.sh_size;
}

/* True if the sizes of shared memory include what the hardware keeps of each block for itself: the
 * compiler's code has a section that says so, and the linker's a symbol. */
static bool has_reserved_shared(const struct cubin *cubin)
{
	Elf64_Shdr section;
	Elf64_Sym symbol;

	if (find_section(cubin, ".nv.shared.reserved.0", "", &section))
		return true;
	for (size_t i = 0; i < cubin->symbol_count; i++)
		if (sim_bytes_read(cubin->symbols, i * sizeof(symbol), &symbol, sizeof(symbol)) &&
		    !strcmp(string_at(cubin->strings, symbol.st_name), ".nv.reservedSmem.offset0"))
			return true;
	return false;
}

static uint32_t shared_bytes(const struct cubin *cubin, const char *name)
{
	uint32_t size = section_bytes(cubin, ".nv.shared.", name);

	return size >= RESERVED_SHARED && cubin->reserves_shared ? size - RESERVED_SHARED : size;
}

static int add_kernel(const struct cubin *cubin, const char *name, uint32_t symbol, bool is_weak)
{
	struct sim_image_kernel *kernel;
	struct sim_bytes info;
	Elf64_Shdr section;
	int err;

	kernel = sim_image_add_kernel(cubin->image, name, strlen(name), &err);
	if (!kernel)
		return err;
	kernel->is_weak = is_weak;
	kernel->shared_bytes = shared_bytes(cubin, name);
	kernel->const_bytes = section_bytes(cubin, ".nv.constant0.", name);
	read_resources(cubin, symbol, kernel);
	if (find_section(cubin, ".nv.info.", name, &section) && contents(cubin, &section, &info))
		return read_kernel_info(info, kernel);
	return 0;
}

/* A variable's first bytes, where its section has any. */
static int read_initial(const struct cubin *cubin, const Elf64_Shdr *section,
			const Elf64_Sym *symbol, struct sim_image_global *global)
{
	struct sim_bytes all, part;

	if (!contents(cubin, section, &all) ||
	    !sim_bytes_part(all, symbol->st_value, symbol->st_size, &part) || !part.size)
		return 0;
	global->initial = malloc(part.size);
	if (!global->initial)
		return -ENOMEM;
	memcpy(global->initial, part.data, part.size);
	global->initial_bytes = part.size;
	return 0;
}

static int add_global(const struct cubin *cubin, const char *name, const Elf64_Sym *symbol)
{
	struct sim_image_global *global;
	Elf64_Shdr section;
	const char *home;
	int err;

	if (!read_section(cubin, symbol->st_shndx, &section))
		return 0;
	home = string_at(cubin->names, section.sh_name);
	if (strcmp(home, ".nv.global") != 0 && strcmp(home, ".nv.global.init") != 0 &&
	    strcmp(home, ".nv.constant3") != 0)
		return 0;
	global = sim_image_add_global(cubin->image, name, strlen(name), &err);
	if (!global)
		return err;
	global->size_bytes = symbol->st_size;
	global->is_managed = symbol->st_other & SIM_CUBIN_MANAGED;
	global->is_constant = strcmp(home, ".nv.constant3") == 0;
	if (strcmp(home, ".nv.global") == 0) /* no bytes in the file, whatever its type says */
		return 0;
	return read_initial(cubin, &section, symbol, global);
}

static int read_symbol(const struct cubin *cubin, uint32_t index)
{
	Elf64_Sym symbol;
	const char *name;

	if (!sim_bytes_read(cubin->symbols, index * sizeof(symbol), &symbol, sizeof(symbol)))
		return -EINVAL;
	name = string_at(cubin->strings, symbol.st_name);
	if (!*name || symbol.st_shndx == SHN_UNDEF)
		return 0;
	if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & SIM_CUBIN_ENTRY))
		return add_kernel(cubin, name, index, ELF64_ST_BIND(symbol.st_info) == STB_WEAK);
	if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT ||
	    ELF64_ST_TYPE(symbol.st_info) == TYPE_OBJECT)
		return add_global(cubin, name, &symbol);
	return 0;
}

static int open_sections(struct cubin *cubin)
{
	Elf64_Shdr section;
	Elf64_Ehdr head;

	if (!sim_bytes_read(cubin->file, 0, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_machine != SIM_CUBIN_MACHINE || head.e_shentsize != sizeof(section))
		return -EINVAL;
	cubin->section_count = head.e_shnum;
	if (!sim_bytes_part(cubin->file, head.e_shoff, head.e_shnum * sizeof(section),
			    &cubin->sections) ||
	    !read_section(cubin, head.e_shstrndx, &section) ||
	    !contents(cubin, &section, &cubin->names))
		return -EINVAL;
	return 0;
}

/* An image without symbols has nothing to offer, which is no error. */
static int open_symbols(struct cubin *cubin)
{
	Elf64_Shdr section, strings;

	if (!find_section(cubin, ".symtab", "", &section))
		return 0;
	if (section.sh_entsize != sizeof(Elf64_Sym) ||
	    !contents(cubin, &section, &cubin->symbols) ||
	    !read_section(cubin, section.sh_link, &strings) ||
	    !contents(cubin, &strings, &cubin->strings))
		return -EINVAL;
	cubin->symbol_count = cubin->symbols.size / sizeof(Elf64_Sym);
	return 0;
}

int sim_cubin_read(struct sim_bytes bytes, struct sim_image *image)
{
	struct cubin cubin = {.file = bytes, .image = image};
	int err = open_sections(&cubin);
	Elf64_Shdr text;
	uint32_t i;

	if (!err)
		err = open_symbols(&cubin);
	cubin.reserves_shared = !err && has_reserved_shared(&cubin);
	image->is_ptx = !err && find_section(&cubin, SIM_CUBIN_TEXT, "", &text);
	for (i = 0; !err && i < cubin.symbol_count; i++)
		err = read_symbol(&cubin, i);
	return err;
}
