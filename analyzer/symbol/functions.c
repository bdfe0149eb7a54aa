/* Functions of one unit of DWARF: listed once, found by halving, then walked to the address. */
#include "analyzer/symbol/functions.h"

#include <dwarf.h>
#include <stdlib.h>
#include "base/search.h"

#define FUNCTIONS_MAX (1 << 22) /* of one unit */
#define DEPTH_MAX     64	/* of namespaces, classes, functions in each other */
#define WALKS	      2

void sc_unit_functions_fini(struct sc_unit_functions *f)
{
	sc_vector_fini(&f->all);
}

static void add_function(struct sc_unit_functions *f, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while (f->all.count < FUNCTIONS_MAX &&
	       (next = dwarf_ranges(die, next, &base, &start, &end)) > 0)
		if (start < end)
			sc_vector_push(&f->all, ((struct sc_unit_function){start, end, *die}));
}

/* Whether functions may be inside: in the first walk where they are by rule, in the second where
 * they may be at all. */
static bool may_hold_functions(const struct sc_unit_functions *f, int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module: return 1;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block: return f->walks > 0;
	}
	return 0;
}

static void walk(struct sc_unit_functions *f, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die child;
	int next;

	for (next = dwarf_child(parent, &child); !next; next = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			add_function(f, &child);
		if (depth < DEPTH_MAX && may_hold_functions(f, tag))
			walk(f, &child, depth + 1);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct sc_unit_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void list(struct sc_unit_functions *f, Dwarf_Die *unit)
{
	sc_vector_clear(&f->all);
	walk(f, unit, 0);
	f->walks++;
	if (f->all.count)
		qsort(f->all.items, f->all.count, sizeof(*f->all.items), by_start);
}

/* The functions of valid files do not overlap. */
static struct sc_unit_function *find(const struct sc_unit_functions *f, uint64_t address)
{
	size_t next;

	SC_SEARCH(next, f->all.count, f->all.items[next].start <= address);
	return next && address < f->all.items[next - 1].end ? &f->all.items[next - 1] : NULL;
}

/* The block or inlined call in `parent` that the address is in. */
static bool step_inside(Dwarf_Die *parent, uint64_t address, Dwarf_Die *out)
{
	int next;

	for (next = dwarf_child(parent, out); !next; next = dwarf_siblingof(out, out)) {
		int tag = dwarf_tag(out);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
		     tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
		    dwarf_haspc(out, address) > 0)
			return 1;
	}
	return 0;
}

static void turn_around(Dwarf_Die *dies, unsigned count)
{
	for (unsigned i = 0; i < count / 2; i++) {
		Dwarf_Die die = dies[i];

		dies[i] = dies[count - 1 - i];
		dies[count - 1 - i] = die;
	}
}

unsigned sc_unit_scopes(struct sc_unit_functions *f, Dwarf_Die *unit, uint64_t address,
			Dwarf_Die out[SC_SCOPES_MAX])
{
	struct sc_unit_function *found = find(f, address);
	Dwarf_Die at, inside;
	unsigned count = 1;

	for (; !found && f->walks < WALKS; found = find(f, address))
		list(f, unit);
	if (!found)
		return 0;
	out[0] = at = found->die;
	for (; count < SC_SCOPES_MAX && step_inside(&at, address, &inside); at = inside)
		if (dwarf_tag(&inside) == DW_TAG_inlined_subroutine)
			out[count++] = inside;
	turn_around(out, count);
	return count;
}
