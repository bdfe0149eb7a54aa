/* PTX in memory: a module's functions as flat lists of instructions with resolved names.
 *
 * Registers are numbered per function in order of first use, after scopes are resolved; labels
 * are numbered per function. Nothing is checked beyond what reading needs: an unknown opcode is
 * OTHER, an unknown name stays a name. Hostile text makes strange modules, never a crash.
 *
 * Most of a text is bodies, of which a program may run one in thousands: an index has the
 * declarations of all functions, and the body of those that were asked for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "ptx/isa.h"
#include "ptx/module.h"

/* Reads all of a module but the bodies of its functions; whatever the text, the result is a module
 * (perhaps an empty one). The text is borrowed until sc_ptx_fini. */
void sc_ptx_index(struct sc_ptx *m, const char *text, size_t bytes);
/* The function (of m, or NULL) after its body was read. */
const struct sc_function *sc_ptx_body(struct sc_ptx *m, const struct sc_function *f);
/* Reads all of a module; the text may go afterwards. */
void sc_ptx_read(struct sc_ptx *m, const char *text, size_t bytes);
void sc_ptx_fini(struct sc_ptx *m);
/* Number of a name, given out on first use. */
uint32_t sc_ptx_name(struct sc_ptx *m, const char *text, size_t bytes);
/* Number of a name that was given out; false: there is none. */
bool sc_ptx_find_name(const struct sc_ptx *m, const char *text, uint32_t *name);
/* True if the module was compiled from Tile IR. A launch of its kernels counts tiles, in blocks of
 * one thread, which stand for those that the kernel demands. */
bool sc_ptx_is_tiled(const struct sc_ptx *m);
/* The block in which a launch of so many threads runs the kernel. */
void sc_ptx_block(const struct sc_ptx *m, const struct sc_function *kernel, uint32_t block[3]);
/* True for a load in one piece that kernels beside this one see: volatile, or by atomic semantics
 * (relaxed, acquire) beyond the block and its cluster. */
bool sc_ptx_is_atomic_load(const struct sc_ptx *m, const struct sc_instruction *in);
/* Function with that name that has a body, which need not be read yet, or NULL. */
const struct sc_function *sc_ptx_function(const struct sc_ptx *m, uint32_t name);
