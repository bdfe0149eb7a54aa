/* Operands: from names and numbers in the text to slots. */
#pragma once

#include "base/map.h"
#include "simulator/executor/code/unit.h"

/* While a text is decoded, slots of registers are their numbers; exec_allot gives them places. */
#define EXEC_FIRST_REGISTER EXEC_SINK_BYTES
#define EXEC_REGISTER_STEP  4
#define EXEC_REGISTERS_MOST ((size_t)16 << 20) /* bytes of a warp */

/* An instruction names a register. */
struct exec_reference {
	uint32_t at; /* the instruction, in the text */
	uint32_t index;
	bool is_write;
};

/* What decoding one kernel or function works on. */
struct exec_decoder {
	const struct sc_ptx *m;
	const struct sc_function *f;
	struct exec_kernel *k;
	const struct exec_unit *unit;
	SC_VECTOR(unsigned char) constants;
	SC_VECTOR(struct exec_frame_register) frame_registers;
	struct sc_u64_map constant_slots[9]; /* by bytes: value → slot + 1 */
	struct sc_u64_map places;	     /* symbol → offset in the frame + 1 */
	exec_slot *registers;		     /* owned; of each register, 0: not used so far; after
					      * them the upper halves of those of 128 bits */
	SC_VECTOR(uint8_t) widths;	     /* of each one that is used: bytes, 0: a predicate */
	SC_VECTOR(struct exec_reference) references; /* in the text's order */
	SC_VECTOR(exec_slot *) lists;		     /* of instructions */
	uint32_t now;				     /* the instruction that is decoded */
	uint32_t *at;	   /* owned; of each PTX instruction: its index here */
	char problem[256]; /* why it cannot run */
};

void exec_operand_init(struct exec_decoder *d);
void exec_operand_fini(struct exec_decoder *d);

/* Gives each variable of the frame its place: parameters of a function, then what it names. */
void exec_operand_place_symbols(struct exec_decoder *d);

/* Where a symbol lies in the frame; false: it does not. */
bool exec_operand_variable(const struct exec_decoder *d, uint32_t id, struct exec_variable *out);

/* A source of so many bytes a lane; false: the operand is none. */
bool exec_operand_source(struct exec_decoder *d, const struct sc_ptx_operand *o, unsigned bytes,
			 exec_slot *slot);

#define EXEC_ANY_WIDTH 255

/* The same of a width (or EXEC_ANY_WIDTH: the register's own), which *width gets. */
bool exec_operand_value(struct exec_decoder *d, const struct sc_ptx_operand *o, unsigned bytes,
			exec_slot *slot, uint8_t *width);

/* The lower or upper half of a register of 128 bits, of 8 bytes; false: the operand is none. */
bool exec_operand_half(struct exec_decoder *d, const struct sc_ptx_operand *o, unsigned half,
		       bool is_write, exec_slot *slot);

/* A register that is written, likewise. */
bool exec_operand_result(struct exec_decoder *d, const struct sc_ptx_operand *o, unsigned bytes,
			 exec_slot *slot, uint8_t *width);

/* A predicate that is read or written. */
bool exec_operand_predicate(struct exec_decoder *d, const struct sc_ptx_operand *o, bool is_result,
			    exec_slot *slot);

/* An address, of a register and an offset, into slot `k` and `value`. */
bool exec_operand_address(struct exec_decoder *d, const struct sc_ptx_operand *o,
			  struct exec_instruction *out, unsigned k);

/* The slot of a number in all lanes. */
exec_slot exec_operand_constant(struct exec_decoder *d, uint64_t value, unsigned bytes);

/* Fills the slots by a form (table.h); false: an operand does not fit. */
bool exec_operand_decode(struct exec_decoder *d, const char *form, const struct sc_instruction *in,
			 struct exec_instruction *out);

/* The slot of a predicate register; false: it is none. */
bool exec_operand_guard(struct exec_decoder *d, uint32_t id, exec_slot *slot);

/* Bytes of a lane of an operand if it is a register, else 0. */
unsigned exec_operand_width(const struct exec_decoder *d, const struct sc_ptx_operand *o);

/* The word of a special register, "%tid.x"; NULL: the operand is none. */
const char *exec_operand_special(const struct exec_decoder *d, const struct sc_ptx_operand *o);
