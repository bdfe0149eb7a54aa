/* Machine code in memory: walking its sections. */
#include "interposer/object/machine_code.h"

#include <elf.h>
#include <string.h>

static const char text_name[] = ".nv_debug_ptx_txt", constant_name[] = ".nv.constant",
		  text_begin[] = ".version";

static bool holds(const struct sc_machine_code *code, uint64_t offset, uint64_t bytes)
{
	return offset <= code->bytes && bytes <= code->bytes - offset;
}

static bool read_head(const struct sc_machine_code *code, Elf64_Ehdr *head)
{
	if (!holds(code, 0, sizeof(*head)))
		return false;
	memcpy(head, code->start, sizeof(*head));
	return !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == ELFCLASS64 &&
	       head->e_shentsize == sizeof(Elf64_Shdr) && head->e_shstrndx < head->e_shnum &&
	       holds(code, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr));
}

/* A section whose name ends and whose bytes lie in the code. */
struct section {
	const char *name;
	const uint8_t *start;
	uint64_t bytes, flags;
};

/* Reads the section with this index. False: it is broken, or has no bytes in the file. */
static bool read_section(const struct sc_machine_code *code, const Elf64_Ehdr *head, unsigned index,
			 struct section *out)
{
	Elf64_Shdr names, section;

	memcpy(&names, code->start + head->e_shoff + head->e_shstrndx * sizeof(names),
	       sizeof(names));
	memcpy(&section, code->start + head->e_shoff + index * sizeof(section), sizeof(section));
	if (section.sh_type != SHT_PROGBITS || !holds(code, section.sh_offset, section.sh_size) ||
	    !holds(code, names.sh_offset, names.sh_size) || section.sh_name >= names.sh_size)
		return false;
	*out = (struct section){
		.name = (const char *)code->start + names.sh_offset + section.sh_name,
		.start = code->start + section.sh_offset,
		.bytes = section.sh_size,
		.flags = section.sh_flags,
	};
	return memchr(out->name, 0, names.sh_size - section.sh_name) != NULL;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* ---- the same code ---- */

static bool counts(const struct section *s)
{
	return s->flags & SHF_EXECINSTR || begins(s->name, constant_name);
}

/* Whether there is a section of this name with these bytes, and no other one of this name before.
 */
static bool has(const struct sc_machine_code *code, const Elf64_Ehdr *head, const struct section *s)
{
	struct section other;

	for (unsigned i = 0; i < head->e_shnum; i++)
		if (read_section(code, head, i, &other) && counts(&other) &&
		    !strcmp(other.name, s->name))
			return other.bytes == s->bytes && !memcmp(other.start, s->start, s->bytes);
	return false;
}

/* Whether all sections that count are in the other one; *code_bytes: of instructions. */
static bool is_part(const struct sc_machine_code *a, const struct sc_machine_code *b,
		    uint64_t *code_bytes)
{
	Elf64_Ehdr head_a, head_b;
	struct section s;

	*code_bytes = 0;
	if (!read_head(a, &head_a) || !read_head(b, &head_b))
		return false;
	for (unsigned i = 0; i < head_a.e_shnum; i++) {
		if (!read_section(a, &head_a, i, &s) || !counts(&s))
			continue;
		if (!has(b, &head_b, &s))
			return false;
		*code_bytes += s.flags & SHF_EXECINSTR ? s.bytes : 0;
	}
	return true;
}

bool sc_machine_code_is_same(const struct sc_machine_code *a, const struct sc_machine_code *b)
{
	uint64_t bytes_a, bytes_b;

	return is_part(a, b, &bytes_a) && is_part(b, a, &bytes_b) && bytes_a && bytes_a == bytes_b;
}

/* ---- texts ---- */

static bool find_text(const struct sc_machine_code *code, unsigned number, struct section *out)
{
	Elf64_Ehdr head;

	if (!read_head(code, &head))
		return false;
	for (unsigned i = 0; i < head.e_shnum; i++)
		if (read_section(code, &head, i, out) && begins(out->name, text_name) && !number--)
			return true;
	return false;
}

size_t sc_machine_code_text_bytes(const struct sc_machine_code *code, unsigned number)
{
	struct section text;

	return find_text(code, number, &text) ? text.bytes : 0;
}

size_t sc_machine_code_text(const struct sc_machine_code *code, unsigned number, char *to)
{
	struct section text;
	uint64_t at = 0, bytes;

	if (!find_text(code, number, &text))
		return 0;
	while (at < text.bytes && !text.start[at])
		at++;
	bytes = text.bytes - at;
	if (bytes < sizeof(text_begin) ||
	    memcmp(text.start + at, text_begin, sizeof(text_begin) - 1) != 0)
		return 0;
	for (uint64_t i = 0; i < bytes; i++)
		to[i] = text.start[at + i] ? (char)text.start[at + i] : '\n';
	return bytes;
}
