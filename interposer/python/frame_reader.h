/* Python: a thread's own frames, read where they lie, without a lock and without the interpreter.
 *
 * A thread that is inside C code cannot run Python meanwhile, so its frames stand still, and what
 * they refer to lives: its code objects, their names and location tables. Nothing is called,
 * counted or created; every read may fail (safe_read.h), every type is compared, every length
 * bounded. A frame is known by a hash of all that its line follows from, contents and not
 * addresses, because what is not held may go, and others come to lie at its address. Safe in signal
 * handlers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/safe_read.h"
#include "interposer/python/layout.h"
#include "interposer/python/text.h"

/* Innermost first. */
struct sc_python_frames {
	uint32_t count;
	uint32_t steps; /* frames that were read for them: the interpreter has some of its own */
	struct {
		uint64_t code;	 /* object */
		uint64_t offset; /* of the instruction, in bytes */
		uint64_t stamp;	 /* of struct sc_python_code */
	} frame[SC_PYTHON_DEPTH];
};

/* What a reading needs. */
struct sc_python_reader {
	const struct sc_python_layout *layout;
	struct sc_safe_read *memory;
};

/* The innermost frame of a thread state, 0 if it has none; false if that cannot be read. */
bool sc_python_read_innermost(const struct sc_python_reader *r, uint64_t thread, uint64_t *frame);
/* A frame and those that it was called from; false if one is not what it should be. */
bool sc_python_read(const struct sc_python_reader *r, uint64_t frame, struct sc_python_frames *out);
/* Their lines as text; false as above. */
bool sc_python_read_text(const struct sc_python_reader *r, const struct sc_python_frames *frames,
			 struct sc_python_text *t);
