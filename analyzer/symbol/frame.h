/* Frames: lines of a stack, and which of them are not the user's code: CUDA, streamcheck, the C and
 * C++ libraries. */
#ifndef SC_ANALYZER_SYMBOL_FRAME_H
#define SC_ANALYZER_SYMBOL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* One line of a stack, as a debugger shows it. Strings are never NULL and are borrowed from
 * sc_symbols.
 */
struct sc_frame {
	uint64_t pc;	      /* as recorded */
	const char *function; /* demangled; "app+0x1234" or "0x7f…" if there is no name */
	const char *file;     /* source file as the compiler knew it, "" if unknown */
	const char *module;   /* path of the mapped file, "" if unknown */
	uint64_t offset;      /* of the looked-up address in that file */
	unsigned prefix;      /* bytes of `file` that nobody wants to see (sc_symbols_strip) */
	unsigned line;	      /* 0 if unknown */
	unsigned column;      /* 0 if unknown */
	/* The build id of the file that is at `module` now, in hex digits, if it is not the
	 * recorded one: "" if it has none, NULL if the file is the recorded one or cannot be read.
	 */
	const char *instead;
	bool is_named;	  /* `function` is a name, not a place in a module */
	bool is_inlined;  /* was inlined into the next frame */
	bool is_internal; /* CUDA's, streamcheck's or the C library's code, not the user's */
};

/* Judged by module, source file and function; `is_internal` itself is not looked at. */
bool sc_frame_is_internal(const struct sc_frame *frame);
/* True for a frame of streamcheck itself: no report sends the user there. */
bool sc_frame_is_ours(const struct sc_frame *frame);

#endif
