/* Line files: the headers of this very program's line tables, against libdw, and damaged. */
#include "analyzer/symbol/line_files.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/vector.h"

struct list {
	SC_VECTOR(char *) paths;
};

static void add(void *context, const char *path)
{
	struct list *list = context;

	sc_vector_push(&list->paths, strdup(path));
}

static void forget(struct list *list)
{
	for (size_t i = 0; i < list->paths.count; i++)
		free(list->paths.items[i]);
	sc_vector_fini(&list->paths);
}

static bool has(const struct list *list, const char *path)
{
	for (size_t i = 0; i < list->paths.count; i++)
		if (!strcmp(list->paths.items[i], path))
			return 1;
	return 0;
}

/* A unit's path as the place of a line has it. */
static void whole_path(char *out, size_t bytes, const char *directory, const char *file)
{
	snprintf(out, bytes, "%s%s%s", *file == '/' ? "" : directory, *file == '/' ? "" : "/",
		 file);
}

static void compare_unit(const struct sc_line_sections *sections, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	Dwarf_Files *files;
	struct list list = {0};
	const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	char path[4096];
	size_t count;

	assert_non_null(directory);
	assert_int_equal(dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attribute), &offset),
			 0);
	assert_int_equal(dwarf_getsrcfiles(unit, &files, &count), 0);
	sc_line_files(sections, offset, directory, add, &list);
	for (size_t i = 0; i < count; i++) {
		const char *file = dwarf_filesrc(files, i, NULL, NULL);

		if (strcmp(file, "???") == 0) /* libdw's name for what has no number */
			continue;
		whole_path(path, sizeof(path), directory, file);
		if (!has(&list, path))
			fail_msg("%s is missing", path);
	}
	assert_in_range(list.paths.count, count - 1, count);
	forget(&list);
}

TEST(files_are_those_that_libdw_finds)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	struct sc_line_sections sections;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	int units = 0;

	assert_non_null(dwarf);
	sc_line_sections_find(&sections, dwarf_getelf(dwarf));
	assert_true(sections.line.bytes > 0);
	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0) {
		if (type != DW_UT_compile || !dwarf_hasattr(&unit, DW_AT_stmt_list))
			continue;
		compare_unit(&sections, &unit);
		units++;
	}
	assert_true(units > 0);
	dwarf_end(dwarf);
	close(fd);
}

/* Tables of both forms, each with one folder and two files. */
static const uint8_t version_4[] = {
	42,  0,	  0,   0,    4,	 0,	     /* bytes, version */
	32,  0,	  0,   0,		     /* bytes of the header */
	1,   1,	  1,   0xfb, 14, 3, 0, 1,    /* steps, and two standard operations */
	'd', 0,	  0,			     /* folders */
	'a', '.', 'c', 0,    1,	 0, 0,	     /* in folder 1 */
	'b', '.', 'c', 0,    0,	 0, 0,	     /* in the unit's */
	'/', 'e', '/', 'c',  0,	 0, 0, 0, 0, /* at its place */
};
static const uint8_t version_5[] = {
	48,  0,	  0,   0,    5,	  0,   8, 0, /* bytes, version, address, segment */
	36,  0,	  0,   0,		     /* bytes of the header */
	1,   1,	  1,   0xfb, 14,  2,   0,    /* steps, and one standard operation */
	1,   1,	  8,   2,    '/', 'w', 0,    /* folders: path as a string; two of them */
	'd', 0,				     /* */
	2,   1,	  8,   2,    0xb, 2,	     /* files: path, index of one byte; two of them */
	'a', '.', 'c', 0,    1,		     /* in folder 1 */
	'b', '.', 'c', 0,    0,		     /* in the unit's */
};

static void read_bytes(struct list *list, const uint8_t *bytes, size_t count)
{
	uint8_t *copy = malloc(count ? count : 1); /* so that a sanitizer knows its end */
	struct sc_line_sections s = {.line = {copy, count}};

	memcpy(copy, bytes, count);
	sc_line_files(&s, 0, "/w", add, list);
	free(copy);
}

TEST(both_forms_are_read)
{
	struct list four = {0}, five = {0};

	read_bytes(&four, version_4, sizeof(version_4));
	assert_int_equal(four.paths.count, 3);
	assert_string_equal(four.paths.items[0], "/w/d/a.c");
	assert_string_equal(four.paths.items[1], "/w/b.c");
	assert_string_equal(four.paths.items[2], "/e/c");
	read_bytes(&five, version_5, sizeof(version_5));
	assert_int_equal(five.paths.count, 2);
	assert_string_equal(five.paths.items[0], "/w/d/a.c");
	assert_string_equal(five.paths.items[1], "/w/b.c");
	forget(&four);
	forget(&five);
}

static void damaged(const uint8_t *bytes, size_t count)
{
	uint8_t copy[64];
	struct list list = {0};

	for (size_t end = 0; end < count; end++)
		read_bytes(&list, bytes, end);
	for (size_t at = 0; at < count; at++)
		for (unsigned value = 0; value < 256; value++) {
			memcpy(copy, bytes, count);
			copy[at] = (uint8_t)value;
			read_bytes(&list, copy, count);
		}
	/* each byte names at most one file */
	assert_in_range(list.paths.count, 1, 257 * count * count);
	forget(&list);
}

TEST(damaged_headers_end)
{
	damaged(version_4, sizeof(version_4));
	damaged(version_5, sizeof(version_5));
}
