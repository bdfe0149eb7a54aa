/* Functions of one unit of DWARF, by address.
 *
 * The naive form asks libdw for the scopes around an address (dwarf_getscopes), which walks the
 * unit from its beginning: 40 ms for each address of a program of templates. Here the functions of
 * a unit are listed once, when the first address of it is looked up, and only the inside of the one
 * function is walked for each. Two walks: the first looks where compilers put functions, at the top
 * and in namespaces; the second, for an address that the first has not found, everywhere (in
 * classes and in other functions). `unit.symbol` compares the two forms.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/vector.h"

#define SC_SCOPES_MAX 256 /* around one address */

struct sc_unit_function {
	uint64_t start, end;
	Dwarf_Die die;
};

/* An empty one is all zero; it belongs to one unit. */
struct sc_unit_functions {
	SC_VECTOR(struct sc_unit_function) all; /* by start */
	unsigned walks;				/* done so far */
};

void sc_unit_functions_fini(struct sc_unit_functions *f);
/* The function around an address and the calls inlined there, innermost first; returns how many, 0
 * if no function is there. `unit` is the unit that has the functions. */
unsigned sc_unit_scopes(struct sc_unit_functions *f, Dwarf_Die *unit, uint64_t address,
			Dwarf_Die out[SC_SCOPES_MAX]);
