/* Call frame information: how to step from a function to its caller, read from .eh_frame.
 *
 * For one program counter the rules shrink to a few numbers: where the canonical frame address
 * (CFA) is, and where the caller's base of its frame was saved. Reads only the loaded object's own
 * tables; takes no lock and allocates nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum sc_cfa {
	SC_CFA_END = 1,	   /* no caller: the first function of a thread, or no information */
	SC_CFA_SP,	   /* sp + offset */
	SC_CFA_BASE,	   /* base + offset */
	SC_CFA_BASE_DEREF, /* the value at base + offset (realigned stacks) */
	SC_CFA_SIGNAL,	   /* a signal frame: the kernel saved everything at sp */
	SC_CFA_CHAIN	   /* no table: hope for a frame pointer */
};

struct sc_cfi {
	uint8_t cfa; /* enum sc_cfa */
	bool is_base_saved;
	int16_t base_offset; /* of the saved base from the CFA */
	int32_t offset;
};

/* The rule at `pc`, from an object's .eh_frame_hdr section (NULL: the object has none). */
struct sc_cfi sc_cfi_find(const uint8_t *eh_frame_hdr, uint64_t pc);
