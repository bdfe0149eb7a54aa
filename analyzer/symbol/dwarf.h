/* The DWARF of one file: an address becomes a chain of frames, inlined ones first.
 *
 * Ranges of all units are collected once (the .debug_aranges of a file need not be complete), an
 * address is then found by halving. Everything in the file may be hostile; loops are bounded here,
 * but libdw itself is trusted only inside the child of worker.h.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* One frame at an address. */
struct sc_place {
	const char *function; /* as the compiler wrote it (mangled), or NULL */
	const char *file;     /* or NULL */
	unsigned line;	      /* 0 if unknown */
	unsigned column;      /* 0 if unknown */
	bool is_inlined;      /* into the next frame */
	const char *instead;  /* as in struct sc_frame; then nothing else is known */
	bool is_at_head;      /* the line is that of the function's declaration */
};

/* Called for each frame, innermost first; what `place` points to lives during the call. */
typedef void sc_place_fn(void *context, const struct sc_place *place);

struct sc_dwarf; /* opaque */

/* Opens the DWARF in `elf` (borrowed); NULL if it has none. */
struct sc_dwarf *sc_dwarf_open(Elf *elf);
void sc_dwarf_close(struct sc_dwarf *d);
/* Reports the frames at a link-time address; returns how many, 0 if the DWARF does not cover it. */
unsigned sc_dwarf_lookup(struct sc_dwarf *d, uint64_t address, sc_place_fn *place, void *context);
/* Reports each source file that the line tables name, once, as a place with nothing else. */
void sc_dwarf_sources(struct sc_dwarf *d, sc_place_fn *place, void *context);
