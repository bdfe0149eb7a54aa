/* Frames: lines of a stack, and whose code each of them is.
 *
 * One notion of own code for all reports, fixes, fingerprints and repair. Not own is what lies in a
 * system include folder, in the CUDA toolkit, in the folder of an installed package, or below
 * _deps, where CMake's FetchContent puts the sources of other projects; then what option own says.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/option.h"

enum sc_frame_owner {
	SC_OWNER_USER,
	SC_OWNER_NAMED,	  /* the user's, as option own says */
	SC_OWNER_PACKAGE, /* a library that was installed or fetched */
	SC_OWNER_SYSTEM,  /* CUDA, streamcheck, the C and C++ libraries, an interpreter */
};

/* One line of a stack, as a debugger shows it. Strings are never NULL and are borrowed from
 * sc_symbols.
 */
struct sc_frame {
	uint64_t pc;	      /* as recorded */
	const char *function; /* demangled; "app+0x1234" or "0x7f…" if there is no name */
	const char *file;     /* source file as the compiler knew it, "" if unknown */
	const char *module;   /* path of the mapped file, "" if unknown */
	uint64_t offset;      /* of the looked-up address in that file */
	unsigned line;	      /* 0 if unknown */
	unsigned column;      /* 0 if unknown */
	/* The build id of the file that is at `module` now, in hex digits, if it is not the
	 * recorded one: "" if it has none, NULL if the file is the recorded one or cannot be read.
	 */
	const char *instead;
	bool is_named;	 /* `function` is a name, not a place in a module */
	bool is_inlined; /* was inlined into the next frame */
	bool is_at_head; /* the line is that of the function's declaration */
	bool is_tail;	 /* left the stack, as it jumped to what the frame before shows */
	enum sc_frame_owner owner;
	bool is_internal; /* not the user's code, in a stack that has some of it */
};

/* Judged by module, source file and function. */
enum sc_frame_owner sc_frame_owner_of(const struct sc_frame *frame);
/* Sets what is internal in a whole stack: all that is not the user's; of a stack without the user's
 * code all but the packages', the frames with lines if there are any. */
void sc_frames_judge(struct sc_frame *frames, size_t count);
/* Gives the user the frames whose source files match a pattern, and the others to packages, if one
 * matches. Paths are also compared without `directory`. CUDA's start of a kernel stays its own. */
void sc_frames_own(struct sc_frame *frames, size_t count, const struct sc_option_list *patterns,
		   const char *directory);
/* True for a line of a library's header that the program was compiled with: not for what stands for
 * the call itself (CUDA's wrappers of it, what starts a kernel). */
bool sc_frame_is_of_header(const struct sc_frame *frame);
/* True for the mapped files of the driver and of the runtime. */
bool sc_frame_is_cuda(const char *module);
/* True if functions of this mapped file may be the user's. */
bool sc_frame_may_own(const char *module);
/* True if the path lies where packages are installed. */
bool sc_frame_is_package(const char *path);
/* True for a frame of streamcheck itself: no report sends the user there. */
bool sc_frame_is_ours(const struct sc_frame *frame);
