/* Lines of Python in a stack: read from the trace, put where the interpreter stands in the C stack.
 *
 * A Python program's user is the author of the script: the interpreter, what lies in site-packages
 * and the standard library are not the user's, be they Python or C; but the tests that a run is for
 * are, wherever they lie.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/symbol/frame.h"
#include "base/arena.h"

/* Takes the next line (see sc_reader_stack_python) off the text; false at its end. Strings are
 * copied into the arena. */
bool sc_python_take(const char **text, struct sc_arena *arena, struct sc_frame *out);
/* The frame that stands for lines of Python that are not known. */
struct sc_frame sc_python_unknown(void);
/* True for a C frame of the interpreter itself. */
bool sc_python_is_interpreter(const struct sc_frame *frame);
/* Makes an installed test the user's: of a stack, innermost first, the lines below the folder of
 * what a runner of tests called (`pytest --pyargs PACKAGE`). */
void sc_python_own_tests(struct sc_frame *frames, size_t count);
