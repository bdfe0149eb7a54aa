/* Code objects of the interpreter that were hashed, and still are the same ones.
 *
 * What a line follows from is a code object's names and its location table, some kilobytes: to hash
 * them at each call costs more than all else that is recorded of it. They never change while the
 * object lives, but another one may get its address, so deaths are heeded: a function of ours is
 * put before the type's own one in its slot `tp_dealloc`, once, and only if PyType_GetSlot confirms
 * that the slot is where it should be. Where it does not, nothing is ever found here.
 *
 * Whoever looks up and keeps is in a frame of that code, so that it lives meanwhile. Safe in signal
 * handlers.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define SC_PYTHON_CODES 1024

/* What is known of one code object. */
struct sc_python_code {
	uint64_t stamp;		   /* hash of names and tables */
	uint32_t bytes, traceable; /* of the instructions, and offset of the first with a line */
};

struct sc_python_codes {
	void *_Atomic freed; /* the type's own function; NULL: ours is not there */
	_Atomic uint32_t deaths;
	struct {
		_Atomic uint64_t object, stamp, shape, check; /* check: all three */
	} entry[SC_PYTHON_CODES];
};

/* Outlives a fork: the interpreter calls the function that it was given in the child as well. */
extern struct sc_python_codes sc_python_codes;

/* With the interpreter's lock held: heeds deaths from now on. `reported` is what PyType_GetSlot
 * returned. */
void sc_python_codes_watch(uint64_t code_type, void *reported);
/* Another one after each death; 0: deaths are not heeded. */
uint32_t sc_python_codes_version(void);
bool sc_python_codes_find(uint64_t object, struct sc_python_code *out);
/* Only what is watched is kept. */
void sc_python_codes_keep(uint64_t object, const struct sc_python_code *code);
