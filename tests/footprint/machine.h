/* The test machine: runs a PTX kernel thread by thread and records what it touches.
 *
 * It shares the reader of PTX text with the analysis and nothing else: instructions are decoded
 * from their opcode text and computed on real numbers. Blocks run one after another; the threads
 * of a block run until a barrier or an exchange within the warp, where they wait for the others.
 * An instruction that the machine does not know stops it with an error.
 */
#pragma once

#include <stdbool.h>
#include "footprint/footprint.h"
#include "ptx/ptx.h"
#include "tests/footprint/decode.h"
#include "tests/footprint/memory.h"

#define FRAMES 8

enum wait { WAIT_NONE, WAIT_BARRIER, WAIT_WARP, WAIT_DONE };

struct frame {
	const struct sc_function *f;
	uint32_t pc;
	uint64_t *registers;  /* owned */
	uint32_t caller_call; /* instruction of the caller's call */
};

struct thread {
	struct frame frames[FRAMES];
	unsigned depth;
	enum wait wait;
	uint32_t tid[3];
	uint32_t linear;
	uint8_t *local; /* owned */
};

struct machine {
	const struct sc_ptx *m;
	const struct sc_function *kernel;
	const struct sc_footprint_launch *launch;
	struct memory *memory;
	struct thread *threads; /* owned: of the running block */
	uint32_t thread_count;
	uint32_t ctaid[3];
	struct sc_u64_map places; /* symbol → address + 1 */
	uint64_t shared_used;
	uint64_t local_used;
	uint64_t steps;
	struct thread *current;
	struct decoded *decoded; /* owned: of each name, made on first use */
	const char *error;	 /* what stopped the machine */
	const char *error_opcode;
};

/* Runs the launch; returns 0, or -1 with `error` set. */
int machine_run(struct machine *c);
/* Executes the current instruction of the current thread (execute.c). */
void machine_step(struct machine *c);
/* Exchanges values between waiting threads of a warp that stand at one instruction (warp.c). */
void machine_exchange(struct machine *c, struct thread **group, unsigned count);
bool machine_is_exchange(const char *opcode);

/* Values of operands. */
uint64_t machine_value(struct machine *c, struct thread *t, const struct sc_ptx_operand *o);
void machine_set(struct thread *t, const struct sc_ptx_operand *to, uint64_t value);
const struct sc_ptx_operand *machine_operands(const struct thread *t,
					      const struct sc_instruction *in);
const struct sc_ptx_operand *machine_inner(const struct thread *t,
					   const struct sc_ptx_operand *vector, uint32_t index);
uint64_t machine_symbol(struct machine *c, uint32_t symbol);
const struct decoded *machine_decoded(struct machine *c, uint32_t name);
void machine_fail(struct machine *c, const char *error, const char *opcode);
