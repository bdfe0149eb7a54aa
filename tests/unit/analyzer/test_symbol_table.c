/* Symbol tables: of this very program, compared with a list that is searched from end to end. */
#include "analyzer/symbol/table.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"

#define FUNCTION(name, code)                                                                     \
	__asm__(".text\n.type " name ", @function\n" name ":\n" code ".size " name ", . - " name \
		"\n")

/* Two names of one function, one of which has no size, and one without a size before it. */
FUNCTION("zebra_of_two",
	 ".global at_two\nat_two:\n.type ant_of_two, @function\nant_of_two:\nret\n");
__asm__(".type no_size, @function\n.global no_size\nno_size: nop\nnop\n"
	".type after_no_size, @function\n.global after_no_size\nafter_no_size: ret\n"
	".size after_no_size, 1\n");

struct fixture {
	int fd;
	Elf *elf;
	struct sc_symbol_table symbols;
	Elf_Data *data;
	size_t strings, count;
};

static int set_up(void **state)
{
	static struct fixture f;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	elf_version(EV_CURRENT);
	f.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_true(f.fd >= 0);
	f.elf = elf_begin(f.fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(f.elf);
	sc_symbol_table_init(&f.symbols, f.elf);
	while ((section = elf_nextscn(f.elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			break;
	if (!section)
		return -1;
	f.data = elf_getdata(section, NULL);
	f.strings = header.sh_link;
	f.count = header.sh_size / header.sh_entsize;
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	sc_symbol_table_fini(&f->symbols);
	elf_end(f->elf);
	close(f->fd);
	return 0;
}

/* The i-th symbol if it is a function with a name, else NULL. */
static const char *function_at(const struct fixture *f, size_t i, GElf_Sym *s)
{
	const char *name;

	assert_non_null(gelf_getsym(f->data, (int)i, s));
	if (GELF_ST_TYPE(s->st_info) != STT_FUNC && GELF_ST_TYPE(s->st_info) != STT_GNU_IFUNC)
		return NULL;
	name = elf_strptr(f->elf, f->strings, s->st_name);
	return s->st_shndx != SHN_UNDEF && s->st_value && name && *name ? name : NULL;
}

/* The last function by address and name that begins at or before the address, if it holds it. */
static const char *naive(const struct fixture *f, uint64_t address)
{
	const char *best = NULL;
	GElf_Sym s, of_best = {0};

	for (size_t i = 0; i < f->count; i++) {
		const char *name = function_at(f, i, &s);

		if (!name || s.st_value > address || s.st_value < of_best.st_value ||
		    (best && s.st_value == of_best.st_value && strcmp(name, best) < 0))
			continue;
		best = name;
		of_best = s;
	}
	return !of_best.st_size || address - of_best.st_value < of_best.st_size ? best : NULL;
}

static void expect(const struct fixture *f, uint64_t address)
{
	const char *wanted = naive(f, address);
	const char *found = sc_symbol_table_find(&f->symbols, address);

	assert_int_equal(!wanted, !found);
	if (wanted)
		assert_string_equal(wanted, found);
}

ALL_TESTS(set_up, tear_down)

TEST(each_address_has_the_name_that_a_search_from_end_to_end_finds)
{
	const struct fixture *f = *state;
	GElf_Sym s;

	for (size_t i = 0; i < f->count; i++) {
		if (!function_at(f, i, &s))
			continue;
		expect(f, s.st_value - 1);
		expect(f, s.st_value);
		expect(f, s.st_value + 1);
		expect(f, s.st_value + s.st_size);
	}
	expect(f, 0);
	expect(f, UINT64_MAX);
}

static uint64_t address_of(const struct fixture *f, const char *name)
{
	GElf_Sym s;

	for (size_t i = 0; i < f->count; i++) {
		const char *found = function_at(f, i, &s);

		if (found && !strcmp(found, name))
			return s.st_value;
	}
	fail_msg("%s is not in the file", name);
	return 0;
}

TEST(of_two_names_the_last_one_by_the_alphabet_is_meant)
{
	const struct fixture *f = *state;
	uint64_t address = address_of(f, "ant_of_two");

	assert_string_equal(sc_symbol_table_find(&f->symbols, address), "zebra_of_two");
}

TEST(a_function_without_a_size_ends_where_the_next_one_begins)
{
	const struct fixture *f = *state;
	uint64_t address = address_of(f, "no_size"), next = address_of(f, "after_no_size");
	const struct sc_symbol *found = sc_symbol_table_get(&f->symbols, address + 1);

	assert_non_null(found);
	assert_string_equal(found->name, "no_size");
	assert_int_equal(sc_symbol_table_end(&f->symbols, found), next);
	found = sc_symbol_table_get(&f->symbols, next);
	assert_int_equal(sc_symbol_table_end(&f->symbols, found), next + 1);
}

TEST(a_file_without_functions_has_no_names)
{
	struct sc_symbol_table none = {0};

	assert_null(sc_symbol_table_get(&none, 0x1000));
	sc_symbol_table_fini(&none);
}
