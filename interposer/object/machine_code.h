/* Machine code in memory (ELF): its sections, and the PTX that the assembler left in it.
 *
 * With line information ptxas puts the text that it read into the code that it makes of it, in
 * sections .nv_debug_ptx_txt: each line without its indent and comments, a zero after it. So such
 * code says itself what it was made of, and the text of other code is known if that has the same
 * instructions and constants. All offsets and lengths are checked; nothing is allocated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_machine_code {
	const uint8_t *start; /* borrowed; need not be aligned */
	size_t bytes;
};

/* Whether both have instructions, and the same: each section with instructions or constants is in
 * the other one with the same name and bytes. Where variables lie may differ. */
bool sc_machine_code_is_same(const struct sc_machine_code *a, const struct sc_machine_code *b);

/* Bytes of the text with this number; 0: there is none. */
size_t sc_machine_code_text_bytes(const struct sc_machine_code *code, unsigned number);
/* Writes that text, of so many bytes, with a line end after each line, and returns how many bytes
 * it has without the empty lines before it. 0: it is no PTX. */
size_t sc_machine_code_text(const struct sc_machine_code *code, unsigned number, char *to);
