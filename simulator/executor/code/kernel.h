/* A kernel as the executor runs it: instructions with one handler each and resolved operands.
 *
 * Registers, immediates and special registers are arrays of one value for each lane of a warp, of
 * their own width; predicates are one word with a bit for each lane. An operand is a slot: the
 * place of such an array in one of three banks. Every slot that a handler may use was checked to be
 * as wide as the handler takes it, so that no instruction leaves its banks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "ptx/ptx.h"
#include "simulator/executor/code/order.h"

#define EXEC_LANES	     32
#define EXEC_SLOTS	     8
#define EXEC_LIST	     132	  /* slots of an instruction's lists */
#define EXEC_ALL	     UINT32_MAX	  /* lanes of a warp */
#define EXEC_OF_CLUSTER	     2		  /* `count` of isspacep.shared::cluster */
#define EXEC_COMPONENT_SHIFT 4		  /* in `width`: above it stands enum sc_component */
#define EXEC_LOCAL_MOST	     (512U << 10) /* bytes of a thread's local memory, as on a device */

struct exec_warp;
struct exec_instruction;

typedef void exec_handler(struct exec_warp *warp, const struct exec_instruction *in);

enum exec_bank {
	EXEC_BANK_REGISTERS, /* of the warp */
	EXEC_BANK_CONSTANTS, /* of the kernel */
	EXEC_BANK_SPECIALS,  /* of the warp, fixed while the block runs */
	EXEC_BANKS
};

/* A place in a bank: a multiple of 4, plus the bank. */
typedef uint32_t exec_slot;

enum exec_round {
	EXEC_ROUND_NONE,
	EXEC_ROUND_NEAREST,
	EXEC_ROUND_ZERO,
	EXEC_ROUND_DOWN,
	EXEC_ROUND_UP,
	EXEC_ROUND_AWAY /* to nearest, from the middle away from zero */
};

/* What a part of an opcode demands of a handler, beyond its key (part.def). */
enum exec_demand {
	EXEC_DEMAND_FTZ = 1 << 0,      /* subnormal numbers of single precision are zero */
	EXEC_DEMAND_SATURATE = 1 << 1, /* to 0 … 1, or to the range of the type */
	EXEC_DEMAND_DIRECTED = 1 << 2, /* another rounding than to nearest */
	EXEC_DEMAND_INTEGRAL = 1 << 3, /* rounded to an integer */
	EXEC_DEMAND_RELU = 1 << 4,     /* nothing negative: zero instead */
	EXEC_DEMAND_FINITE = 1 << 5    /* the largest number instead of infinity */
};

/* A variable in the local memory of a frame. */
struct exec_variable {
	uint32_t offset, bytes;
};

struct exec_builtin;

/* What a call passes, and to whom. */
struct exec_call {
	const struct exec_kernel *function; /* NULL: of the address in slot 1, or a built-in one */
	const struct exec_builtin *builtin;
	struct exec_variable *actuals; /* of the caller's frame, in the order of the parameters */
	uint32_t actual_count;
	struct exec_variable result; /* of the caller's frame; no bytes: nobody wants it */
};

struct exec_instruction {
	exec_handler *run;
	union {
		const struct exec_instruction *target;	       /* of a branch */
		const struct exec_instruction *const *targets; /* of a table; `value`: how many */
		const struct exec_call *call;
		const exec_slot *list; /* slots of operands with many registers, or NULL */
	};
	const struct exec_instruction *join; /* where the lanes of a branch meet again, or NULL */
	uint64_t value;			     /* offset of an address, or a plain immediate */
	exec_slot slot[EXEC_SLOTS];	     /* the result is the first; addresses the second */
	uint8_t width[EXEC_SLOTS];	     /* bytes of a lane; 0: a predicate */
	exec_slot guard;
	uint32_t guard_flip;
	uint32_t source;     /* index in the function's code, for messages */
	uint32_t used;	     /* of a load: a bit for each byte that is used; 0: all */
	uint8_t negated;     /* bit for each slot: the predicate's opposite */
	uint8_t count;	     /* data slots of a memory access: elements of a vector */
	uint8_t space;	     /* enum sc_space; of a copy: from where */
	uint8_t first_space; /* of a copy: to where */
	uint8_t type, type2; /* enum sc_ptx_type: as in the opcode, first and second */
	uint8_t round;	     /* enum exec_round */
	uint8_t demands;
	uint8_t boolean;      /* enum sc_boolean */
	uint8_t hint;	      /* which of the warp's remembered spans */
	uint8_t known;	      /* which of its known shapes, of an access */
	bool again;	      /* an access before has found the shape (again.h) */
	bool moves;	      /* what it reads is only stored again, or not wanted (moved.h) */
	uint8_t use;	      /* of a load or an atomic: enum exec_use */
	uint8_t polls;	      /* reads what others may change */
	uint8_t order;	      /* enum exec_order */
	uint8_t geometry : 4; /* enum exec_geometry */
	uint8_t outside : 4;  /* enum exec_outside */
};

/* The places every kernel has at the start of its constants. */
#define EXEC_SLOT_TRUE	((exec_slot)(0 | EXEC_BANK_CONSTANTS))
#define EXEC_SLOT_FALSE ((exec_slot)(4 | EXEC_BANK_CONSTANTS))
/* Results that nobody wants, and the bytes that registers have before the first one. */
#define EXEC_SLOT_SINK	((exec_slot)(0 | EXEC_BANK_REGISTERS))
#define EXEC_SINK_BYTES 256
#define EXEC_CLASSES	4 /* of registers, by their widths (allot.c) */

/* A register of a function that has an address in its frame. */
struct exec_frame_register {
	exec_slot slot;
	uint32_t offset; /* of the address, from the frame's first byte */
	uint8_t width;
};

/* A kernel, or a function as one kernel calls it, whose parameters lie in the memory of frames. */
struct exec_kernel {
	const struct sc_ptx *ptx; /* borrowed */
	const struct sc_function *function;
	struct exec_instruction *code; /* owned by the arena */
	size_t code_count;
	unsigned char *constants;
	size_t constant_bytes;
	size_t register_bytes;			   /* of a warp */
	struct exec_variable zeroed[EXEC_CLASSES]; /* registers that begin with zeros */
	uint32_t shared_bytes;			   /* without the dynamic ones */
	uint32_t local_bytes;			   /* of a thread */
	uint32_t param_bytes;
	bool waits;    /* it, or a function that it calls, has griddepcontrol.wait, */
	bool meets;    /* barriers of its blocks, */
	bool notifies; /* or ways beyond its block to notify other threads */
	bool reserves; /* it, or such a function, uses the shared memory of cooperative groups */
	bool loops;    /* it has a branch back */
	bool polls;    /* in a loop, or as a function anywhere, it loads what others may change */
	bool talks;    /* it has accesses by which its threads may notify others */
	bool signals;  /* it has volatile stores, atomics, fences: others may see it at work */
	struct exec_frame_register *frame_registers;
	size_t frame_register_count;
	struct exec_variable *formals; /* parameters of a function */
	uint32_t formal_count;
	struct exec_variable result;
	const struct exec_kernel *kernel; /* that calls the function; itself: it is one */
	struct exec_kernel **functions;	  /* owned, as their code by their arenas: all callees */
	size_t function_count;
	const struct exec_kernel **by_address; /* functions, EXEC_CODE_BYTES apart */
	size_t address_count;
	const char *why;	   /* it cannot run, or NULL */
	_Atomic uint64_t launches; /* that were counted, whatever else stays as it is */
	struct sc_arena arena;
};
