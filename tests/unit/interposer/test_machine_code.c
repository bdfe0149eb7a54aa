/* Machine code in memory: what counts as the same, the texts in it, and bytes that are no code. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/object/machine_code.h"

#define ROOM	 2048
#define SECTIONS 8

/* One file: a head, sections one after the other, their names, and the table. */
struct file {
	uint8_t bytes[ROOM];
	char names[256];
	Elf64_Shdr section[SECTIONS];
	size_t used, names_used;
	unsigned count;
};

static void begin(struct file *f)
{
	*f = (struct file){.used = sizeof(Elf64_Ehdr) + 3, .names_used = 1, .count = 1};
}

static void add(struct file *f, const char *name, uint64_t flags, const void *data, size_t bytes)
{
	f->section[f->count++] = (Elf64_Shdr){
		.sh_name = (uint32_t)f->names_used,
		.sh_type = SHT_PROGBITS,
		.sh_flags = flags,
		.sh_offset = f->used,
		.sh_size = bytes,
	};
	memcpy(f->bytes + f->used, data, bytes);
	f->used += bytes;
	strcpy(f->names + f->names_used, name);
	f->names_used += strlen(name) + 1;
}

static struct sc_machine_code end(struct file *f)
{
	Elf64_Ehdr head = {.e_ident = ELFMAG,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = (uint16_t)(f->count + 1),
			   .e_shstrndx = (uint16_t)f->count};

	head.e_ident[EI_CLASS] = ELFCLASS64;
	f->section[f->count] =
		(Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = f->used, .sh_size = f->names_used};
	memcpy(f->bytes + f->used, f->names, f->names_used);
	f->used += f->names_used;
	head.e_shoff = f->used;
	memcpy(f->bytes + f->used, f->section, (f->count + 1) * sizeof(Elf64_Shdr));
	f->used += (f->count + 1) * sizeof(Elf64_Shdr);
	memcpy(f->bytes, &head, sizeof(head));
	return (struct sc_machine_code){f->bytes, f->used};
}

static struct sc_machine_code code_of(struct file *f, const char *kernel, const char *constants,
				      const char *variables)
{
	begin(f);
	add(f, ".nv.global.init", SHF_ALLOC | SHF_WRITE, variables, strlen(variables));
	add(f, ".text.k", SHF_ALLOC | SHF_EXECINSTR, kernel, strlen(kernel));
	add(f, ".nv.constant0.k", SHF_ALLOC, constants, strlen(constants));
	return end(f);
}

static bool is_same(struct sc_machine_code a, struct sc_machine_code b)
{
	bool is = sc_machine_code_is_same(&a, &b);

	assert_int_equal(sc_machine_code_is_same(&b, &a), is);
	return is;
}

TEST(instructions_and_constants_count)
{
	struct file f[2];
	struct sc_machine_code known = code_of(&f[0], "instructions", "constants", "variables");

	assert_true(is_same(known, known));
	assert_true(is_same(known, code_of(&f[1], "instructions", "constants", "elbairavs")));
	assert_false(is_same(known, code_of(&f[1], "instructionS", "constants", "variables")));
	assert_false(is_same(known, code_of(&f[1], "instruction", "constants", "variables")));
	assert_false(is_same(known, code_of(&f[1], "instructions", "constantS", "variables")));
}

TEST(a_kernel_more_is_other_code)
{
	struct file f[2];
	struct sc_machine_code known = code_of(&f[0], "instructions", "constants", "variables");

	begin(&f[1]);
	add(&f[1], ".text.k", SHF_ALLOC | SHF_EXECINSTR, "instructions", 12);
	add(&f[1], ".text.m", SHF_ALLOC | SHF_EXECINSTR, "instructions", 12);
	add(&f[1], ".nv.constant0.k", SHF_ALLOC, "constants", 9);
	assert_false(is_same(known, end(&f[1])));
}

TEST(code_without_instructions_is_like_none)
{
	struct file f;
	struct sc_machine_code none;

	begin(&f);
	add(&f, ".nv.constant0.k", SHF_ALLOC, "constants", 9);
	none = end(&f);
	assert_false(is_same(none, none));
}

TEST(texts_have_lines)
{
	static const char text[] = "\0\0.version 8.0\0\0.target sm_90", other[] = ".version 7.0";
	struct file f;
	struct sc_machine_code code;
	char to[64] = "";

	begin(&f);
	add(&f, ".text.k", SHF_ALLOC | SHF_EXECINSTR, "instructions", 12);
	add(&f, ".nv_debug_ptx_txt", 0, text, sizeof(text));
	add(&f, ".nv_debug_ptx_txt.77", 0, other, sizeof(other));
	code = end(&f);
	assert_int_equal(sc_machine_code_text_bytes(&code, 0), sizeof(text));
	assert_int_equal(sc_machine_code_text_bytes(&code, 1), sizeof(other));
	assert_int_equal(sc_machine_code_text_bytes(&code, 2), 0);
	assert_int_equal(sc_machine_code_text(&code, 0, to), sizeof(text) - 2);
	assert_memory_equal(to, ".version 8.0\n\n.target sm_90\n", sizeof(text) - 2);
	assert_int_equal(sc_machine_code_text(&code, 1, to), sizeof(other));
	assert_int_equal(sc_machine_code_text(&code, 2, to), 0);
}

TEST(what_is_no_ptx_is_no_text)
{
	struct file f;
	struct sc_machine_code code;
	char to[64];

	begin(&f);
	add(&f, ".nv_debug_ptx_txt", 0, "\177ELF", 4);
	add(&f, ".nv_debug_ptx_txt.1", 0, "\0\0\0\0", 4);
	code = end(&f);
	assert_int_equal(sc_machine_code_text(&code, 0, to), 0);
	assert_int_equal(sc_machine_code_text(&code, 1, to), 0);
}

/* Asks all there is to ask of bytes in memory of just their size. */
static void ask(const uint8_t *bytes, size_t count)
{
	uint8_t *copy = malloc(count + 1);
	struct sc_machine_code code = {copy, count};

	assert_non_null(copy);
	memcpy(copy, bytes, count);
	sc_machine_code_is_same(&code, &code);
	for (unsigned i = 0; i < SECTIONS; i++) {
		size_t room = sc_machine_code_text_bytes(&code, i);
		char *text = malloc(room + 1);

		assert_non_null(text);
		assert_true(sc_machine_code_text(&code, i, text) <= room);
		free(text);
	}
	free(copy);
}

/* Cut anywhere, and with any byte changed in several ways. */
TEST(broken_code_is_read_without_harm)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	struct file f;
	struct sc_machine_code code;

	begin(&f);
	add(&f, ".text.k", SHF_ALLOC | SHF_EXECINSTR, "instructions", 12);
	add(&f, ".nv_debug_ptx_txt", 0, ".version 8.0", 13);
	code = end(&f);
	for (size_t i = 0; i <= code.bytes; i++)
		ask(code.start, i);
	for (size_t i = 0; i < code.bytes; i++) {
		uint8_t old = f.bytes[i];

		for (size_t n = 0; n < sizeof(values); n++) {
			f.bytes[i] = values[n];
			ask(code.start, code.bytes);
		}
		f.bytes[i] = old;
	}
}
