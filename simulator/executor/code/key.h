/* Keys: an opcode without the parts that are no matter of which handler runs it (part.def). */
#pragma once

#include "simulator/executor/code/kernel.h"
#include "simulator/executor/texture/texture.h"

#define EXEC_KEY_BYTES 96

struct exec_key {
	char text[EXEC_KEY_BYTES]; /* "setp.lt.s32" of "setp.lt.and.s32" */
	uint8_t space;
	uint8_t count; /* elements of a vector, at least 1 */
	uint8_t round;
	uint8_t demands;
	uint8_t boolean;
	uint8_t polls;
	uint8_t order;	  /* enum exec_order */
	uint8_t geometry; /* of a texture or surface; EXEC_NO_GEOMETRY: of neither */
	uint8_t outside;
	bool has_any_order; /* its parts may stand in another order than those of a pattern */
};

/* False: longer than any known opcode. */
bool exec_key_make(struct exec_key *key, const struct sc_ptx *m, const struct sc_instruction *in);

/* Adds to the text; what does not fit makes a key that nothing has. */
void exec_key_add(struct exec_key *key, const char *text);
