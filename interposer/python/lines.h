/* The location table of a code object (co_linetable): which line an instruction stands in.
 *
 * The format of CPython 3.11 and later, as Objects/locations.md of CPython describes it: entries of
 * a byte with the high bit set, which says what kind of entry it is and how many instructions of
 * two bytes it covers, and bytes without it that say how the line changes. Tables are read byte by
 * byte as they come, in pieces of any size; whatever is wrong with one, the answer is a number.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_python_lines {
	uint64_t offset; /* of the instruction that is looked for, in bytes */
	uint64_t end;	 /* of the instructions covered so far */
	int64_t line;	 /* of the entry */
	uint64_t delta;	 /* of the line, as far as it was read */
	uint8_t shift;
	bool is_open;  /* more of `delta` is to come */
	bool has_line; /* the entry's instructions have one */
	bool is_known; /* and it is the entry that was looked for */
};

struct sc_python_lines sc_python_lines_init(uint64_t offset, int64_t first_line);
/* True once the line is known; sc_python_lines_number has it then. */
bool sc_python_lines_feed(struct sc_python_lines *l, const uint8_t *table, size_t bytes);
/* The line, or 0 if there is none. */
uint64_t sc_python_lines_number(const struct sc_python_lines *l);
