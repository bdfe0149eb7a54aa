/* What memory an x86-64 instruction touches: the address and size of its one memory operand.
 *
 * For faults: the processor reports one byte that was refused, the instruction gives the rest.
 * Reads no byte after the instruction, so that it never leaves the mapping of the code.
 * Instructions whose extent depends on more than their encoding (masks, gathers, bit strings, state
 * saving) and those that are not known have no answer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct sc_memory_operand {
	uint64_t address;
	uint32_t bytes;
	bool is_locked; /* an atomic read-modify-write: a lock, perhaps */
};

/* The operand that holds `fault`; one byte at `fault` if that is all that can be said. */
struct sc_memory_operand sc_instruction_operand(const ucontext_t *context, uint64_t fault);
