/* Finds which arguments of a printf-like call are strings, by its format.
 *
 * The kernel may get a string of the program's from libc as it is, so the guard opens strings. It
 * must not open what other arguments, or what lies after them on the stack, happen to point to:
 * accesses there would be missed. Follows C17, POSIX's positions (%2$s) and glibc's flags; after an
 * unknown conversion (register_printf_specifier) nothing is reported.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/arch/processor.h"

#define SC_FORMAT_MOST 64 /* arguments; what comes after them is not reported */

/* A string argument, of which no more than `most` bytes are read. */
typedef void (*sc_format_string)(void *context, uint64_t start, uint64_t most);
/* Reads the format and the arguments as printf will: what it cannot read, nor can this. Neither
 * takes locks nor allocates. */
void sc_format_each_string(const char *format, struct sc_arguments arguments,
			   sc_format_string string, void *context);
