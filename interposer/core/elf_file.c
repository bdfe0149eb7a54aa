/* A file of code: mapping it, and looking through its tables. */
#include "interposer/core/elf_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "interposer/core/raw.h"

static bool holds(const struct sc_elf_file *f, uint64_t offset, uint64_t bytes)
{
	return offset <= f->bytes && bytes <= f->bytes - offset;
}

static bool is_ours(const struct sc_elf_file *f)
{
	const Elf64_Ehdr *e = (const void *)f->start;

	return f->bytes >= sizeof(*e) && !memcmp(e->e_ident, ELFMAG, SELFMAG) &&
	       e->e_ident[EI_CLASS] == ELFCLASS64 && e->e_machine == EM_X86_64 &&
	       e->e_shentsize == sizeof(Elf64_Shdr) && e->e_shstrndx < e->e_shnum &&
	       holds(f, e->e_shoff, (uint64_t)e->e_shnum * sizeof(Elf64_Shdr)) &&
	       e->e_shoff % _Alignof(Elf64_Shdr) == 0;
}

bool sc_elf_file_open(struct sc_elf_file *f, const char *path)
{
	long at = -1, file = sc_raw(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)path,
				    O_RDONLY | O_CLOEXEC, 0, 0, 0);
	struct stat info;

	*f = (struct sc_elf_file){0};
	if (file < 0)
		return false;
	if (!sc_raw(SYS_fstat, (uint64_t)file, (uint64_t)&info, 0, 0, 0, 0) && info.st_size > 0)
		at = sc_raw(SYS_mmap, 0, (uint64_t)info.st_size, PROT_READ, MAP_PRIVATE,
			    (uint64_t)file, 0);
	sc_raw(SYS_close, (uint64_t)file, 0, 0, 0, 0, 0);
	if (at < 0 && at >= -4095)
		return false;
	*f = (struct sc_elf_file){(const uint8_t *)at, (uint64_t)info.st_size};
	if (is_ours(f))
		return true;
	sc_elf_file_close(f);
	return false;
}

void sc_elf_file_close(struct sc_elf_file *f)
{
	if (f->start)
		sc_raw_unmap((void *)(uintptr_t)f->start, f->bytes);
	*f = (struct sc_elf_file){0};
}

static const Elf64_Shdr *section_at(const struct sc_elf_file *f, uint32_t index)
{
	const Elf64_Ehdr *e = (const void *)f->start;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(f->start + e->e_shoff);

	return index < e->e_shnum && (s[index].sh_type == SHT_NOBITS ||
				      holds(f, s[index].sh_offset, s[index].sh_size))
		       ? &s[index]
		       : NULL;
}

/* Whether the string at an offset of a table of strings is this name. */
static bool is_named(const struct sc_elf_file *f, const Elf64_Shdr *strings, uint64_t offset,
		     const char *name)
{
	uint64_t bytes = strlen(name) + 1;

	return strings && strings->sh_type == SHT_STRTAB && offset <= strings->sh_size &&
	       bytes <= strings->sh_size - offset &&
	       !memcmp(f->start + strings->sh_offset + offset, name, bytes);
}

const Elf64_Shdr *sc_elf_file_section(const struct sc_elf_file *f, const char *name)
{
	const Elf64_Ehdr *e = (const void *)f->start;
	const Elf64_Shdr *names = section_at(f, e->e_shstrndx);

	for (uint32_t i = 0; i < e->e_shnum; i++) {
		const Elf64_Shdr *s = section_at(f, i);

		if (s && is_named(f, names, s->sh_name, name))
			return s;
	}
	return NULL;
}

/* The table of symbols, and where their names are; 0 symbols if there is none. */
static uint64_t symbols_of(const struct sc_elf_file *f, const Elf64_Sym **first,
			   const Elf64_Shdr **strings)
{
	const Elf64_Shdr *table = sc_elf_file_section(f, ".symtab");

	if (!table || table->sh_type != SHT_SYMTAB || table->sh_offset % _Alignof(Elf64_Sym))
		return 0;
	*first = (const Elf64_Sym *)(f->start + table->sh_offset);
	*strings = section_at(f, table->sh_link);
	return table->sh_size / sizeof(**first);
}

struct sc_elf_symbol sc_elf_file_symbol(const struct sc_elf_file *f, const char *name)
{
	const Elf64_Shdr *strings = NULL;
	const Elf64_Sym *symbol = NULL;
	uint64_t count = symbols_of(f, &symbol, &strings);

	for (uint64_t i = 0; i < count; i++)
		if (symbol[i].st_shndx != SHN_UNDEF && symbol[i].st_value &&
		    is_named(f, strings, symbol[i].st_name, name))
			return (struct sc_elf_symbol){symbol[i].st_value, symbol[i].st_size};
	return (struct sc_elf_symbol){0};
}

/* The string at an offset of a table of strings, if it ends there. */
static const char *string_at(const struct sc_elf_file *f, const Elf64_Shdr *strings,
			     uint64_t offset)
{
	const char *start;

	if (!strings || strings->sh_type != SHT_STRTAB || offset >= strings->sh_size)
		return NULL;
	start = (const char *)f->start + strings->sh_offset + offset;
	return memchr(start, 0, strings->sh_size - offset) ? start : NULL;
}

const char *sc_elf_file_function(const struct sc_elf_file *f, uint64_t address)
{
	const Elf64_Shdr *strings = NULL;
	const Elf64_Sym *symbol = NULL;
	uint64_t count = symbols_of(f, &symbol, &strings);

	for (uint64_t i = 0; i < count; i++)
		if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC &&
		    symbol[i].st_shndx != SHN_UNDEF &&
		    address - symbol[i].st_value < symbol[i].st_size)
			return string_at(f, strings, symbol[i].st_name);
	return NULL;
}
