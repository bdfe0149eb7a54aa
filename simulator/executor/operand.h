/* Operands: from names and numbers in the text to slots. */
#ifndef EXEC_OPERAND_H
#define EXEC_OPERAND_H

#include "base/map.h"
#include "simulator/executor/executor.h"
#include "simulator/executor/kernel.h"

/* What decoding one kernel works on. */
struct exec_decoder {
	const struct sc_ptx *m;
	const struct sc_function *f;
	struct exec_kernel *k;
	exec_address_of *address_of;
	void *context;
	SC_VECTOR(unsigned char) constants;
	struct sc_u64_map constant_slots[9]; /* by bytes: value → slot + 1 */
	struct sc_u64_map places;	     /* symbol → offset in its space + 1 */
	exec_slot *registers;		     /* owned; of each register, 0: not used so far */
	uint32_t *at;			     /* owned; of each PTX instruction: its index here */
	char problem[256];		     /* why it cannot run */
};

void exec_operand_init(struct exec_decoder *d);
void exec_operand_fini(struct exec_decoder *d);

/* Gives each variable in shared and local memory that the function names its place. */
void exec_operand_place_symbols(struct exec_decoder *d);

/* Fills the slots by a form (table.h); false: an operand does not fit. */
bool exec_operand_decode(struct exec_decoder *d, const char *form, const struct sc_instruction *in,
			 struct exec_instruction *out);

/* The slot of a predicate register; false: it is none. */
bool exec_operand_guard(struct exec_decoder *d, uint32_t id, exec_slot *slot);

/* Bytes of a lane of an operand if it is a register, else 0. */
unsigned exec_operand_width(const struct exec_decoder *d, const struct sc_ptx_operand *o);

/* The word of a special register, "%tid.x"; NULL: the operand is none. */
const char *exec_operand_special(const struct exec_decoder *d, const struct sc_ptx_operand *o);

#endif
