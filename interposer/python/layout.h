/* How this process's interpreter lays out frames, code objects and strings in memory.
 *
 * Of 3.11 and 3.12 as their headers say, from 3.13 on as the interpreter publishes it for such
 * readers; a version without a row in layout.def has none. It is a claim: python.c compares
 * what is read by it with what the interpreter answers before anything is made of it.
 */
#pragma once

#include <stdint.h>

/* In bytes. The order of the rows of layout.def. */
#define SC_PYTHON_OFFSETS(F)                                                      \
	F(thread_frame) /* in a thread state: its frame, or what holds it */      \
	F(holder_frame) /* in what holds it; SC_PYTHON_NO_HOLDER: nothing does */ \
	F(frame_code)                                                             \
	F(frame_previous)                                                         \
	F(frame_instruction) /* a pointer into the code */                        \
	F(frame_owner)                                                            \
	F(code_file)                                                              \
	F(code_function)                                                          \
	F(code_lines)                                                             \
	F(code_first_line)                                                        \
	F(code_start)                                                             \
	F(code_traceable) /* number of the first instruction that has a line */   \
	F(object_type)                                                            \
	F(object_count) /* of elements, where they vary */                        \
	F(string_length)                                                          \
	F(string_state)                                                           \
	F(string_ascii) /* characters of a string that has ASCII only */          \
	F(string_other) /* of any other */                                        \
	F(bytes_start)

#define SC_PYTHON_NO_HOLDER (-1)

/* No structure is larger, as far as it is read. */
#define SC_PYTHON_MOST_HEAD 512

struct sc_python_layout {
	unsigned minor; /* of the version; 0: the layout is not known */
	unsigned kind;	/* where the state of a string has its kind, in bits */
#define F(name) int32_t name;
	SC_PYTHON_OFFSETS(F)
#undef F
	uint32_t frame_bytes;			     /* that hold all of a frame that is read */
	uint64_t code_type, string_type, bytes_type; /* addresses of the type objects */
};

/* The layout of a version ("3.12.3 (main, ...)"); `runtime` is what the process has as _PyRuntime,
 * or NULL. The addresses of types are left to the caller. */
struct sc_python_layout sc_python_layout(const char *version, const void *runtime);
