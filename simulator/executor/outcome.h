/* Outcomes: how a launch ended, and what failed where. */
#pragma once

#include <stdint.h>

enum exec_result {
	EXEC_DONE,
	EXEC_ILLEGAL_ADDRESS,
	EXEC_MISALIGNED_ADDRESS,
	EXEC_TRAP,
	EXEC_WRONG_TENSOR,    /* a tensor map that does not fit the instruction */
	EXEC_MISALIGNED_TILE, /* one that begins at no multiple of 16 bytes */
	EXEC_TILE_BEFORE,     /* a stored one that begins before its tensor */
	EXEC_PIXEL_OUTSIDE,   /* pixels that begin outside of their box */
	EXEC_NO_TEXTURE,      /* the handle is of no texture, or of no surface */
	EXEC_OUTSIDE_SURFACE, /* an access by coordinates outside of a surface */
	EXEC_ASSERT,	      /* `assert` of a thread failed */
	EXEC_INVALID_PC,      /* a call or a jump to where no code is */
	EXEC_STACK_OVERFLOW,  /* calls are nested too deeply */
	EXEC_NEVER_ENDS,      /* every thread waits, or the budget is used up */
	EXEC_STOPPED,	      /* the caller asked for it */
	EXEC_NO_MEMORY
};

/* How a launch ended; if not well, what failed where. */
struct exec_outcome {
	enum exec_result result;
	uint64_t instructions; /* of warps, about: straight code after the last loop counts whole */
	uint64_t address;
	uint32_t block[3];
	uint32_t thread[3];
	uint32_t ptx_line;
	const char *file; /* of the source, borrowed from the program; NULL: not known */
	uint32_t line;
};
