/* Functions of a unit of DWARF: the scopes around each address of this program, as libdw has them.
 */
#include "analyzer/symbol/functions.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"

#define STEP 3 /* bytes between addresses */

static volatile int number;

__attribute__((always_inline)) static inline int innermost(int a)
{
	if (a > number) {
		int twice = a * 2;

		number += twice;
		return twice;
	}
	return a;
}

__attribute__((always_inline)) static inline int middle(int a)
{
	return innermost(a) + innermost(a + number);
}

__attribute__((noinline)) static int outermost(int a)
{
	return middle(a) * middle(a + 1);
}

struct file {
	int fd;
	Dwarf *dwarf;
};

static struct file open_self(void)
{
	struct file f = {.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};

	assert_true(f.fd >= 0);
	f.dwarf = dwarf_begin(f.fd, DWARF_C_READ);
	assert_non_null(f.dwarf);
	return f;
}

static void close_file(struct file *f)
{
	dwarf_end(f->dwarf);
	close(f->fd);
}

/* The naive form: the scopes as they are nested in the code, innermost first. */
static unsigned naive_scopes(Dwarf_Die *unit, uint64_t address, Dwarf_Die out[SC_SCOPES_MAX])
{
	Dwarf_Die *scopes = NULL, *nested = NULL;
	int count = dwarf_getscopes(unit, address, &scopes);
	unsigned found = 0;

	count = count > 0 ? dwarf_getscopes_die(&scopes[0], &nested) : 0;
	for (int i = 0; i < count; i++) {
		int tag = dwarf_tag(&nested[i]);

		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram)
			out[found++] = nested[i];
		if (tag == DW_TAG_subprogram)
			break;
	}
	free(scopes);
	free(nested);
	return found;
}

/* Returns the deepest chain. */
static unsigned compare_range(struct sc_unit_functions *f, Dwarf_Die *unit, uint64_t from,
			      uint64_t end)
{
	unsigned deepest = 0;

	for (; from < end; from += STEP) {
		Dwarf_Die expected[SC_SCOPES_MAX], got[SC_SCOPES_MAX];
		unsigned count = naive_scopes(unit, from, expected);

		if (!count)
			continue;
		assert_int_equal(sc_unit_scopes(f, unit, from, got), count);
		for (unsigned i = 0; i < count; i++)
			assert_int_equal(dwarf_dieoffset(&got[i]), dwarf_dieoffset(&expected[i]));
		deepest = count > deepest ? count : deepest;
	}
	return deepest;
}

/* The unit of this source file. */
static Dwarf_Die find_unit(const struct file *file)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;

	while (!dwarf_get_units(file->dwarf, cu, &cu, NULL, &type, &unit, NULL))
		if (dwarf_diename(&unit) && strstr(dwarf_diename(&unit), "test_unit_functions.c"))
			return unit;
	fail();
	return unit;
}

TEST(scopes_are_those_of_libdw)
{
	struct file file = open_self();
	struct sc_unit_functions f = {0};
	Dwarf_Die unit = find_unit(&file);
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;
	unsigned deepest = 0;

	number = outermost(number);
	while ((next = dwarf_ranges(&unit, next, &base, &start, &end)) > 0) {
		unsigned depth = compare_range(&f, &unit, start, end);

		deepest = depth > deepest ? depth : deepest;
	}
	assert_true(deepest >= 3);
	sc_unit_functions_fini(&f);
	close_file(&file);
}

/* One walk finds all but what lies in no function; then there is a second, and no third. */
TEST(a_unit_is_walked_once)
{
	struct file file = open_self();
	struct sc_unit_functions f = {0};
	Dwarf_Die unit = find_unit(&file), scopes[SC_SCOPES_MAX];
	Dwarf_Addr base, start, end;

	assert_true(dwarf_ranges(&unit, 0, &base, &start, &end) > 0);
	assert_int_equal(f.walks, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_true(sc_unit_scopes(&f, &unit, start, scopes));
	assert_int_equal(f.walks, 1);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sc_unit_scopes(&f, &unit, 1, scopes), 0);
	assert_int_equal(f.walks, 2);
	assert_true(sc_unit_scopes(&f, &unit, start, scopes));
	sc_unit_functions_fini(&f);
	close_file(&file);
}
