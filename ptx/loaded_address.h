/* Loaded addresses: does a kernel use memory by an address that it loaded itself?
 *
 * A fast answer from the text, for who has no time to analyze it (footprint/ has): an address is
 * loaded if it comes from a load, by moves and sums, in whatever order the instructions run.
 * Products, shifts and conversions are indices, so an element of an array by an index that was
 * loaded is none. False where an address is put together from pieces by shifts, true where in doubt
 * otherwise: a call of a function that is not in the text, a byte by a 64-bit index that was
 * loaded. Parameters are not loaded, nor are handles of textures.
 *
 * PTX is hostile: any text has an answer. Nothing is allocated, so that the recorder may use it.
 * About linear in the text: each body is read once, one with loops a few times, eight at most.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Three quarters of them may be of one body; in one with more any address may be loaded. */
#define SC_LOADED_ADDRESS_REGISTERS 16384

/* What the registers of the body at hand may hold; zeroed before the first use. */
struct sc_loaded_address_registers {
	uint32_t body; /* number of the body */
	uint32_t used; /* entries of it */
	struct {
		uint32_t name; /* its hash */
		uint32_t body;
		uint32_t holds;
	} item[SC_LOADED_ADDRESS_REGISTERS];
};

/* Gets each kernel of a text; its name (borrowed, no terminator) is mangled. */
struct sc_loaded_address_taker {
	void (*take)(void *context, const char *name, size_t bytes, bool is_loaded);
	void *context;
};

void sc_loaded_address_find(const char *text, size_t bytes,
			    struct sc_loaded_address_registers *registers,
			    const struct sc_loaded_address_taker *to);
