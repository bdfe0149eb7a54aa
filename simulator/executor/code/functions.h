/* The functions of a program: found by their names, in all of its texts, and by their addresses.
 *
 * A function has an address from when it is first asked for; EXEC_WINDOW_CODE has all of them, in
 * that order.
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "ptx/ptx.h"

struct exec_function {
	const struct sc_ptx *ptx; /* borrowed, as the function */
	const struct sc_function *function;
};

struct exec_functions {
	SC_VECTOR(struct sc_ptx *) texts; /* owned */
	SC_VECTOR(struct exec_function) addressed;
	struct sc_u64_map numbers; /* function → its place in `addressed` + 1 */
	size_t scanned;		   /* texts in which all addresses were taken */
};

void exec_functions_fini(struct exec_functions *fs);

/* The function or kernel of that name that has a body: of the text `first`, else of any. */
bool exec_functions_find(const struct exec_functions *fs, const struct sc_ptx *first,
			 const char *name, bool is_kernel, struct exec_function *found);

/* The address of a function; 0: there is none of that name. */
uint64_t exec_functions_address(struct exec_functions *fs, const struct sc_ptx *first,
				const char *name);

/* Gives an address to each function whose address some text takes. */
void exec_functions_scan(struct exec_functions *fs);

/* The operand of a call that says what is called, as an index; the number of operands: none does.
 */
uint32_t exec_functions_callee(const struct sc_function *f, const struct sc_instruction *in);
