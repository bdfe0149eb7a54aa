/* The DWARF of one file: units by address, then the chain of inlined calls inside a unit. */
#include "analyzer/symbol/dwarf.h"

#include <dwarf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analyzer/symbol/functions.h"
#include "analyzer/symbol/line_files.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/search.h"
#include "base/vector.h"

#define RANGES_MAX (1 << 24)   /* of one file */
#define REWRITTEN  ".cudafe1." /* in names of files that nvcc makes of a source */

enum columns { NOT_ASKED, OF_SOURCE, OF_REWRITTEN };

struct unit {
	Dwarf_Die lines;  /* carries the line table */
	Dwarf_Die scopes; /* the same, or the split unit (.dwo) that holds the functions */
	struct sc_unit_functions functions;
	enum columns columns;
};

struct range {
	uint64_t start;
	uint64_t end;
	size_t unit;
};

struct sc_dwarf {
	Dwarf *dwarf; /* owned */
	SC_VECTOR(struct unit) units;
	SC_VECTOR(struct range) ranges; /* sorted by start */
};

static void add_unit_ranges(struct sc_dwarf *d, Dwarf_Die *die, size_t unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while (d->ranges.count < RANGES_MAX &&
	       (next = dwarf_ranges(die, next, &base, &start, &end)) > 0)
		if (start < end)
			sc_vector_push(&d->ranges, ((struct range){start, end, unit}));
}

static void add_unit(struct sc_dwarf *d, Dwarf_Die *die, Dwarf_Die *split)
{
	bool is_split = split && split->addr;

	add_unit_ranges(d, die, d->units.count);
	sc_vector_push(&d->units,
		       ((struct unit){.lines = *die, .scopes = is_split ? *split : *die}));
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void read_units(struct sc_dwarf *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &die, &split) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			add_unit(d, &die, type == DW_UT_skeleton ? &split : NULL);
	if (d->ranges.count)
		qsort(d->ranges.items, d->ranges.count, sizeof(*d->ranges.items), by_start);
}

struct sc_dwarf *sc_dwarf_open(Elf *elf)
{
	struct sc_dwarf *d = sc_heap_xcalloc(1, sizeof(*d));

	d->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (d->dwarf)
		read_units(d);
	if (d->ranges.count)
		return d;
	sc_dwarf_close(d);
	return NULL;
}

void sc_dwarf_close(struct sc_dwarf *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->units.count; i++)
		sc_unit_functions_fini(&d->units.items[i].functions);
	sc_vector_fini(&d->ranges);
	sc_vector_fini(&d->units);
	if (d->dwarf)
		dwarf_end(d->dwarf);
	free(d);
}

static struct unit *find_unit(const struct sc_dwarf *d, uint64_t address)
{
	size_t next;

	SC_SEARCH(next, d->ranges.count, d->ranges.items[next].start <= address);
	/* Ranges of valid files do not overlap; the few steps back allow for files whose ranges
	 * do. */
	for (size_t i = next; i > 0 && next - i < 16; i--)
		if (address < d->ranges.items[i - 1].end)
			return &d->units.items[d->ranges.items[i - 1].unit];
	return NULL;
}

/* The file's path; a relative path gets the compilation directory as its prefix. */
static const char *full_path(Dwarf_Die *unit, const char *file, char *out)
{
	Dwarf_Attribute attribute;
	const char *directory;

	if (!file || *file == '/' || *file == '<')
		return file;
	directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (!directory || snprintf(out, PATH_MAX, "%s/%s", directory, file) >= PATH_MAX)
		return file;
	return out;
}

static unsigned number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) || value > UINT_MAX)
		return 0;
	return (unsigned)value;
}

static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name;

	name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	if (!name)
		name = dwarf_formstring(
			dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
	return name ? name : dwarf_diename(die);
}

/* nvcc's front end hands the host's compiler a source of its own, of which it says the user's files
 * and lines, headers' too; columns are those of that source. A unit names it: itself, or, where it
 * was merged with others (LTO), among its files. */
