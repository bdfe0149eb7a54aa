/* Symbols: return addresses of a trace turned into functions, files and lines.
 *
 * A pc finds its file by the MAP ops, the file is trusted only if its build id is the recorded one,
 * DWARF (or else the symbol table) says the rest. The files are read in a child process: a damaged
 * or hostile one costs its own names, never the report. Whatever is missing degrades step by step:
 * inlined frames and lines, function, "app+0x1234", a bare address.
 *
 * Addresses are return addresses, so each is looked up one byte back. Results are cached per pc and
 * live until sc_symbols_free. Cost: one child per batch; name every stack with sc_symbols_want
 * first, and there is one batch.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analyzer/symbol/frame.h"
#include "base/buf.h"
#include "base/option.h"
#include "trace/reader.h"

struct sc_symbols; /* opaque */
struct sc_symbol_cache;

/* The reader is borrowed and must have been read to its end. NULL if out of memory. */
struct sc_symbols *sc_symbols_new(const struct sc_reader *r);
void sc_symbols_free(struct sc_symbols *s);

/* Lets missing debug files be fetched from the servers that DEBUGINFOD_URLS names; without this no
 * network is ever used. */
void sc_symbols_fetch(struct sc_symbols *s);
/* Lets debug files be looked for below `root` too (borrowed), laid out as /usr/lib/debug. */
void sc_symbols_look_below(struct sc_symbols *s, const char *root);

/* Takes names from a cache that other traces filled, and gives it those that are looked up here
 * (borrowed; it outlives the frames). NULL: none. */
void sc_symbols_share(struct sc_symbols *s, struct sc_symbol_cache *cache);

/* Takes source files that match a pattern (borrowed) for the user's own, where a stack has some;
 * the others then are not. */
void sc_symbols_own(struct sc_symbols *s, const struct sc_option_list *patterns);

/* Announces that a stack will be asked for, so that it is looked up with the others. */
void sc_symbols_want(struct sc_symbols *s, uint32_t stack);
/* Files whose names could not be read to their end, though they may be there. */
unsigned sc_symbols_given_up(const struct sc_symbols *s);
/* Frames of a stack, innermost first, inlined ones included; returns how many. */
size_t sc_symbols_stack(struct sc_symbols *s, uint32_t stack, const struct sc_frame **frames);

typedef void sc_source_fn(void *context, const char *path);
/* Reports the source files that may have the user's lines of these stacks, some of them more than
 * once: all those of the files that the stacks pass, without a look-up of the addresses. */
void sc_symbols_sources(struct sc_symbols *s, const uint32_t *stacks, size_t count,
			sc_source_fn *source, void *context);

/* Appends all names that were found so far as text, a line for each frame; and takes such lines, of
 * which every byte may be hostile: their addresses are not looked up again. */
void sc_symbols_save(const struct sc_symbols *s, struct sc_buf *out);
void sc_symbols_load(struct sc_symbols *s, const char *text, size_t bytes);