static enum columns columns_of(Dwarf_Die *unit)
{
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(unit, &files, &count))
		return OF_SOURCE;
	for (size_t i = 0; i < count; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);

		if (name && strstr(name, REWRITTEN))
			return OF_REWRITTEN;
	}
	return OF_SOURCE;
}

static bool has_columns(struct unit *unit)
{
	if (unit->columns == NOT_ASKED)
		unit->columns = columns_of(&unit->lines);
	return unit->columns == OF_SOURCE;
}

static unsigned declared_line(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), &value) ||
			       value > UINT_MAX
		       ? 0
		       : (unsigned)value;
}

/* Where the caller of an inlined function stands. */
static void set_call_place(struct sc_place *place, Dwarf_Die *inlined, Dwarf_Die *unit, char *path)
{
	unsigned number = number_of(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t count;

	place->file = NULL;
	if (!dwarf_getsrcfiles(unit, &files, &count) && number < count)
		place->file = full_path(unit, dwarf_filesrc(files, number, NULL, NULL), path);
	place->line = number_of(inlined, DW_AT_call_line);
	place->column = number_of(inlined, DW_AT_call_column);
}

static void set_line_place(struct sc_place *place, struct unit *unit, uint64_t address, char *path)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->lines, address);
	int number = 0, column = 0;

	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return;
	dwarf_linecol(line, &column);
	place->file = full_path(&unit->lines, dwarf_linesrc(line, NULL, NULL), path);
	place->line = (unsigned)number;
	place->column = column > 0 ? (unsigned)column : 0;
}

unsigned sc_dwarf_lookup(struct sc_dwarf *d, uint64_t address, sc_place_fn *place, void *context)
{
	struct unit *unit = find_unit(d, address);
	Dwarf_Die scopes[SC_SCOPES_MAX];
	struct sc_place here = {0};
	char path[PATH_MAX];
	unsigned count;

	if (!unit)
		return 0;
	set_line_place(&here, unit, address, path);
	count = sc_unit_scopes(&unit->functions, &unit->scopes, address, scopes);
	for (unsigned i = 0; i < count; i++) {
		here.is_inlined = i + 1 < count;
		here.function = function_name(&scopes[i]);
		here.column = has_columns(unit) ? here.column : 0;
		here.is_at_head = here.line && here.line == declared_line(&scopes[i]);
		place(context, &here);
		if (here.is_inlined)
			set_call_place(&here, &scopes[i], &unit->lines, path);
	}
	if (count || !here.line)
		return count;
	here.column = has_columns(unit) ? here.column : 0;
	place(context, &here);
	return 1;
}

struct sources {
	struct sc_u64_map seen; /* hashes of paths */
	sc_place_fn *place;
	void *context;
};

static void add_source(void *context, const char *path)
{
	struct sources *sources = context;
	struct sc_place place = {.file = path};
	uint64_t hash = UINT64_C(0xCBF29CE484222325), *seen;

	for (const char *at = path; *at; at++)
		hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001B3);
	seen = sc_u64_map_get(&sources->seen, hash);
	if (!*seen)
		sources->place(sources->context, &place);
	*seen = 1;
}

void sc_dwarf_sources(struct sc_dwarf *d, sc_place_fn *place, void *context)
{
	struct sources sources = {.place = place, .context = context};
	struct sc_line_sections sections;

	sc_line_sections_find(&sections, dwarf_getelf(d->dwarf));
	for (size_t i = 0; i < d->units.count; i++) {
		Dwarf_Die *unit = &d->units.items[i].lines;
		Dwarf_Attribute directory, list;
		Dwarf_Word offset;

		if (!dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &list), &offset))
			sc_line_files(
				&sections, offset,
				dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &directory)),
				add_source, &sources);
	}
	sc_u64_map_fini(&sources.seen);
}
